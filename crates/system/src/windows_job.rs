//! Jobs of Windows: a process and everything that it starts, which end together.

#![allow(unsafe_code, reason = "no library has these calls")]

use std::ffi::c_void;
use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::os::windows::process::CommandExt as _;
use std::process::{Child, Command};
use std::ptr::{null, null_mut};

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicAccountingInformation,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{CREATE_NO_WINDOW, CREATE_SUSPENDED};

use crate::windows_user::succeeded;

/// The flags with which a process starts: without a console on which it could draw or ask, and suspended until it is in
/// its job, so that nothing that it starts is outside.
pub const START_FLAGS: u32 = CREATE_NO_WINDOW | CREATE_SUSPENDED;
/// The exit status of a killed process.
const KILLED: u32 = 1;

#[link(name = "ntdll")]
unsafe extern "system" {
    /// Lets all threads of a process run. Nothing documented does that for a process whose threads are not known.
    fn NtResumeProcess(process: HANDLE) -> i32;
}

/// A job. Dropping it ends its processes.
#[derive(Debug)]
pub struct ProcessJob(OwnedHandle);

impl ProcessJob {
    /// Starts a process in a new job.
    pub fn spawn(command: &mut Command) -> io::Result<(Child, ProcessJob)> {
        let job = ProcessJob::new()?;
        let mut child = command.creation_flags(START_FLAGS).spawn()?;
        match job.admit(child.as_raw_handle()) {
            Ok(()) => Ok((child, job)),
            Err(why) => {
                // It has not run.
                let _ = child.kill();
                Err(why)
            }
        }
    }

    /// Creates an empty job.
    ///
    /// # Errors
    /// Returns an error if the system has no more handles.
    pub fn new() -> io::Result<ProcessJob> {
        // SAFETY: a job without a name and with the usual rights.
        let handle = unsafe { CreateJobObjectW(null(), null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new, and only this value closes it.
        let job = ProcessJob(unsafe { OwnedHandle::from_raw_handle(handle) });
        job.set_limits(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE).map(|()| job)
    }

    fn set_limits(&self, flags: JOB_OBJECT_LIMIT) -> io::Result<()> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = flags;
        // SAFETY: the pointer and the length are those of the value.
        succeeded(unsafe {
            SetInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast::<c_void>(),
                length_of(&limits),
            )
        })
    }

    /// Lets the processes of the job live on without it.
    pub fn release(self) {
        // If the system refuses, they end now.
        let _ = self.set_limits(0);
    }

    /// Takes in a process that was started with [`START_FLAGS`], and lets it run.
    ///
    /// # Errors
    /// Returns an error if the system refuses. The process then still waits.
    pub fn admit(&self, process: HANDLE) -> io::Result<()> {
        // SAFETY: both handles are open.
        succeeded(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process) })?;
        // SAFETY: the handle is open, and has all rights, because this program has started the process.
        match unsafe { NtResumeProcess(process) } {
            0 => Ok(()),
            _ => Err(io::Error::other("the process cannot be resumed")),
        }
    }

    /// Ends all processes of the job.
    pub fn kill(&self) {
        // SAFETY: the handle is open. A job without processes has none to end.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), KILLED) };
    }

    /// Whether one of its processes is running.
    pub fn is_alive(&self) -> bool {
        let mut counts = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: the pointer and the length are those of the value.
        let read = unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut counts).cast::<c_void>(),
                length_of(&counts),
                null_mut(),
            )
        };
        read != 0 && counts.ActiveProcesses > 0
    }
}

fn length_of<T>(value: &T) -> u32 {
    u32::try_from(size_of_val(value)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn what_a_process_starts_ends_with_its_job() {
        let mut command = Command::new("cmd.exe");
        command.args(["/c", "start /b ping -n 60 127.0.0.1 >nul & exit 3"]);
        let (mut child, job) = ProcessJob::spawn(&mut command).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(3));
        assert!(job.is_alive(), "ping goes on");
        job.kill();
        let limit = Instant::now() + Duration::from_secs(20);
        while job.is_alive() {
            assert!(Instant::now() < limit, "ping was not killed");
            std::thread::yield_now();
        }
    }
}
