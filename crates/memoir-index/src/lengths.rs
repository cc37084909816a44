//! How much was said, by origin: what makes a session long or a word rare.

/// Units and stems of each origin.
#[derive(Debug, Clone, Default)]
pub struct Lengths {
    by_origin: Vec<(u32, u64)>,
    units: u64,
    stems: u64,
}

impl Lengths {
    pub(crate) fn add(&mut self, origin: u32, len: u32) {
        let at = origin as usize;
        if self.by_origin.len() <= at {
            self.by_origin.resize(at + 1, (0, 0));
        }
        if let Some((units, stems)) = self.by_origin.get_mut(at) {
            *units += 1;
            *stems += u64::from(len);
        }
        self.units += 1;
        self.stems += u64::from(len);
    }

    pub(crate) fn remove(&mut self, origin: u32, len: u32) {
        let len = u64::from(len);
        if let Some((units, stems)) = self.by_origin.get_mut(origin as usize) {
            (*units, *stems) = (units.saturating_sub(1), stems.saturating_sub(len));
        }
        (self.units, self.stems) = (self.units.saturating_sub(1), self.stems.saturating_sub(len));
    }

    /// Units and stems of an origin.
    pub fn of(&self, origin: u32) -> (u32, u64) {
        self.by_origin.get(origin as usize).copied().unwrap_or_default()
    }

    /// One more than the highest origin.
    pub fn origins(&self) -> u32 {
        u32::try_from(self.by_origin.len()).unwrap_or(u32::MAX)
    }

    /// All units.
    pub const fn units(&self) -> u64 {
        self.units
    }

    /// All stems.
    pub const fn stems(&self) -> u64 {
        self.stems
    }
}
