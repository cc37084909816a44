//! The one read view: who may see what. No surface has a copy of this.

use memoir_event::{Secrecy, Visibility};

/// Who is reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The owner at the command line.
    Owner,
    /// Recall, injection, MCP and search over HTTP.
    Recall,
    /// The pass that derives memories.
    Dream,
    /// Raw recall over HTTP.
    Raw,
}

/// What a reader is shown. Start from the audience; widen it by what the reader asked for and may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    audience: Audience,
    public: bool,
    sensitive: bool,
    secret: bool,
    private: bool,
    sealed: bool,
    history: bool,
}

impl View {
    /// What the audience sees without asking for more.
    pub const fn of(audience: Audience) -> View {
        let history = matches!(audience, Audience::Raw | Audience::Dream);
        View { audience, public: true, sensitive: true, secret: false, private: false, sealed: false, history }
    }

    /// Adds secret events, where the audience can have them at all.
    #[must_use]
    pub const fn with_secret(mut self) -> View {
        self.secret = self.may_widen();
        self
    }

    /// Adds private scratch, where the audience can have it at all.
    #[must_use]
    pub const fn with_private(mut self) -> View {
        self.private = self.may_widen();
        self
    }

    /// Adds sealed events, where the audience can have them at all.
    #[must_use]
    pub const fn with_sealed(mut self) -> View {
        self.sealed = self.may_widen();
        self
    }

    /// Adds what was superseded, for the owner.
    #[must_use]
    pub const fn with_history(mut self) -> View {
        self.history = self.history || matches!(self.audience, Audience::Owner);
        self
    }

    /// Keeps only those levels of secrecy; `secret` still needs [`View::with_secret`].
    #[must_use]
    pub fn only(mut self, levels: &[Secrecy]) -> View {
        self.public &= levels.contains(&Secrecy::Public);
        self.sensitive &= levels.contains(&Secrecy::Sensitive);
        self.secret &= levels.contains(&Secrecy::Secret);
        self
    }

    /// Everything an owner can have, for backup-like reading.
    pub const fn owner_all() -> View {
        View::of(Audience::Owner).with_secret().with_private().with_sealed().with_history()
    }

    const fn may_widen(&self) -> bool {
        matches!(self.audience, Audience::Owner | Audience::Raw)
    }

    /// Whether an event of that visibility and secrecy is shown.
    pub const fn admits(&self, visibility: Visibility, secrecy: Secrecy) -> bool {
        let visible = match visibility {
            Visibility::Normal => true,
            Visibility::PrivateScratch => self.private,
            Visibility::Sealed => self.sealed,
        };
        let level = match secrecy {
            Secrecy::Public => self.public,
            Secrecy::Sensitive => self.sensitive,
            Secrecy::Secret => self.secret,
        };
        visible && level
    }

    /// Whether superseded events are shown.
    pub const fn shows_history(&self) -> bool {
        self.history
    }

    /// The access codes that are shown: one bit for each code.
    pub fn access_mask(&self) -> u16 {
        let mut mask = 0;
        for visibility in Visibility::ALL {
            for secrecy in Secrecy::ALL {
                if self.admits(*visibility, *secrecy) {
                    mask |= 1 << access_code(*visibility, *secrecy);
                }
            }
        }
        mask
    }
}

/// Visibility and secrecy in four bits, as records and indexes carry them.
pub const fn access_code(visibility: Visibility, secrecy: Secrecy) -> u8 {
    visibility.code() | secrecy.code() << 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use Secrecy::{Public, Secret, Sensitive};
    use Visibility::{Normal, PrivateScratch, Sealed};

    #[test]
    fn the_table_of_who_may_see_what_holds() {
        for audience in [Audience::Owner, Audience::Recall, Audience::Dream, Audience::Raw] {
            let view = View::of(audience);
            assert!(view.admits(Normal, Public) && view.admits(Normal, Sensitive));
            assert!(
                !view.admits(Normal, Secret) && !view.admits(PrivateScratch, Public) && !view.admits(Sealed, Public)
            );
            let wide = view.with_secret().with_private().with_sealed();
            let can_ask = matches!(audience, Audience::Owner | Audience::Raw);
            assert_eq!(wide.admits(Normal, Secret), can_ask);
            assert_eq!(wide.admits(PrivateScratch, Sensitive), can_ask);
            assert_eq!(wide.admits(Sealed, Sensitive), can_ask);
        }
        assert!(!View::of(Audience::Owner).with_sealed().admits(Sealed, Secret));
        assert!(!View::of(Audience::Recall).with_history().shows_history());
    }

    #[test]
    fn levels_narrow_and_never_widen() {
        let view = View::of(Audience::Raw).only(&[Public, Secret]);
        assert!(view.admits(Normal, Public) && !view.admits(Normal, Sensitive) && !view.admits(Normal, Secret));
        assert!(View::of(Audience::Raw).with_secret().only(&[Secret]).admits(Normal, Secret));
    }
}
