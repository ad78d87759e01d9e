//! Names the target that this is built for: libraries of installed plugins name theirs.

#![expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts through the environment")]

fn main() -> Result<(), std::env::VarError> {
    println!("cargo:rustc-env=RYE_TARGET={}", std::env::var("TARGET")?);
    println!("cargo:rerun-if-changed=build.rs");
    Ok(())
}
