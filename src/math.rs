//! The only two functions of the C library's `libm` that the program links: SQLite ranks the results of a search by
//! words with `log`, and tokio tunes its scheduler with `pow`. Neither runs in a hook, but each start of the program
//! would load the library, which takes 0.08 ms.
#![allow(unsafe_code, reason = "the linker finds these functions by their names")]

// SAFETY: the function has the signature and the meaning of the one that it replaces.
#[unsafe(no_mangle)]
extern "C" fn log(value: f64) -> f64 {
    libm::log(value)
}

// SAFETY: the function has the signature and the meaning of the one that it replaces.
#[unsafe(no_mangle)]
extern "C" fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}
