//! The README's console blocks do what they say. `TRYCMD=overwrite` rewrites them.

#![allow(missing_docs, reason = "a test")]

#[test]
fn the_readme_is_true() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(&root).expect("the workspace's root");
    trycmd::TestCases::new().case("README.md").run();
}
