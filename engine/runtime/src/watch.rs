//! Watches the folders of a project and hands out files that changed, whole.
//!
//! Directories are watched, never files: a watched file goes silent for ever after one atomic rename. Every two
//! seconds all files are compared with what is known of them, so that a lost event costs time and nothing else; where
//! watching is not possible that comparison alone does the work, more often. One thread, which ends with the watcher.

use std::{
    collections::BTreeMap,
    fs,
    hash::{DefaultHasher, Hasher},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant, SystemTime},
};

use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode, CreateKind, MetadataKind, ModifyKind},
};

use crate::{
    clock,
    read::read_inside,
    settle::{Change, Settle},
};

/// Between comparisons where watching works.
const SAFETY_NET: Duration = Duration::from_secs(2);
/// New folders that appear within this time are looked into together.
const RELIST: Duration = Duration::from_millis(20);
/// Between comparisons where it does not.
const POLLING: Duration = Duration::from_millis(500);
/// Events that may wait for the thread; when there are more, it lists the folders instead.
const QUEUE: usize = 4096;
/// File times are this coarse on some systems: a file this young may change without its time or size changing.
const COARSEST_TIME: Duration = Duration::from_secs(2);

/// Endings of the files that a level may use; others are not read.
const KINDS: &[&str] = &[
    "lua", "luau", "rhai", "json", "toml", "glb", "gltf", "bin", "png", "jpg", "jpeg", "webp",
];

/// A running watch. Dropping it ends its thread.
#[derive(Debug)]
pub struct Watcher {
    shared: Arc<Shared>,
    messages: SyncSender<Message>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Something is in `ready` or `remarks`.
    news: AtomicBool,
    /// Events were lost.
    relist: AtomicBool,
    ready: Mutex<News>,
}

/// What a watcher has to tell.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Files that changed, by full path.
    pub changes: BTreeMap<PathBuf, Change>,
    /// What people should know about the watching itself.
    pub remarks: Vec<String>,
}

enum Message {
    Touched(PathBuf),
    Relist,
    Stop,
}

impl Watcher {
    /// Watches folders and everything in them. A change after this call is told; the content that files have now is
    /// the one that later content is compared with.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn new(folders: Vec<PathBuf>) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (messages, inbox) = sync_channel(QUEUE);
        let mut eye = Eye {
            source: source(&shared, &messages),
            folders: folders.into_iter().map(|folder| (folder, false)).collect(),
            shared: shared.clone(),
            known: BTreeMap::new(),
            settle: Settle::default(),
            polling: false,
        };
        eye.watch_folders();
        eye.known = eye
            .list()
            .into_keys()
            .filter_map(|path| eye.read(&path).ok().map(|bytes| (path, bytes)))
            .filter_map(|(path, bytes)| Known::read(&path, &bytes).map(|known| (path, known)))
            .collect();
        let thread = std::thread::Builder::new()
            .name("sinew-watch".to_owned())
            .spawn(move || eye.run(&inbox))?;
        Ok(Self {
            shared,
            messages,
            thread: Some(thread),
        })
    }

    /// What changed since the last call. Costs nothing while nothing did.
    pub fn take(&self) -> Option<News> {
        if !self.shared.news.swap(false, Ordering::Acquire) {
            return None;
        }
        let mut ready = self
            .shared
            .ready
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Some(std::mem::take(&mut *ready))
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // The thread empties its queue, so this waits at most for one reading.
        if self.messages.send(Message::Stop).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

/// What the thread owns.
struct Eye {
    source: Result<RecommendedWatcher, notify::Error>,
    /// With whether each is being watched.
    folders: Vec<(PathBuf, bool)>,
    shared: Arc<Shared>,
    known: BTreeMap<PathBuf, Known>,
    settle: Settle,
    polling: bool,
}

/// A file as it was last read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    stat: Stat,
    hash: u64,
    gone: bool,
    /// So young when read that its time may hide a later change.
    young: bool,
}

type Stat = (u64, Option<SystemTime>);

