//! Linker settings of the program.
#![allow(clippy::disallowed_methods, reason = "a build script is told by variables")]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A non-PIE executable needs no relocation when it starts. Relocation takes a third of the run time of
    // `hookbench forward`, which an agent starts for every event.
    let target = |name: &str| std::env::var(name).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") == "linux" && target("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
