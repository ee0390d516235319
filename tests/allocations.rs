//! What a thread allocates, counted by the allocator of the test binary.
#![allow(
    unsafe_code,
    reason = "a global allocator is an unsafe trait; this one only counts and passes everything on"
)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

/// Memory that a piece of work took on its own thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// The most bytes held at once.
    pub peak_bytes: usize,
    /// Number of allocations and reallocations.
    pub allocations: usize,
}

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static USAGE: Cell<Usage> = const { Cell::new(Usage { peak_bytes: 0, allocations: 0 }) };
}

/// Runs `work` and counts what this thread allocates meanwhile; other threads do not count.
pub fn measure<R>(work: impl FnOnce() -> R) -> (R, Usage) {
    LIVE.set(0);
    USAGE.set(Usage::default());
    let result = work();
    (result, USAGE.get())
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn grow(bytes: usize) {
    // Threads that are ending allocate too, when their counters are gone.
    let _ = LIVE.try_with(|live| {
        live.set(live.get().saturating_add(bytes));
        let usage = USAGE.get();
        USAGE.set(Usage {
            peak_bytes: usage.peak_bytes.max(live.get()),
            allocations: usage.allocations + 1,
        });
    });
}

fn shrink(bytes: usize) {
    let _ = LIVE.try_with(|live| live.set(live.get().saturating_sub(bytes)));
}

// SAFETY: every call goes to the system's allocator unchanged; the counters are plain cells of the thread and allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        shrink(layout.size());
        grow(size);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[test]
fn the_peak_is_what_was_held_at_once() {
    let ((), usage) = measure(|| {
        drop(vec![0u8; 1000]);
        drop(vec![0u8; 500]);
    });
    assert_eq!((usage.peak_bytes, usage.allocations), (1000, 2));
}
