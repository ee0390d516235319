//! When a file that is being written is whole. Pure: time and reading are handed in.
//!
//! A path is ready after 40 ms without an event, read at 20 and at 40 ms, both the same. An empty file counts as
//! unfinished for a second, since saving often truncates first; a missing one for a third of a second, since saving
//! often renames. Files that change together are handed out together.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

const FIRST_READ: Duration = Duration::from_millis(20);
const SECOND_READ: Duration = Duration::from_millis(40);
const EMPTY: Duration = Duration::from_secs(1);
const MISSING: Duration = Duration::from_millis(300);
/// The longest that a whole file waits for others that are still being written.
const TOGETHER: Duration = Duration::from_millis(250);

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It has this content now.
    Written(Vec<u8>),
    /// It is not there any more.
    Gone,
    /// It is there and cannot be read, for the reason in the system's words.
    Unreadable(String),
}

/// Paths on their way from the first event to a whole file.
#[derive(Debug, Default)]
pub(crate) struct Settle {
    pending: BTreeMap<PathBuf, Pending>,
    ready: BTreeMap<PathBuf, Change>,
    first_ready: Option<Instant>,
}

#[derive(Debug)]
struct Pending {
    touched: Instant,
    due: Instant,
    first: Option<Change>,
}

impl Settle {
    /// Notes an event of a path.
    pub fn touch(&mut self, path: PathBuf, now: Instant) {
        let pending = Pending {
            touched: now,
            due: now + FIRST_READ,
            first: None,
        };
        self.ready.remove(&path);
        self.pending.insert(path, pending);
    }

    /// When [`Self::advance`] has something to do next.
    pub fn next_due(&self) -> Option<Instant> {
        let pending = self.pending.values().map(|pending| pending.due);
        pending
            .chain(self.first_ready.map(|first| first + TOGETHER))
            .min()
    }

    /// Reads what is due and gives what is whole.
    pub fn advance(
        &mut self,
        now: Instant,
        read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
    ) -> BTreeMap<PathBuf, Change> {
        self.pending.retain(|path, pending| {
            if now < pending.due {
                return true;
            }
            let Some(change) = pending.look(now, found(read(path))) else {
                return true;
            };
            self.ready.insert(path.clone(), change);
            self.first_ready.get_or_insert(now);
            false
        });
        if self
            .pending
            .values()
            .any(|pending| pending.is_being_written(now))
            && !self.waited_enough(now)
        {
            return BTreeMap::new();
        }
        self.first_ready = None;
        std::mem::take(&mut self.ready)
    }

    fn waited_enough(&self, now: Instant) -> bool {
        self.first_ready
            .is_some_and(|first| now >= first + TOGETHER)
    }
}

impl Pending {
    fn look(&mut self, now: Instant, found: Change) -> Option<Change> {
        let patience = match &found {
            Change::Written(bytes) if !bytes.is_empty() => SECOND_READ,
            Change::Written(_) => EMPTY,
            Change::Gone | Change::Unreadable(_) => MISSING,
        };
        match self.first.take() {
            Some(first) if first == found => {
                if now >= self.touched + patience {
                    return Some(found);
                }
                self.due = self.touched + patience;
            }
            Some(_) => {
                // Written without an event since the first read: as if touched now.
                self.touched = now;
                self.due = now + FIRST_READ;
            }
            None => self.due = (self.touched + SECOND_READ).max(now + SECOND_READ - FIRST_READ),
        }
        self.first = Some(found);
        None
    }

    /// Someone is at it right now, rather than having left it empty or deleted it.
    fn is_being_written(&self, now: Instant) -> bool {
        now < self.touched + SECOND_READ
            || matches!(&self.first, Some(Change::Written(bytes)) if !bytes.is_empty())
    }
}

