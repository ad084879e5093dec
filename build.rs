//! How the program is linked.
#![allow(clippy::disallowed_methods, reason = "a build script is told by variables")]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A program whose addresses are settled by the linker needs no relocation when it starts. Of `hookbench forward`,
    // which an agent starts for every one of its events, relocation is a third of the time.
    let target = |name: &str| std::env::var(name).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") == "linux" && target("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
