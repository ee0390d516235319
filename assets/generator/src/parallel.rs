//! Work on several threads whose result does not depend on how many there are.

use std::panic::resume_unwind;
use std::thread::{ScopedJoinHandle, scope};

/// Runs every job on a thread of its own; results are in the order of the jobs.
pub fn run<T: Send>(jobs: &[impl Fn() -> T + Sync]) -> Vec<T> {
    scope(|s| {
        let running: Vec<ScopedJoinHandle<T>> = jobs.iter().map(|job| s.spawn(job)).collect();
        let finish =
            |thread: ScopedJoinHandle<T>| thread.join().unwrap_or_else(|e| resume_unwind(e));
        running.into_iter().map(finish).collect()
    })
}

/// Hands `items` to threads in pieces of `size`; `job` gets the index of its first item and the items.
pub fn pieces<T: Send>(items: &mut [T], size: usize, job: impl Fn(usize, &mut [T]) + Sync) {
    scope(|s| {
        for (k, piece) in items.chunks_mut(size).enumerate() {
            let job = &job;
            s.spawn(move || job(k * size, piece));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_jobs() {
        let jobs: Vec<_> = (0..20).map(|k| move || k * k).collect();
        assert_eq!(run(&jobs), (0..20).map(|k| k * k).collect::<Vec<_>>());
    }

    #[test]
    fn every_item_is_handed_out_once_with_its_index() {
        for size in [1, 3, 7, 100] {
            let mut items = vec![0; 25];
            pieces(&mut items, size, |first, piece| {
                for (k, item) in piece.iter_mut().enumerate() {
                    *item += first + k;
                }
            });
            assert_eq!(items, (0..25).collect::<Vec<_>>(), "pieces of {size}");
        }
    }
}