impl Eye {
    fn run(mut self, inbox: &Receiver<Message>) {
        let mut next_list = clock::now() + SAFETY_NET;
        loop {
            let due = self
                .settle
                .next_due()
                .map_or(next_list, |due| due.min(next_list));
            match inbox.recv_timeout(due.saturating_duration_since(clock::now())) {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Message::Touched(path)) => self.touch(path, clock::now()),
                // A flood of new folders is listed together.
                Ok(Message::Relist) => next_list = next_list.min(clock::now() + RELIST),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.shared.relist.swap(false, Ordering::Relaxed) {
                next_list = clock::now();
            }
            if clock::now() >= next_list {
                self.compare();
                next_list = clock::now() + if self.polling { POLLING } else { SAFETY_NET };
            }
            self.hand_out();
        }
    }

    /// Starts watching what is there and not yet watched.
    fn watch_folders(&mut self) {
        let mut failed = None;
        for (folder, watched) in &mut self.folders {
            if *watched && !folder.is_dir() {
                *watched = false;
            }
            if *watched || !folder.is_dir() {
                continue;
            }
            match &mut self.source {
                Ok(source) => match source.watch(folder, RecursiveMode::Recursive) {
                    Ok(()) => *watched = true,
                    Err(error) => failed = Some(error.to_string()),
                },
                Err(error) => failed = Some(error.to_string()),
            }
        }
        if let Some(reason) = failed
            && !self.polling
        {
            self.polling = true;
            let remark = format!(
                "folders cannot be watched ({reason}): looking for changed files twice a second instead"
            );
            self.tell(|news| news.remarks.push(remark));
        }
    }

    fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.folders.iter().map(|(folder, _)| folder.clone())
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_inside(&self.paths().collect::<Vec<_>>(), path)
    }

    fn touch(&mut self, path: PathBuf, now: Instant) {
        if is_of_interest(&path) {
            self.settle.touch(path, now);
        }
    }

    /// Every file of interest that is there.
    fn list(&self) -> BTreeMap<PathBuf, Stat> {
        let mut files = BTreeMap::new();
        let mut folders: Vec<PathBuf> = self.paths().collect();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && !is_hidden(&path) => folders.push(path),
                    Ok(kind) if !kind.is_dir() && is_of_interest(&path) => {
                        if let Some(stat) = stat(&path) {
                            files.insert(path, stat);
                        }
                    }
                    _ => {}
                }
            }
        }
        files
    }

    fn compare(&mut self) {
        self.watch_folders();
        let now = clock::now();
        let found = self.list();
        for (path, known) in &self.known {
            if !known.gone && !found.contains_key(path) {
                self.settle.touch(path.clone(), now);
            }
        }
        for (path, stat) in found {
            let same = |known: &Known| known.stat == stat && !known.gone && !known.young;
            if !self.known.get(&path).is_some_and(same) {
                self.settle.touch(path, now);
            }
        }
    }

    fn hand_out(&mut self) {
        let folders: Vec<PathBuf> = self.paths().collect();
        let read = |path: &Path| read_inside(&folders, path);
        let mut whole = self.settle.advance(clock::now(), &read);
        whole.retain(|path, change| self.learn(path, change));
        if !whole.is_empty() {
            self.tell(|news| news.changes.extend(whole));
        }
    }

    /// Notes what a file is now; false if that is what it was.
    fn learn(&mut self, path: &Path, change: &Change) -> bool {
        let before = self.known.get_mut(path);
        match change {
            Change::Written(bytes) => {
                let Some(after) = Known::read(path, bytes) else {
                    return false;
                };
                let news = before.is_none_or(|before| before.hash != after.hash || before.gone);
                self.known.insert(path.to_owned(), after);
                news
            }
            Change::Gone => before.is_some_and(|before| !std::mem::replace(&mut before.gone, true)),
            Change::Unreadable(_) => {
                let news = before.is_none_or(|before| !before.gone);
                let known = Known {
                    stat: stat(path).unwrap_or_default(),
                    hash: 0,
                    gone: false,
                    young: false,
                };
                let seen = self.known.insert(path.to_owned(), known.clone());
                news && seen != Some(known)
            }
        }
    }

    fn tell(&self, tell: impl FnOnce(&mut News)) {
        tell(
            &mut self
                .shared
                .ready
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        self.shared.news.store(true, Ordering::Release);
    }
}

