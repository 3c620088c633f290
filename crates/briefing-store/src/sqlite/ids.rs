//! Keys of rows: a number with its owner.

use briefing::message::{EntryId, ThreadId};

const BITS: u32 = 40;
const NUMBER: i64 = (1 << BITS) - 1;

/// The greatest number of an owner.
pub(super) const OWNERS: i64 = (1 << (63 - BITS)) - 1;

/// An owner's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OwnerKey(pub(super) i64);

impl OwnerKey {
    /// The key of a number of this owner; none of a number that cannot be.
    pub(super) fn key(self, number: u64) -> Option<i64> {
        i64::try_from(number).ok().filter(|number| *number <= NUMBER).map(|number| (self.0 << BITS) | number)
    }

    pub(super) fn entry(self, entry: EntryId) -> Option<i64> {
        self.key(entry.get())
    }

    pub(super) fn thread(self, thread: ThreadId) -> Option<i64> {
        self.key(thread.get())
    }

    /// The least key of this owner.
    pub(super) fn first(self) -> i64 {
        self.0 << BITS
    }

    /// The greatest key of this owner.
    pub(super) fn last(self) -> i64 {
        self.first() | NUMBER
    }
}

/// The owner of a key.
pub(super) fn owner_of(key: i64) -> OwnerKey {
    OwnerKey(key >> BITS)
}

pub(super) fn number(key: i64) -> u64 {
    (key & NUMBER).cast_unsigned()
}

pub(super) fn entry_id(key: i64) -> EntryId {
    EntryId::new(number(key))
}

pub(super) fn thread_id(key: i64) -> ThreadId {
    ThreadId::new(number(key))
}
