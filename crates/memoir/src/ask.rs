//! Questions to the user.

use crate::exit::Usage;
use std::io::{BufRead, IsTerminal, Write};

/// Asks on the terminal; where there is none, `without` says which flag answers.
pub fn yes(question: &str, without: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(Usage(without.to_owned()).into());
    }
    std::io::stderr().write_all(format!("{question} [y/N] ").as_bytes())?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