impl Known {
    fn read(path: &Path, bytes: &[u8]) -> Option<Self> {
        let stat = stat(path)?;
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        let old = stat
            .1
            .is_some_and(|time| time + COARSEST_TIME < clock::wall());
        Some(Self {
            stat,
            hash: hasher.finish(),
            gone: false,
            young: !old,
        })
    }
}

fn stat(path: &Path) -> Option<Stat> {
    let data = fs::metadata(path).ok()?;
    data.is_file().then(|| (data.len(), data.modified().ok()))
}

fn source(
    shared: &Arc<Shared>,
    messages: &SyncSender<Message>,
) -> Result<RecommendedWatcher, notify::Error> {
    let (shared, messages) = (shared.clone(), messages.clone());
    notify::recommended_watcher(move |event: notify::Result<Event>| {
        let all_told = match event {
            Ok(event) if event.need_rescan() || is_folder_change(&event) => {
                send_touched(&messages, event.paths) && messages.try_send(Message::Relist).is_ok()
            }
            Ok(event) if is_write(&event.kind) => send_touched(&messages, event.paths),
            Ok(_) => true,
            Err(_) => false,
        };
        if !all_told {
            shared.relist.store(true, Ordering::Relaxed);
        }
    })
}

fn send_touched(messages: &SyncSender<Message>, paths: Vec<PathBuf>) -> bool {
    let mut paths = paths.into_iter().filter(|path| is_of_interest(path));
    paths.all(|path| messages.try_send(Message::Touched(path)).is_ok())
}

/// Reading a file, our own reading above all, is no change.
fn is_write(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(access) => *access == AccessKind::Close(AccessMode::Write),
        EventKind::Modify(ModifyKind::Metadata(data)) => !matches!(data, MetadataKind::AccessTime),
        _ => true,
    }
}

/// A folder that appears may hold files that were written before anybody watched it.
fn is_folder_change(event: &Event) -> bool {
    match event.kind {
        EventKind::Create(CreateKind::File) => false,
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)) => event
            .paths
            .iter()
            .any(|path| path.is_dir() || path.extension().is_none()),
        _ => false,
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_none_or(|name| name.to_string_lossy().starts_with('.'))
}

