//! The user of this process on Windows, and things that belong to that user alone.

#![allow(unsafe_code, reason = "no library has these calls")]

use std::ffi::c_void;
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::null_mut;

use windows_sys::Win32::Foundation::{CloseHandle, ERROR_ALREADY_EXISTS, HANDLE, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo, SDDL_REVISION_1,
    SE_KERNEL_OBJECT,
};
use windows_sys::Win32::Security::{
    GetTokenInformation, OWNER_SECURITY_INFORMATION, PSID, SECURITY_ATTRIBUTES, TOKEN_QUERY, TOKEN_USER, TokenUser,
};
use windows_sys::Win32::Storage::FileSystem::CreateDirectoryW;
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// The longest description of a user in a token, in words of 8 bytes.
const TOKEN_WORDS: usize = 64;

/// The user of this process, as the text `S-1-…`.
pub fn user() -> io::Result<String> {
    let mut token: HANDLE = null_mut();
    // SAFETY: the handle of the current process needs no closing, and that of the token is closed below.
    succeeded(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) })?;
    let mut buffer = [0_u64; TOKEN_WORDS];
    let length = u32::try_from(size_of_val(&buffer)).unwrap_or(0);
    let mut needed = 0;
    // SAFETY: the length is that of the buffer.
    let read = succeeded(unsafe {
        GetTokenInformation(token, TokenUser, buffer.as_mut_ptr().cast(), length, &raw mut needed)
    });
    // SAFETY: the token was opened above.
    unsafe { CloseHandle(token) };
    read?;
    // SAFETY: the call has filled the buffer, whose words have the alignment of pointers.
    let user = unsafe { (*buffer.as_ptr().cast::<TOKEN_USER>()).User.Sid };
    sid_text(user)
}

/// The owner of an object of the system, such as a pipe.
pub fn owner(object: HANDLE) -> io::Result<String> {
    let (mut owner, mut descriptor): (PSID, *mut c_void) = (null_mut(), null_mut());
    // SAFETY: the pointers are valid for the call.
    let status = unsafe {
        GetSecurityInfo(
            object,
            SE_KERNEL_OBJECT,
            OWNER_SECURITY_INFORMATION,
            &raw mut owner,
            null_mut(),
            null_mut(),
            null_mut(),
            &raw mut descriptor,
        )
    };
    if status != 0 {
        return Err(io::Error::from_raw_os_error(i32::try_from(status).unwrap_or_default()));
    }
    let text = sid_text(owner);
    // SAFETY: the descriptor, to which `owner` points, comes from the call.
    unsafe { LocalFree(descriptor) };
    text
}

fn sid_text(sid: PSID) -> io::Result<String> {
    let mut text = null_mut();
    // SAFETY: the callers pass a valid id.
    succeeded(unsafe { ConvertSidToStringSidW(sid, &raw mut text) })?;
    let mut length = 0;
    // SAFETY: the text ends with a zero.
    let units = unsafe {
        while *text.add(length) != 0 {
            length += 1;
        }
        std::slice::from_raw_parts(text, length)
    };
    let sid = String::from_utf16_lossy(units);
    // SAFETY: the text comes from the call.
    unsafe { LocalFree(text.cast()) };
    Ok(sid)
}

/// The result of a call that returns 0 for an error.
pub fn succeeded(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The rights of a new thing that belongs to this user, and that other users cannot open.
pub struct OwnerOnly {
    descriptor: *mut c_void,
    attributes: SECURITY_ATTRIBUTES,
}

impl OwnerOnly {
    /// Builds the rights. What is in a directory inherits them.
    pub fn new() -> io::Result<OwnerOnly> {
        let user = user()?;
        let text = wide(&format!("O:{user}D:P(A;OICI;GA;;;{user})(A;OICI;GA;;;SY)"));
        let mut descriptor = null_mut();
        // SAFETY: the text ends with a zero.
        succeeded(unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &raw mut descriptor,
                null_mut(),
            )
        })?;
        let length = u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap_or(0);
        let attributes = SECURITY_ATTRIBUTES { nLength: length, lpSecurityDescriptor: descriptor, bInheritHandle: 0 };
        Ok(OwnerOnly { descriptor, attributes })
    }

    /// The rights in the form of the system's calls. They must not be used after this value is dropped.
    pub fn attributes(&self) -> *const SECURITY_ATTRIBUTES {
        &raw const self.attributes
    }
}

impl Drop for OwnerOnly {
    fn drop(&mut self) {
        // SAFETY: the descriptor comes from the system, and only this value frees it.
        unsafe { LocalFree(self.descriptor) };
    }
}

/// Creates one directory for this user alone, unless it exists.
pub fn create_directory(path: &Path) -> io::Result<()> {
    let name: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    let rights = OwnerOnly::new()?;
    // SAFETY: the name ends with a zero, and the rights are alive.
    match succeeded(unsafe { CreateDirectoryW(name.as_ptr(), rights.attributes()) }) {
        Err(why) if why.raw_os_error() == i32::try_from(ERROR_ALREADY_EXISTS).ok() => Ok(()),
        done => done,
    }
}

/// A text as the system's calls take it: UTF-16 with a zero at the end.
fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

#[cfg(test)]
mod tests {
    use std::os::windows::io::AsRawHandle as _;

    use super::*;

    #[test]
    fn a_new_directory_belongs_to_this_user() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("own");
        create_directory(&directory).unwrap();
        create_directory(&directory).unwrap();
        let me = user().unwrap();
        assert!(me.starts_with("S-1-"), "{me}");
        let file = std::fs::File::create(directory.join("x")).unwrap();
        assert!(owner(file.as_raw_handle()).unwrap().starts_with("S-1-"));
    }
}
