//! The file system of an isolated program: that of the machine, read-only, with some places replaced.

use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};
use rustix::process::{chdir, pivot_root};

use super::spec::with_action;
use super::spec::{Bind, IsolationSpec};

/// The directory of devices is built anew: they can be written to on a read-only file system.
const DEVICE_DIRECTORY: &str = "dev";
const PROCESS_DIRECTORY: &str = "proc";
/// The size of changes that are kept in memory, in bytes.
const MOST_DISCARDED: u64 = 256 << 20;
/// The devices that programs expect.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

/// The processes that the program sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessView {
    /// Those of the new namespace; the caller makes their directory read-only.
    Own,
    /// Those of the new namespace, or those of the machine where a part of their directory is hidden. Read-only.
    OwnIfPossible,
}

/// Separates the file system of this process from that of the machine.
pub(super) fn separate() -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(|why| with_action("separate the file system")(why.into()))
}

/// Builds the separated file system of this process. Returns the directories whose changes are discarded.
pub(super) fn enter(spec: &IsolationSpec, processes: ProcessView) -> io::Result<Vec<PathBuf>> {
    let Some(root) = &spec.root else {
        return spec.binds.iter().try_for_each(|bind| show(Path::new("/"), bind)).map(|()| Vec::new());
    };
    let rest = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", root, "tmpfs", rest, Some(c"mode=755"))
        .map_err(|why| with_action("create a file system in memory")(why.into()))?;
    copy_machine(root)?;
    if processes == ProcessView::OwnIfPossible && show_processes(root).is_err() {
        mount_bind_recursive(Path::new("/").join(PROCESS_DIRECTORY), root.join(PROCESS_DIRECTORY))?;
    }
    make_read_only(root)?;
    build_devices(&root.join("dev")).map_err(with_action("create the devices"))?;
    if processes == ProcessView::Own {
        show_processes(root).map_err(with_action("show the processes"))?;
    }
    // Without this kind of file system a directory stays read-only.
    let is_discarded = |directory: &&PathBuf| discard_writes(root, directory).is_ok();
    let discarded: Vec<PathBuf> = spec.discarded.iter().filter(is_discarded).cloned().collect();
    let is_writable = |directory: &&PathBuf| discarded.iter().any(|common| directory.starts_with(common));
    spec.read_only.iter().filter(is_writable).try_for_each(|directory| show_read_only(root, directory))?;
    spec.binds.iter().try_for_each(|bind| show(root, bind))?;
    chdir(root)?;
    pivot_root(".", ".").map_err(|why| with_action("change the root directory")(why.into()))?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir("/")?;
    mount_remount("/", MountFlags::BIND | MountFlags::RDONLY | rest, c"")?;
    Ok(discarded)
}