/// A file of a kind that levels use, and not a temporary one of an editor: those are hidden (`.hero.lua.swp`,
/// `.#hero.lua`), or end in something else (`hero.lua~`, `#hero.lua#`, `hero.lua.tmp`, `4913`).
fn is_of_interest(path: &Path) -> bool {
    let ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or("");
    let name = path
        .file_stem()
        .map(|stem| stem.to_string_lossy())
        .unwrap_or_default();
    KINDS.iter().any(|kind| kind.eq_ignore_ascii_case(ending))
        && !is_hidden(path)
        && !name.ends_with('~')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes within five seconds; the caller asks for what must come, so that waiting costs no time.
    fn wait_for(watcher: &Watcher, done: impl Fn(&News) -> bool) -> News {
        let mut all = News::default();
        let end = clock::now() + Duration::from_secs(5);
        while !done(&all) && clock::now() < end {
            if let Some(news) = watcher.take() {
                all.changes.extend(news.changes);
                all.remarks.extend(news.remarks);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        all
    }

    fn watched() -> (tempfile::TempDir, PathBuf, Watcher) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("hero.lua");
        fs::write(&file, "return 1").expect("a file");
        let watcher = Watcher::new(vec![folder.path().to_owned()]).expect("a thread");
        (folder, file, watcher)
    }

    #[test]
    fn temporary_names_of_editors_are_no_files() {
        for name in [
            ".hero.lua.swp",
            "hero.lua~",
            "#hero.lua#",
            ".#hero.lua",
            "4913",
            "hero.lua.tmp",
            "a.lua.bak",
            ".lua",
        ] {
            assert!(!is_of_interest(Path::new(name)), "{name}");
        }
        for name in [
            "hero.lua",
            "dir/walk.animgraph.json",
            "HERO.GLB",
            "level.toml",
        ] {
            assert!(is_of_interest(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn a_rename_over_a_file_is_seen_again_and_again() {
        let (folder, file, watcher) = watched();
        for round in 0..3 {
            let other = folder.path().join("hero.lua.tmp");
            let text = format!("return {}", round + 10);
            fs::write(&other, &text).expect("a file");
            fs::rename(&other, &file).expect("a rename");
            let news = wait_for(&watcher, |news| !news.changes.is_empty());
            assert_eq!(
                news.changes.into_iter().collect::<Vec<_>>(),
                [(file.clone(), Change::Written(text.into()))]
            );
        }
    }

    #[test]
    fn equal_content_is_no_change() {
        let (folder, file, watcher) = watched();
        fs::write(&file, "return 1").expect("a file");
        let other = folder.path().join("other.lua");
        std::thread::sleep(Duration::from_millis(60));
        fs::write(&other, "return 2").expect("a file");
        let news = wait_for(&watcher, |news| !news.changes.is_empty());
        assert_eq!(news.changes.into_keys().collect::<Vec<_>>(), [other]);
    }

    #[test]
    fn files_of_a_new_folder_are_found() {
        let (folder, _, watcher) = watched();
        let inner = folder.path().join("a/b/c");
        fs::create_dir_all(&inner).expect("folders");
        fs::write(inner.join("new.rhai"), "1").expect("a file");
        let news = wait_for(&watcher, |news| !news.changes.is_empty());
        assert!(news.changes.contains_key(&inner.join("new.rhai")));
        fs::write(inner.join("new.rhai"), "2").expect("a file");
        let news = wait_for(&watcher, |news| !news.changes.is_empty());
        assert_eq!(
            news.changes[&inner.join("new.rhai")],
            Change::Written(b"2".to_vec())
        );
    }

    #[test]
    fn a_deleted_file_is_told_once_and_its_return_too() {
        let (_folder, file, watcher) = watched();
        fs::remove_file(&file).expect("it was there");
        let news = wait_for(&watcher, |news| !news.changes.is_empty());
        assert_eq!(news.changes[&file], Change::Gone);
        fs::write(&file, "return 1").expect("a file");
        let news = wait_for(&watcher, |news| !news.changes.is_empty());
        assert_eq!(news.changes[&file], Change::Written(b"return 1".to_vec()));
    }

    #[test]
    fn without_events_the_comparison_finds_the_change() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("hero.lua");
        fs::write(&file, "return 1").expect("a file");
        let mut eye = Eye {
            source: Err(notify::Error::generic("no watching here")),
            folders: vec![(folder.path().to_owned(), false)],
            shared: Arc::default(),
            known: BTreeMap::new(),
            settle: Settle::default(),
            polling: false,
        };
        eye.watch_folders();
        eye.watch_folders();
        eye.known.insert(
            file.clone(),
            Known::read(&file, b"return 1").expect("it is there"),
        );
        fs::write(&file, "return 2").expect("a file");
        eye.compare();
        while eye.settle.next_due().is_some() {
            eye.hand_out();
        }
        let news = std::mem::take(&mut *eye.shared.ready.lock().expect("one thread"));
        assert_eq!(news.changes[&file], Change::Written(b"return 2".to_vec()));
        assert_eq!(news.remarks.len(), 1, "said once: {:?}", news.remarks);
    }

    #[test]
    fn the_thread_ends_with_the_watcher() {
        let (_folder, _file, watcher) = watched();
        let shared = Arc::downgrade(&watcher.shared);
        drop(watcher);
        // The system's own watching thread notices a little later.
        let end = clock::now() + Duration::from_secs(5);
        while shared.strong_count() > 0 && clock::now() < end {
            std::thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(shared.strong_count(), 0, "nothing holds on to it");
    }
}
