//! The way out: a tool that may reach some hosts has a network of its own, with only a proxy of this program.
//!
//! The network is a name space without any interface but the loopback. The proxy listens in it and stays outside: its socket is made here and
//! handed to this program, which opens the connections.

#![expect(unsafe_code, reason = "calls of the kernel for which no crate has a safe form")]

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};

use rustix::cmsg_space;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, Result};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketAddrV4, SocketFlags, SocketType, bind, listen, recvmsg, sendmsg, socket_with, socketpair,
};

use super::profile::MOST_SOCKETS;
use super::reach::PROXY_PORT;

/// How many connections may wait for the proxy.
const BACKLOG: i32 = 64;

/// The most sockets that are sent.
const MOST: usize = 1 + MOST_SOCKETS as usize;

/// How long a tool may take until its network is there, in seconds.
const PATIENCE: i64 = 10;

/// The ports at which this program listens in a network with so many further sockets.
pub(super) fn ports(more: u16) -> Range<u16> {
    PROXY_PORT..PROXY_PORT + 1 + more.min(MOST_SOCKETS)
}

/// The two ends of the way on which the socket comes: this program's, and the confiner's.
pub(in super::super) fn way() -> Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
}

/// Brings this process's network up, and sends the sockets that listen in it to whoever holds the other end of `way`: that of the proxy, and
/// so many more.
pub(super) fn open(way: RawFd, more: u16) -> Result<()> {
    // SAFETY: the number is from whoever started this process, which left this descriptor open for it and for nothing else.
    let way = unsafe { OwnedFd::from_raw_fd(way) };
    let mut listeners = Vec::new();
    for port in ports(more) {
        let listener = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        if listeners.is_empty() {
            bring_up(&listener)?;
        }
        bind(&listener, &SocketAddrV4::new(core::net::Ipv4Addr::LOCALHOST, port))?;
        listen(&listener, BACKLOG)?;
        listeners.push(listener);
    }
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors: Vec<_> = listeners.iter().map(|listener| listener.as_fd()).collect();
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(&way, &[IoSlice::new(&[0])], &mut ancillary, SendFlags::NOSIGNAL).map(drop)
}

/// Brings the loopback up.
fn bring_up(socket: &OwnedFd) -> Result<()> {
    // SAFETY: zeroed, it is a request without name and flags.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(*b"lo") {
        *to = from.cast_signed();
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the request lives until the call returns.
    let code = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) };
    if code == 0 { Ok(()) } else { Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)) }
}

/// Waits for the sockets. `None` when the other end is gone without, or takes too long.
pub(in super::super) fn receive(way: &OwnedFd) -> Option<Vec<OwnedFd>> {
    let mut ready = [PollFd::new(way, PollFlags::IN)];
    let patience = Timespec { tv_sec: PATIENCE, tv_nsec: 0 };
    if rustix::io::retry_on_intr(|| poll(&mut ready, Some(&patience))).ok()? == 0 {
        return None;
    }
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(way, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC).ok()?;
    ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors.collect()),
        _ => None,
    })
}
