//! The second stage, the first process of its namespace: builds the file system, runs the program as the user, and
//! ends every process when the program or the first stage ends.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::mem::{self, MaybeUninit};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::ptr;

use rustix::fs::{Mode, OFlags, open};
use rustix::mount::{MountFlags, mount_remount};
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketType, recv, recvmsg, sendmsg, sendto, socket,
};
use rustix::process::{Pid, WaitOptions, wait};
use rustix::thread::{UnshareFlags, set_no_new_privs, unshare_unsafe};

use super::call_filter::CallFilter;
use super::mounts::{self, PROCESSES, ProcessView, c_text};
use super::rights::drop_rights;
use super::spec::{IsolationSpec, PREPARATION_FAILED, SERVER_PORT, with_action};

/// The exit status if the first stage has ended.
const ABANDONED: i32 = 130;

pub(super) fn run(args: impl Iterator<Item = OsString>) -> u8 {
    match start(&args.collect::<Vec<_>>()) {
        Ok(status) => status,
        Err(why) => {
            eprintln!("hookbench isolate: {why}");
            PREPARATION_FAILED
        }
    }
}

fn start(args: &[OsString]) -> io::Result<u8> {
    let [user, group, file, dashes, program, rest @ ..] = args else {
        return Err(io::Error::other("arguments are missing"));
    };
    if dashes != "--" {
        return Err(io::Error::other("-- is missing"));
    }
    let spec = IsolationSpec::read(Path::new(file)).map_err(with_action("read the specification"))?;
    // Nothing is ever written to it: it ends with the first stage. The end of this process ends all others.
    std::thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        std::process::exit(ABANDONED);
    });
    mounts::separate()?;
    let discarded = mounts::enter(&spec, ProcessView::Own)?;
    let scope = WriteScope::of(&spec.writable(&discarded)).map_err(with_action("limit what can be written"))?;
    std::env::set_current_dir(&spec.directory).map_err(with_action("enter the working directory"))?;
    let mut command = Command::new(program);
    command.args(rest).stdin(if spec.stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
    become_user(&mut command, &user.to_string_lossy(), &group.to_string_lossy(), scope)?;
    let mut child = command
        .spawn()
        .map_err(|why| io::Error::new(why.kind(), format!("cannot start {}: {why}", program.to_string_lossy())))?;
    if let Some(mut pipe) = child.stdin.take() {
        // The program may end without reading it.
        std::thread::spawn(move || drop(pipe.write_all(spec.stdin.as_bytes())));
    }
    let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    loop {
        // Orphans of the namespace are children of this process, and are reaped like it.
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if Some(pid) == leader => {
                let code = status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal));
                return Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(PREPARATION_FAILED));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(why) => return Err(why.into()),
        }
    }
}

