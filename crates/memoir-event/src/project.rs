//! Names a project by its directory when nothing better names it.

use sha1::{Digest, Sha1};
use std::fmt::Write as _;

/// The id of the project at an absolute path: twelve hexadecimal characters that do not show the path.
///
/// The path is taken lexically: `.` and `..` are resolved, a trailing slash is dropped, links are not followed.
pub fn repo_id_of_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let digest = Sha1::digest(format!("/{}", parts.join("/")));
    digest.iter().take(6).fold(String::with_capacity(12), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    })
}

#[cfg(test)]
mod tests {
    use super::repo_id_of_path;

    #[test]
    fn one_directory_has_one_id_however_it_is_spelt() {
        let id = repo_id_of_path("/home/alice/proj");
        assert_eq!(id, "5c7e316ac24a");
        assert_eq!(repo_id_of_path("/home/alice/proj/"), id);
        assert_eq!(repo_id_of_path("/home/alice/x/../proj/."), id);
        assert_ne!(repo_id_of_path("/home/alice/other"), id);
    }
}