/// Shows the processes of the namespace of this process.
fn show_processes(root: &Path) -> io::Result<()> {
    let target = root.join(PROCESS_DIRECTORY);
    fs::create_dir_all(&target)?;
    Ok(mount("proc", target, "proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None)?)
}

/// Whether a part of the processes' directory is hidden, as in a container. The kernel then shows no other one. Places that are
/// empty hide nothing.
pub(super) fn hides_processes() -> bool {
    const EMPTY: [&str; 2] = ["/proc/sys/fs/binfmt_misc", "/proc/fs/nfsd"];
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let places = table.lines().filter_map(|line| line.split(' ').nth(4));
    places.filter(|place| !EMPTY.contains(place)).any(|place| place.starts_with("/proc/"))
}

/// Shows the directories of the machine.
fn copy_machine(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir("/")?.flatten() {
        let (kind, name) = (entry.file_type()?, entry.file_name());
        let target = root.join(&name);
        if kind.is_symlink() {
            symlink(fs::read_link(entry.path())?, target)?;
        } else if kind.is_dir() {
            fs::create_dir(&target)?;
            if name != DEVICE_DIRECTORY && name != PROCESS_DIRECTORY {
                // A directory that cannot be shown stays empty.
                let _ = mount_bind_recursive(entry.path(), &target);
            }
        }
    }
    Ok(())
}

/// Makes every file system below the new root read-only.
fn make_read_only(root: &Path) -> io::Result<()> {
    let table = fs::read_to_string("/proc/self/mountinfo")?;
    let below = |line: &str| {
        let mut fields = line.split(' ').skip(4);
        let (place, options) = (unescape(fields.next()?), fields.next()?);
        (place.starts_with(root) && place != root).then(|| (place, flags(options)))
    };
    for (place, flags) in table.lines().filter_map(below) {
        if mount_remount(&place, flags | MountFlags::BIND | MountFlags::RDONLY, c"").is_err() {
            // A file system under another one cannot be reached, neither by this call nor by the program.
            let _ = unmount(&place, UnmountFlags::DETACH);
        }
    }
    let writable = |line: &str| {
        let mut fields = line.split(' ').skip(4);
        let (place, options) = (unescape(fields.next()?), fields.next()?);
        (place.starts_with(root) && place != root && options.split(',').any(|option| option == "rw")).then_some(place)
    };
    match fs::read_to_string("/proc/self/mountinfo")?.lines().find_map(writable) {
        None => Ok(()),
        Some(place) => Err(io::Error::other(format!("cannot make {} read-only", place.display()))),
    }
}

/// The options of a file system that must not be dropped when it is mounted again.
fn flags(options: &str) -> MountFlags {
    let flag = |option| match option {
        "nosuid" => MountFlags::NOSUID,
        "nodev" => MountFlags::NODEV,
        "noexec" => MountFlags::NOEXEC,
        "noatime" => MountFlags::NOATIME,
        "nodiratime" => MountFlags::NODIRATIME,
        "relatime" => MountFlags::RELATIME,
        _ => MountFlags::empty(),
    };
    options.split(',').map(flag).fold(MountFlags::empty(), |all, flag| all | flag)
}

/// A path of the table of mounts, in which blanks are octal numbers.
fn unescape(text: &str) -> PathBuf {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| *byte == b'\\').and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(escaped) => {
                out.push(escaped);
                at += 4;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    PathBuf::from(std::ffi::OsStr::from_bytes(&out))
}

/// Shows a directory in which the program can create and change files, but only in memory.
fn discard_writes(root: &Path, directory: &Path) -> io::Result<()> {
    let target = root.join(directory.strip_prefix("/").unwrap_or(directory));
    let [lower, upper, work] = [directory, &target.join("changes"), &target.join("work")].map(layer);
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work},userxattr");
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let size = c_text(&format!("mode=755,size={MOST_DISCARDED}"))?;
    mount("tmpfs", &target, "tmpfs", flags, Some(size.as_c_str()))?;
    let overlaid = (|| {
        for name in ["changes", "work"] {
            fs::create_dir(target.join(name))?;
        }
        // The directory has the permissions of its upper layer.
        fs::set_permissions(target.join("changes"), fs::metadata(directory)?.permissions())?;
        mount("overlay", &target, "overlay", flags, Some(c_text(&options)?.as_c_str()))?;
        Ok(())
    })();
    if overlaid.is_err() {
        unmount(&target, UnmountFlags::DETACH)?;
    }
    overlaid
}

/// Shows a directory over which nothing can be written. A bind would show the pipes of the machine, which are written to
/// on a read-only file system, too; in an overlay each pipe is a new one.
fn show_read_only(root: &Path, directory: &Path) -> io::Result<()> {
    let target = root.join(directory.strip_prefix("/").unwrap_or(directory));
    // Without a layer above, this kind of file system needs two.
    let empty = root.join("empty");
    fs::create_dir(&empty)?;
    let options = c_text(&format!("lowerdir={}:{},userxattr", layer(directory), layer(&empty)))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::RDONLY;
    let mounted = mount("overlay", &target, "overlay", flags, Some(options.as_c_str()));
    fs::remove_dir(&empty)?;
    mounted.map_err(|why| io::Error::other(format!("cannot show {} read-only: {why}", directory.display())))
}

/// A directory in the options of an overlay.
fn layer(directory: &Path) -> String {
    let escape = |text: String, special: &str| text.replace(special, &format!("\\{special}"));
    ["\\", ":", ","].into_iter().fold(directory.display().to_string(), escape)
}

fn build_devices(devices: &Path) -> io::Result<()> {
    mount("tmpfs", devices, "tmpfs", MountFlags::NOSUID | MountFlags::NOEXEC, Some(c"mode=755"))?;
    for name in DEVICES {
        let target = devices.join(name);
        fs::write(&target, "")?;
        mount_bind(Path::new("/dev").join(name), &target)?;
    }
    for (name, target) in DEVICE_LINKS {
        symlink(target, devices.join(name))?;
    }
    fs::create_dir(devices.join("shm"))?;
    let shared = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", devices.join("shm"), "tmpfs", shared, Some(c"mode=1777"))?;
    fs::create_dir(devices.join("pts"))?;
    let options = c"newinstance,ptmxmode=0666,mode=620";
    // Without terminals, most programs work as well.
    let _ = mount("devpts", devices.join("pts"), "devpts", MountFlags::NOSUID | MountFlags::NOEXEC, Some(options));
    Ok(())
}

/// Shows a directory or a file in another place, and names it if that is not possible.
fn show(root: &Path, bind: &Bind) -> io::Result<()> {
    place(root, bind).map_err(|why| io::Error::new(why.kind(), format!("cannot show {}: {why}", bind.target.display())))
}

/// Shows a directory or a file in another place. Its own place is created where it is missing.
fn place(root: &Path, bind: &Bind) -> io::Result<()> {
    let target = root.join(bind.target.strip_prefix("/").unwrap_or(&bind.target));
    if bind.source.is_dir() {
        fs::create_dir_all(&target)?;
    } else if !target.exists() {
        target.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(&target, "")?;
    }
    mount_bind(&bind.source, &target)?;
    if !bind.writable {
        let flags = own_flags(&target)?;
        mount_remount(&target, flags | MountFlags::BIND | MountFlags::RDONLY, c"")?;
    }
    Ok(())
}

/// The options of the file system that was mounted last in a place.
fn own_flags(place: &Path) -> io::Result<MountFlags> {
    let table = fs::read_to_string("/proc/self/mountinfo")?;
    let of = |line: &str| {
        let mut fields = line.split(' ').skip(4);
        (unescape(fields.next()?) == place).then(|| fields.next().map(flags)).flatten()
    };
    Ok(table.lines().rev().find_map(of).unwrap_or(MountFlags::empty()))
}

/// The path of the processes, for a call between fork and exec, which must not allocate.
pub(super) const PROCESSES: &CStr = c"/proc";

/// A text for a call between fork and exec.
pub(super) fn c_text(text: &str) -> io::Result<CString> {
    CString::new(text).map_err(io::Error::other)
}
