//! What the files are called. One file holds the coarse bytes; the file with the finer ones goes by its generation.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file that says everything: replaced as a whole, or grown at its end.
pub(crate) const COARSE: &str = "coarse";
/// A coarse file on its way.
pub(crate) const COARSE_NEW: &str = "coarse.new";
const FINE: &str = "fine-";

/// The file with the finer bytes of a generation.
pub(crate) fn fine(dir: &Path, generation: u64) -> PathBuf {
    dir.join(format!("{FINE}{generation:016x}"))
}

/// Whether a file of that name belongs to the cache, so that it may be deleted with it. Locks stay.
fn is_ours(name: &str) -> bool {
    let is_fine = |name: &str| {
        name.strip_prefix(FINE).is_some_and(|rest| rest.len() == 16 && rest.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    name == COARSE || name == COARSE_NEW || is_fine(name)
}

/// Removes every file of the cache but those of that generation. Other files are not ours.
pub(crate) fn clear_but(dir: &Path, generation: Option<u64>) -> io::Result<()> {
    let keep = generation.map(|generation| fine(dir, generation));
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_kept = keep.is_some() && (name == COARSE || keep.as_ref() == Some(&path));
        if is_ours(name) && !is_kept {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// The bytes of the cache on disk.
pub(crate) fn bytes_on_disk(dir: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        bytes += entry?.metadata().map_or(0, |metadata| metadata.len());
    }
    Ok(bytes)
}
