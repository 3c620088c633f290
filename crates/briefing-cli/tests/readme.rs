//! The README's console blocks do what they say, one after the other in one folder. `TRYCMD=overwrite` rewrites them.

#![allow(missing_docs, reason = "a test")]

use std::path::Path;

#[test]
fn the_readme_is_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace's root");
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy(&root.join("examples"), &folder.path().join("examples")).expect("the examples");
    std::env::set_current_dir(folder.path()).expect("the temporary folder");
    trycmd::TestCases::new().case(root.join("README.md")).run();
    std::env::set_current_dir(&root).expect("the workspace's root");
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.is_dir() {
        std::fs::create_dir(to)?;
        return std::fs::read_dir(from)?.try_for_each(|entry| {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))
        });
    }
    std::fs::copy(from, to).map(|_| ())
}
