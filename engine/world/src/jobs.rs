//! Parallel work over actors, with the same result on any number of threads.

use std::{cell::RefCell, sync::Arc};

use rayon::{ThreadPool, iter::ParallelIterator};
use sinew_anim::Scratch;

use crate::{Actor, Actors, WorldError};

thread_local! {
    /// Buffers that each worker keeps between actors and steps.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// The threads that evaluate actors.
#[derive(Clone)]
pub struct Jobs {
    pool: Option<Arc<ThreadPool>>,
}

impl Jobs {
    /// Work on the caller's thread alone.
    pub fn serial() -> Self {
        Self { pool: None }
    }

    /// Work on `threads` threads; 0 takes one a core, 1 is [`Self::serial`].
    ///
    /// # Errors
    /// [`WorldError::Invalid`] where the system gives no threads.
    pub fn on_threads(threads: usize) -> Result<Self, WorldError> {
        if threads == 1 {
            return Ok(Self::serial());
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("sinew-job-{index}"))
            .build()
            .map_err(|error| WorldError::Invalid(format!("cannot start threads: {error}")))?;
        Ok(Self {
            pool: Some(Arc::new(pool)),
        })
    }

    /// Runs `job` on every actor; an actor is touched by one thread at a time and jobs see no other actor.
    pub(crate) fn for_each(
        &self,
        actors: &mut Actors,
        job: impl Fn(&mut Actor, &mut Scratch) + Sync,
    ) {
        match &self.pool {
            None => SCRATCH.with_borrow_mut(|scratch| {
                actors.iter_mut().for_each(|actor| job(actor, scratch));
            }),
            Some(pool) => pool.install(|| {
                actors.par_iter_mut().for_each(|actor| {
                    if let Some(actor) = actor {
                        SCRATCH.with_borrow_mut(|scratch| job(actor, scratch));
                    }
                });
            }),
        }
    }
}
