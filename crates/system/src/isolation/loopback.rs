//! The loopback interface of a new network, and a listening socket of it that is handed out of it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketType, recv, recvmsg, sendmsg, sendto, socket,
};

use super::spec::SERVER_PORT;

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
    ///
    /// # Errors
    /// Returns an error if the socket cannot be created.
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
