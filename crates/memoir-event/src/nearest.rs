//! Finds the known name that a mistyped one most likely meant.

/// The known name nearest to `unknown`, if any is near enough to be a slip of the finger.
pub fn nearest<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = unknown.to_ascii_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&wanted, &name.to_ascii_lowercase()), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| *distance <= 1 + name.chars().count().min(wanted.chars().count()) / 3)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_none() {
        let known = ["visibility", "secrecy_level", "speaker"];
        assert_eq!(nearest("visiblity", known), Some("visibility"));
        assert_eq!(nearest("Secrecy", ["secrecy_level", "secrecy"]), Some("secrecy"));
        assert_eq!(nearest("MEMOIR_PRT", ["MEMOIR_HOME", "MEMOIR_PORT"]), Some("MEMOIR_PORT"));
        assert_eq!(nearest("banana", known), None);
    }
}
