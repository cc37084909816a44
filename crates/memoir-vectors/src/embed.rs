//! Asks a model for vectors, and deals with texts that it cannot take.

use crate::error::VectorsError;
use memoir_model::{Embedder, ModelError};
use std::time::{Duration, Instant};

/// A busy model is asked so many times again.
const BUSY_TRIES_MAX: u32 = 6;
/// It gets this long, then twice as long and so on, unless it says how long; if it wants longer than at most, it is not
/// asked again.
const BUSY_WAIT: Duration = Duration::from_secs(1);
const BUSY_WAIT_MAX: Duration = Duration::from_secs(60);
/// How often a waiting process looks whether it shall stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Of a text that is refused, this much is tried.
const SHORT_CHARS: usize = 400;
/// A text that any embedding model can take.
pub(crate) const PLAIN: &str = "memoir";

/// Why there are no vectors.
pub(crate) enum Trouble {
    /// Somebody wants to stop.
    Stopped,
    /// Something went wrong.
    Other(VectorsError),
}

impl From<VectorsError> for Trouble {
    fn from(error: VectorsError) -> Trouble {
        Trouble::Other(error)
    }
}

impl Trouble {
    const fn model(error: ModelError) -> Trouble {
        Trouble::Other(VectorsError::Model(error))
    }

    /// The model's refusal, if what was sent may be the reason.
    fn refusal(self) -> Result<ModelError, Trouble> {
        match self {
            Trouble::Other(VectorsError::Model(error)) if error.may_be_the_input() => Ok(error),
            trouble => Err(trouble),
        }
    }
}

/// Asks one model.
pub(crate) struct Asking<'a> {
    pub model: &'a dyn Embedder,
    pub go_on: &'a mut dyn FnMut() -> bool,
    /// Hears what is waited for.
    pub tell: &'a dyn Fn(&str),
}

impl Asking<'_> {
    /// A vector for each text; none for a text that the model takes in no form.
    pub fn vectors(&mut self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, Trouble> {
        let mut refusal = None;
        let vectors = self.halve(texts, &mut refusal)?;
        // If it takes none of them, either they are odd or it is.
        if let Some(refusal) = refusal.filter(|_| vectors.iter().all(Option::is_none))
            && self.ask(&[PLAIN]).is_err()
        {
            return Err(Trouble::model(refusal));
        }
        Ok(vectors)
    }

    fn halve(&mut self, texts: &[&str], refusal: &mut Option<ModelError>) -> Result<Vec<Option<Vec<f32>>>, Trouble> {
        let refused = match self.ask(texts) {
            Ok(vectors) => return Ok(vectors.into_iter().map(Some).collect()),
            Err(trouble) => trouble.refusal()?,
        };
        if let [text] = texts {
            return Ok(vec![self.shorter(text, refused, refusal)?]);
        }
        let (first, second) = texts.split_at(texts.len() / 2);
        let mut vectors = self.halve(first, refusal)?;
        vectors.extend(self.halve(second, refusal)?);
        Ok(vectors)
    }

    fn shorter(
        &mut self,
        text: &str,
        error: ModelError,
        refusal: &mut Option<ModelError>,
    ) -> Result<Option<Vec<f32>>, Trouble> {
        let beginning: String = text.chars().take(SHORT_CHARS).collect();
        match self.ask(&[&beginning]) {
            Ok(mut vectors) => Ok(vectors.pop()),
            // A server that fails whatever it gets is broken; one that refuses does so for a reason.
            Err(trouble) => match trouble.refusal()? {
                ModelError::Refused { .. } => {
                    *refusal = Some(error);
                    Ok(None)
                }
                error => Err(Trouble::model(error)),
            },
        }
    }

    /// Asks until the model is not too busy.
    fn ask(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Trouble> {
        let mut tries = 0;
        loop {
            match self.model.embed(texts) {
                Ok(vectors) => return Ok(vectors),
                Err(error) => {
                    let wait = match &error {
                        // Who wants to be left alone for longer is: what is made is kept, and the next run goes on.
                        ModelError::Busy { after, .. } if after.is_none_or(|after| after <= BUSY_WAIT_MAX) => {
                            after.unwrap_or(BUSY_WAIT * 2_u32.pow(tries)).min(BUSY_WAIT_MAX)
                        }
                        _ => return Err(Trouble::model(error)),
                    };
                    if tries >= BUSY_TRIES_MAX {
                        return Err(Trouble::model(error));
                    }
                    tries += 1;
                    (self.tell)(&format!("{error}: asking again in {} s", wait.as_secs_f32().ceil()));
                    self.wait(wait)?;
                }
            }
        }
    }

    fn wait(&mut self, time: Duration) -> Result<(), Trouble> {
        let end = Instant::now() + time;
        loop {
            if !(self.go_on)() {
                return Err(Trouble::Stopped);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(LOOK_EVERY));
        }
    }
}
