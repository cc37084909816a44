//! Which files a patch or an edit changes.

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ChangeKind {
    Add,
    Update,
    Delete,
}

impl ChangeKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            ChangeKind::Add => "add",
            ChangeKind::Update => "update",
            ChangeKind::Delete => "delete",
        }
    }

    /// The kind that a client's word means.
    pub fn parse(word: &str) -> ChangeKind {
        match word {
            "add" | "create" | "created" | "added" => ChangeKind::Add,
            "delete" | "remove" | "deleted" | "removed" => ChangeKind::Delete,
            _ => ChangeKind::Update,
        }
    }
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub path: String,
    pub kind: ChangeKind,
    pub moved_to: Option<String>,
}

impl Change {
    pub fn new(path: &str, kind: ChangeKind) -> Change {
        Change { path: path.to_owned(), kind, moved_to: None }
    }
}

/// The files of a patch in Codex's own form.
pub(crate) fn changes_of_patch(patch: &str) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let Some((_, body)) = patch.split_once("*** Begin Patch") else { return changes };
    for line in body.lines() {
        let heads = [
            ("*** Add File: ", ChangeKind::Add),
            ("*** Update File: ", ChangeKind::Update),
            ("*** Delete File: ", ChangeKind::Delete),
        ];
        let found = heads.iter().find_map(|(head, kind)| line.strip_prefix(head).map(|path| (path.trim(), *kind)));
        if let Some((path, kind)) = found {
            changes.push(Change::new(path, kind));
        } else if let (Some(to), Some(last)) = (line.strip_prefix("*** Move to: "), changes.last_mut()) {
            last.moved_to = Some(to.trim().to_owned());
        } else if line.starts_with("*** End Patch") {
            break;
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_its_files_and_text_that_looks_like_one_does_not() {
        let patch = "*** Begin Patch\n*** Add File: a b.txt\n+*** Delete File: no\n*** Update File: src/x.rs\n*** Move to: src/y.rs\n@@\n*** Delete File: old\n*** End Patch\n*** Add File: after\n";
        let changes = changes_of_patch(patch);
        let shown: Vec<_> = changes.iter().map(|change| (change.kind.as_str(), change.path.as_str())).collect();
        assert_eq!(shown, [("add", "a b.txt"), ("update", "src/x.rs"), ("delete", "old")]);
        assert_eq!(changes[1].moved_to.as_deref(), Some("src/y.rs"));
        assert!(changes_of_patch("A quick brown fox\nM is for Mary\nD day").is_empty());
    }
}
