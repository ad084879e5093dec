//! A client for one HTTP request: it follows no redirects, takes any status as a response, and checks the addresses to
//! which it connects.

use std::fmt;
use std::net::{IpAddr, ToSocketAddrs};
use std::time::Duration;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::http::uri::Authority;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error, Proxy};

/// Creates a client for a request to this URL. `check` gets each address of its host and returns the reason to reject it;
/// one rejected address rejects the host.
///
/// # Errors
/// Returns an error if a proxy would be used and the host is rejected.
pub(crate) fn agent(
    uri: &Uri,
    limit: Option<Duration>,
    check: impl Fn(IpAddr) -> Result<(), String> + Send + Sync + 'static,
) -> Result<Agent, Error> {
    // Local servers are reached directly, even if the environment names a proxy.
    let proxy = Proxy::try_from_env().filter(|proxy| !is_loopback(uri) && !proxy.is_no_proxy(uri));
    let mut check = AddressCheck(Box::new(check));
    if proxy.is_some() {
        // The proxy resolves the name, and its own address is not restricted. The name is resolved here, too, to
        // check the target as far as possible.
        let addresses = DefaultResolver::host_and_port(uri.scheme().ok_or(Error::HostNotFound)?, authority(uri)?)
            .and_then(|target| target.to_socket_addrs().ok());
        check.all(addresses.into_iter().flatten().map(|address| address.ip()))?;
        check = AddressCheck(Box::new(|_| Ok(())));
    }
    let config = Agent::config_builder()
        .proxy(proxy)
        .timeout_global(limit)
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("hookbench/", env!("CARGO_PKG_VERSION")))
        .build();
    let resolver = CheckedResolver { check, inner: DefaultResolver::default() };
    Ok(Agent::with_parts(config, DefaultConnector::default(), resolver))
}

fn authority(uri: &Uri) -> Result<&Authority, Error> {
    uri.authority().ok_or(Error::HostNotFound)
}

fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// The check of an address.
struct AddressCheck(Box<dyn Fn(IpAddr) -> Result<(), String> + Send + Sync>);

impl AddressCheck {
    fn all(&self, addresses: impl IntoIterator<Item = IpAddr>) -> Result<(), Error> {
        for address in addresses {
            (self.0)(address).map_err(|why| Error::Io(std::io::Error::other(why)))?;
        }
        Ok(())
    }
}

impl fmt::Debug for AddressCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AddressCheck")
    }
}

/// A resolver that rejects forbidden addresses. The checked addresses are the ones that are used to connect.
#[derive(Debug)]
struct CheckedResolver {
    check: AddressCheck,
    inner: DefaultResolver,
}

impl Resolver for CheckedResolver {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let addresses = self.inner.resolve(uri, config, timeout)?;
        self.check.all(addresses.iter().map(|address| address.ip()))?;
        Ok(addresses)
    }
}