/// Gives the program the user's own name and no right in the namespaces, so that it cannot undo what they forbid.
#[allow(unsafe_code, reason = "the only way to act between fork and exec; the closure only makes system calls")]
fn become_user(command: &mut Command, user: &str, group: &str, scope: Option<WriteScope>) -> io::Result<()> {
    let mut filter = CallFilter::of_this_system();
    let write = |path: &str, text: &str| Ok::<_, io::Error>((c_text(path)?, text.to_owned()));
    let maps = [
        write("/proc/self/setgroups", "deny")?,
        write("/proc/self/uid_map", &format!("{user} 0 1"))?,
        write("/proc/self/gid_map", &format!("{group} 0 1"))?,
    ];
    let read_only = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    // SAFETY: the calls are async-signal-safe, the closure neither allocates nor locks, and its process has one thread.
    unsafe {
        command.pre_exec(move || {
            unshare_unsafe(UnshareFlags::NEWUSER)?;
            for (path, text) in &maps {
                let file = open(path.as_c_str(), OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
                rustix::io::write(&file, text.as_bytes())?;
            }
            unshare_unsafe(UnshareFlags::NEWNS)?;
            mount_remount(PROCESSES, read_only, c"")?;
            drop_rights();
            set_no_new_privs(true)?;
            filter.as_mut().map_or(Ok(()), CallFilter::install)?;
            scope.as_ref().map_or(Ok(()), WriteScope::enter)
        });
    }
    Ok(())
}

/// The flag that asks for the version of Landlock.
const ASK_VERSION: u32 = 1;
/// The first version in which files can be moved from one directory to another.
const FIRST_VERSION: i64 = 2;
const WRITE_FILE: u64 = 1 << 1;
/// Files are moved to other directories, which every domain refuses otherwise.
const MOVE_FILE: u64 = 1 << 13;
/// A rule for everything below a directory.
const BELOW: u32 = 1;
/// The directory of devices is the program's own.
const DEVICES: &str = "/dev";

/// The rights that a domain limits, as the system reads them.
#[repr(C)]
struct DomainRights {
    files: u64,
}

/// The rights below a directory, as the system reads them.
#[repr(C, packed)]
struct DirectoryRights {
    rights: u64,
    directory: i32,
}

/// A domain that is ready to be entered.
pub(super) struct WriteScope(OwnedFd);

impl WriteScope {
    /// A domain in which files of these directories can be written, as this process sees them. `None` if this system has
    /// none.
    #[allow(unsafe_code, reason = "no library has this call")]
    pub(super) fn of<P: AsRef<Path>>(writable: &[P]) -> io::Result<Option<WriteScope>> {
        if !can_limit_writes() {
            return Ok(None);
        }
        let rights = DomainRights { files: WRITE_FILE | MOVE_FILE };
        let size = mem::size_of::<DomainRights>();
        // SAFETY: the rights have the given size, and are only read.
        let file = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const rights, size, 0) };
        let file = i32::try_from(file).ok().filter(|file| *file >= 0).ok_or_else(io::Error::last_os_error)?;
        // SAFETY: the call has just opened the file, and nothing else knows its number.
        let scope = WriteScope(unsafe { OwnedFd::from_raw_fd(file) });
        scope.add(Path::new("/"), MOVE_FILE)?;
        scope.add(Path::new(DEVICES), WRITE_FILE)?;
        for directory in writable {
            scope.add(directory.as_ref(), WRITE_FILE)?;
        }
        Ok(Some(scope))
    }

    #[allow(unsafe_code, reason = "no library has this call")]
    fn add(&self, directory: &Path, rights: u64) -> io::Result<()> {
        let directory = open(directory, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        let rule = DirectoryRights { rights, directory: directory.as_raw_fd() };
        // SAFETY: the rule is of the kind that the number says, and only read.
        let added =
            unsafe { libc::syscall(libc::SYS_landlock_add_rule, self.0.as_raw_fd(), BELOW, &raw const rule, 0) };
        if added == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Restricts this process and its children. It must have given up the right to gain privileges. May be called between
    /// fork and exec.
    #[allow(unsafe_code, reason = "no library has this call")]
    pub(super) fn enter(&self) -> io::Result<()> {
        // SAFETY: the call only reads the number of the file.
        match unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.0.as_raw_fd(), 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Whether this system can limit writes.
#[allow(unsafe_code, reason = "no library has this call")]
pub(super) fn can_limit_writes() -> bool {
    let nothing = ptr::null::<DomainRights>();
    // SAFETY: with this flag, the call only returns a number.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, ASK_VERSION) };
    version >= FIRST_VERSION
}

/// The message that changes an interface.
const NEW_LINK: u16 = 16;
/// A request that is acknowledged.
const REQUEST_WITH_ACK: u16 = 5;
/// The kind of an acknowledgement and of an error.
const ERROR: u16 = 2;
/// The flag of an interface that is up.
const UP: u32 = 1;

/// Brings up the loopback interface, which has the index 1 in a new network.
pub(super) fn bring_up() -> io::Result<()> {
    // Protocol 0 of this family is that of routes and interfaces.
    let connection = socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    let mut message = Vec::with_capacity(32);
    // The header: length, kind, flags, number, sender.
    message.extend(32_u32.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_WITH_ACK.to_ne_bytes());
    message.extend(1_u32.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    // The interface: family, padding and type, index, flags, the flags to change.
    message.extend([0; 4]);
    message.extend(1_i32.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    sendto(&connection, &message, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut reply = [0_u8; 256];
    let (length, _) = recv(&connection, reply.as_mut_slice(), RecvFlags::empty())?;
    let reply = reply.get(..length).unwrap_or_default();
    let kind = reply.get(4..6).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    let error = reply.get(16..20).and_then(|bytes| bytes.try_into().ok()).map(i32::from_ne_bytes);
    match (kind, error) {
        (Some(ERROR), Some(0)) => Ok(()),
        (Some(ERROR), Some(error)) => Err(io::Error::from_raw_os_error(-error)),
        _ => Err(io::Error::other("the system did not acknowledge it")),
    }
}

/// Opens the listening socket of the server, and sends it through a Unix socket.
pub(super) fn offer_listener(link: &Path) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, SERVER_PORT))?;
    let stream = UnixStream::connect(link)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let sockets = [listener.as_fd()];
    control.push(SendAncillaryMessage::ScmRights(&sockets));
    sendmsg(&stream, &[IoSlice::new(b"l")], &mut control, SendFlags::empty())?;
    Ok(())
}

/// The listening sockets that isolated programs will offer, one for each start.
#[derive(Debug)]
pub struct ArrivingListeners(tokio::net::UnixListener);

impl ArrivingListeners {
    /// Waits at the Unix socket that the specification names. Must be called in a tokio runtime with I/O.
    pub fn at(link: &Path) -> io::Result<ArrivingListeners> {
        Ok(ArrivingListeners(tokio::net::UnixListener::bind(link)?))
    }

    /// The next listening socket.
    ///
    /// # Errors
    /// Returns an error if the other side sends none.
    pub async fn next(&self) -> io::Result<TcpListener> {
        let (stream, _) = self.0.accept().await?;
        let received = tokio::task::spawn_blocking(move || {
            let stream = stream.into_std()?;
            stream.set_nonblocking(false)?;
            receive_listener(&stream)
        });
        received.await.map_err(io::Error::other)?
    }
}

/// Receives the listening socket.
fn receive_listener(stream: &UnixStream) -> io::Result<TcpListener> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(stream, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut sockets = control.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(sockets) => sockets.collect::<Vec<OwnedFd>>(),
        _ => Vec::new(),
    });
    sockets.next().map(TcpListener::from).ok_or_else(|| io::Error::other("no socket arrived"))
}