fn found(read: io::Result<Vec<u8>>) -> Change {
    match read {
        Ok(bytes) => Change::Written(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Change::Gone,
        Err(error) => Change::Unreadable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::clock::now;

    /// A disk of one moment after the other, and what was handed out when.
    struct Disk {
        start: Instant,
        files: RefCell<BTreeMap<PathBuf, Vec<u8>>>,
        settle: Settle,
        handed: Vec<(u64, PathBuf, Change)>,
        at: u64,
    }

    impl Disk {
        fn new() -> Self {
            Self {
                start: now(),
                files: RefCell::default(),
                settle: Settle::default(),
                handed: Vec::new(),
                at: 0,
            }
        }

        fn write(&mut self, path: &str, content: &str) {
            self.files.borrow_mut().insert(path.into(), content.into());
            self.settle.touch(path.into(), self.now());
        }

        fn remove(&mut self, path: &str) {
            self.files.borrow_mut().remove(Path::new(path));
            self.settle.touch(path.into(), self.now());
        }

        fn now(&self) -> Instant {
            self.start + Duration::from_millis(self.at)
        }

        /// Runs on, looking whenever the settling asks for it.
        fn pass(&mut self, until: u64) {
            while let Some(due) = self.settle.next_due() {
                let due = (due - self.start).as_millis() as u64;
                if due > until {
                    break;
                }
                self.at = self.at.max(due);
                let (at, now) = (self.at, self.now());
                let files = self.files.borrow();
                let read = |path: &Path| {
                    files
                        .get(path)
                        .cloned()
                        .ok_or(io::ErrorKind::NotFound.into())
                };
                let whole = self.settle.advance(now, &read);
                self.handed
                    .extend(whole.into_iter().map(|(path, change)| (at, path, change)));
            }
            self.at = until;
        }

        fn texts(&self) -> Vec<(u64, String)> {
            let text = |change: &Change| match change {
                Change::Written(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                other => format!("{other:?}"),
            };
            let handed = self.handed.iter();
            handed
                .map(|(at, path, change)| (*at, format!("{}={}", path.display(), text(change))))
                .collect()
        }
    }

    #[test]
    fn a_plain_write_is_ready_after_forty_milliseconds() {
        let mut disk = Disk::new();
        disk.write("a", "one");
        disk.pass(3000);
        assert_eq!(disk.texts(), [(40, "a=one".to_owned())]);
    }

    #[test]
    fn every_event_starts_the_wait_anew_and_only_the_last_content_counts() {
        let mut disk = Disk::new();
        for (at, content) in [(0, "o"), (15, "on"), (50, "one")] {
            disk.pass(at);
            disk.write("a", content);
        }
        disk.pass(3000);
        assert_eq!(disk.texts(), [(90, "a=one".to_owned())]);
    }

    #[test]
    fn a_truncated_file_waits_for_its_content() {
        let mut disk = Disk::new();
        disk.write("a", "");
        disk.pass(600);
        assert!(disk.handed.is_empty());
        disk.write("a", "late");
        disk.pass(3000);
        assert_eq!(disk.texts(), [(640, "a=late".to_owned())]);
    }

    #[test]
    fn a_file_that_stays_empty_is_empty_after_a_second() {
        let mut disk = Disk::new();
        disk.write("a", "");
        disk.pass(3000);
        assert_eq!(disk.texts(), [(1000, "a=".to_owned())]);
    }

    #[test]
    fn content_that_changes_without_an_event_is_read_again() {
        let mut disk = Disk::new();
        disk.write("a", "half");
        disk.pass(30);
        disk.files
            .borrow_mut()
            .insert("a".into(), b"whole".to_vec());
        disk.pass(3000);
        let texts = disk.texts();
        assert_eq!(texts.len(), 1);
        assert_eq!(texts[0].1, "a=whole");
        assert!(texts[0].0 >= 80, "{texts:?}");
    }

    #[test]
    fn a_rename_over_the_file_is_one_change_and_a_deletion_is_told_late() {
        let mut disk = Disk::new();
        disk.write("a", "one");
        disk.pass(500);
        disk.remove("a");
        disk.pass(510);
        disk.write("a", "two");
        disk.pass(1000);
        disk.remove("a");
        disk.pass(3000);
        let texts = disk.texts();
        assert_eq!(texts[1].1, "a=two");
        assert_eq!(texts[2], (1300, "a=Gone".to_owned()));
        assert_eq!(texts.len(), 3);
    }

    #[test]
    fn files_saved_together_are_handed_out_together() {
        let mut disk = Disk::new();
        disk.write("a", "one");
        disk.pass(35);
        disk.write("b", "two");
        disk.pass(3000);
        assert_eq!(
            disk.texts(),
            [(75, "a=one".to_owned()), (75, "b=two".to_owned())]
        );
    }

    #[test]
    fn a_file_without_rest_does_not_hold_others_back_for_ever() {
        let mut disk = Disk::new();
        disk.write("a", "one");
        for at in (0..1000).step_by(10) {
            disk.pass(at);
            disk.write("b", &format!("{at}"));
        }
        let first = disk.texts()[0].clone();
        assert_eq!(first.1, "a=one");
        assert!(first.0 <= 300, "{first:?}");
    }
}
