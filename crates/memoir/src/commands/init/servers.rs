//! memoir's tools in the clients' lists of MCP servers.

use super::{Decided, show, take_over};
use crate::clients;
use crate::commands::Context;
use crate::print::{self, Out, Style};
use anyhow::Result;
use memoir_event::Client;
use memoir_install::{Change, InstallError, Launcher, Ledger, Registration, register};
use memoir_redact::Redactor;
use serde_json::{Value, json};
use std::path::Path;

/// What becomes of a client's list of servers.
pub enum Tools {
    /// Nothing.
    Without,
    /// It cannot be changed.
    Failed(InstallError),
    /// This, if anything is needed.
    Planned(Box<Registration>),
}

/// What clients run as an MCP server for this home.
pub fn command(context: &Context, launcher: &Launcher) -> Vec<String> {
    let home = (!context.home.is_usual()).then(|| context.home.dir());
    launcher.server(home)
}

/// What is to be changed in a client's list, after what its hooks change.
pub fn plan(context: &Context, launcher: &Launcher, one: &Decided) -> Tools {
    let Some(file) = clients::server_list(one.client) else { return Tools::Without };
    let hooks = one.outcome.plan().into_iter().flat_map(|plan| plan.changes());
    let first = hooks.filter(|change| change.path == file).last();
    match register(one.client, &file, &command(context, launcher), first) {
        Ok(registration) => Tools::Planned(Box::new(registration)),
        Err(error) => Tools::Failed(error),
    }
}

impl Tools {
    pub const fn has_failed(&self) -> bool {
        matches!(self, Tools::Failed(_))
    }

    pub fn change(&self) -> Option<&Change> {
        match self {
            Tools::Planned(registration) => Some(&registration.change),
            Tools::Without | Tools::Failed(_) => None,
        }
    }

    pub fn is_needed(&self) -> bool {
        self.change().is_some_and(Change::is_needed)
    }

    /// Shows what will change.
    pub fn explain(&self, context: &Context, out: &mut Out, client: Client, redactor: &Redactor) -> Result<()> {
        let registration = match self {
            Tools::Without => return Ok(()),
            Tools::Failed(error) => {
                print::warn(&format!("{client}: its list of MCP servers stays as it is: {error}"));
                return Ok(());
            }
            Tools::Planned(registration) => registration,
        };
        if registration.is_by_hand {
            let file = registration.change.path.display();
            out.line(&format!("{client}: {file} has an MCP server named memoir already; it stays as it is"))?;
        } else if registration.change.is_needed() {
            let name = out.styled(Style::Bold, &client.to_string());
            out.line(&format!("{name}: its model is to have memoir's tools (MCP)"))?;
            if let Some(home) = &registration.other_home {
                let here = context.home.dir().display();
                out.line(&format!(
                    "{name}: so far those are of another home, {}; from now on of {here}",
                    home.display()
                ))?;
            }
            show(out, &registration.change, redactor)?;
        }
        Ok(())
    }

    /// Makes the change. One that cannot be made is told of, and what was done before stays.
    pub fn write(&mut self, client: Client, ledger: &mut Ledger, list: &Path) -> Result<()> {
        let Tools::Planned(registration) = self else { return Ok(()) };
        let change = &registration.change;
        if !change.is_needed() {
            return Ok(());
        }
        let files = [change.path.clone()];
        take_over((client, registration.other_home.as_deref(), &files), ledger, list)?;
        let dir = change.path.parent().map_or(Ok(()), |dir| ledger.create_dir(dir));
        if let Err(error) = dir.and_then(|()| ledger.make_in_list(client, change, list)) {
            print::warn(&format!("{client}: {error}"));
            *self = Tools::Failed(error);
        }
        Ok(())
    }

    pub fn say(&self, out: &mut Out, client: Client) -> Result<()> {
        if let Some(change) = self.change().filter(|change| change.is_needed()) {
            out.line(&format!("{client}: memoir's tools are in {}", change.path.display()))?;
        }
        Ok(())
    }

    pub fn as_json(&self) -> Value {
        match self {
            Tools::Without => Value::Null,
            Tools::Failed(error) => json!({"problem": error.to_string()}),
            Tools::Planned(registration) => {
                let change = &registration.change;
                json!({"path": change.path, "changed": change.is_needed(), "byHand": registration.is_by_hand})
            }
        }
    }
}
