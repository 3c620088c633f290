//! Keeps a panic of the library that reads mail from spreading, or printing.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Runs it; none if it panicked. The panic is not printed: the first use wraps the process's panic hook, which stays as it is
/// for every other panic.
pub(super) fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    HOOK.call_once(|| {
        let hook = take_hook();
        set_hook(Box::new(move |info| {
            if !QUIET.get() {
                hook(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run)).ok();
    QUIET.set(before);
    result
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_panic_is_none() {
        assert_eq!((guarded(|| 7), guarded(|| -> i32 { panic!("inside") })), (Some(7), None));
    }
}
