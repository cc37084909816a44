//! The small closed vocabularies of an event: who spoke, who may see it, how much of the reasoning is there.

use serde::{Deserialize, Serialize};

/// Declares an enum whose variants have one stable name outside and one stable code in storage.
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $code:literal $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $text)] $variant = $code),+ }

        impl $name {
            /// Every value, in the order of the codes.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The name used outside.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// The code used in storage; it never changes its meaning.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The value behind a stored code.
            pub const fn from_code(code: u8) -> Option<$name> {
                match code { $($code => Some($name::$variant),)+ _ => None }
            }

            /// The value of that name.
            pub fn parse(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use vocabulary;

vocabulary! {
    /// Who said or did it.
    Speaker {
        /// The person.
        User = 0 "user",
        /// The agent.
        Assistant = 1 "assistant",
        /// The client or memoir itself.
        System = 2 "system",
        /// A tool the agent used.
        Tool = 3 "tool",
    }
}

vocabulary! {
    /// Where an event may appear at all.
    Visibility {
        /// Everywhere its secrecy allows.
        Normal = 0 "normal",
        /// Only to its owner and to those who ask for scratch material.
        PrivateScratch = 1 "private_scratch",
        /// Only to its owner and to keys with the sealed scope.
        Sealed = 2 "sealed",
    }
}

vocabulary! {
    /// How confidential the content is.
    Secrecy {
        /// Anyone who may read the journal.
        Public = 0 "public",
        /// The default: for the owner's own agents.
        Sensitive = 1 "sensitive",
        /// Never recalled, searched over HTTP or dreamt about.
        Secret = 2 "secret",
    }
}

vocabulary! {
    /// How much of the agent's reasoning an event carries.
    Reasoning {
        /// The complete reasoning text.
        Full = 0 "full",
        /// Reasoning happened, its text is missing.
        Partial = 1 "partial",
        /// No reasoning in this event.
        Unavailable = 2 "unavailable",
    }
}
