//! What is known of a file or a command before a tool touches it.

use crate::inject::{InjectError, Injector};
use memoir_capture::HookCall;

impl Injector {
    /// What is known of what a tool is about to do.
    pub(crate) fn before_tool(
        &self,
        _call: &HookCall,
        _go_on: &dyn Fn() -> bool,
    ) -> Result<Option<String>, InjectError> {
        Ok(None)
    }
}
