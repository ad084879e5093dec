//! Prepares a process in which code runs before the runtime of the standard library has started.

/// Does what the runtime does at its start, and what the code of a hook needs: a write to a closed pipe is an error and
/// not the end of the process, and no file that is opened later is taken for stdin, stdout or stderr.
#[allow(unsafe_code, reason = "no library has these calls")]
pub fn prepare() {
    // SAFETY: the calls change no memory, and no other thread exists.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        for descriptor in 0..3 {
            if libc::fcntl(descriptor, libc::F_GETFD) == -1 {
                // The lowest free descriptor is this one.
                libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            }
        }
    }
}
