//! The files of the project, read once.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(crate) struct File {
    /// From the root, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Tests by their place: the folder `tests` at any depth, `benches`, and files `tests.rs`.
    pub(crate) fn is_test(&self) -> bool {
        self.path
            .split('/')
            .any(|part| matches!(part, "tests" | "tests.rs" | "benches"))
    }

    /// Tests, and the conformance suites that are shipped with a trait: they may panic.
    pub(crate) fn may_panic(&self) -> bool {
        let suite = |part| matches!(part, "conformance" | "conformance.rs");
        self.is_test() || self.path.split('/').any(suite)
    }
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Folders whose content is made and not written.
const MADE: [&str; 3] = ["target", "node_modules", ".git"];

/// Every text file of the tree.
pub(crate) fn files() -> &'static [File] {
    static FILES: OnceLock<Vec<File>> = OnceLock::new();
    FILES.get_or_init(|| {
        let mut paths = Vec::new();
        walk(root(), &mut paths);
        paths.sort();
        let read = |path: PathBuf| {
            // What is not text (an image in the documentation) has no rules here.
            let text = String::from_utf8(std::fs::read(&path).ok()?).ok()?;
            let path = path.strip_prefix(root()).ok()?.to_str()?.replace('\\', "/");
            Some(File { path, text })
        };
        paths.into_iter().filter_map(read).collect()
    })
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    let failed = |error: std::io::Error| -> ! { panic!("{}: {error}", folder.display()) };
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| failed(error));
    for entry in entries {
        let entry = entry.unwrap_or_else(|error| failed(error));
        let kind = entry.file_type().unwrap_or_else(|error| failed(error));
        let name = entry.file_name();
        if kind.is_dir() {
            if !MADE.iter().any(|made| name == *made) {
                walk(&entry.path(), paths);
            }
        } else if kind.is_file() && name != ".git" {
            paths.push(entry.path());
        }
    }
}

#[test]
fn the_walk_sees_the_tree() {
    let files = files();
    assert!(files.len() >= 100, "{} files", files.len());
    for path in [
        "Cargo.toml",
        "gateway/types/src/lib.rs",
        "gateway/app/main.rs",
        ".gitignore",
    ] {
        assert!(files.iter().any(|file| file.path == path), "{path}");
    }
    assert!(!files.iter().any(|file| file.path.starts_with("target/")));
}

#[test]
fn test_code_is_told_by_its_place() {
    for (path, test) in [
        ("ledger/src/keys.rs", false),
        ("ledger/src/keys/tests.rs", true),
        ("ledger/src/keys/tests/scan.rs", true),
        ("tests/e2e/main.rs", true),
        ("ledger/src/store/conformance/commits.rs", false),
        ("gateway/agent/src/contests.rs", false),
    ] {
        assert_eq!(File::new(path, "").is_test(), test, "{path}");
    }
    assert!(File::new("ledger/src/store/conformance/commits.rs", "").may_panic());
    assert!(!File::new("ledger/src/store/conform.rs", "").may_panic());
}
