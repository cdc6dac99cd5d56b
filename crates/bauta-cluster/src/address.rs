//! Where a scheduler or an executor is.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use crate::ClusterError;

/// Host and port, such as `127.0.0.1:50050` or `[::1]:50050`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    host: String,
    port: u16,
}

impl Address {
    /// The address of a host by name or number.
    pub fn new(host: &str, port: u16) -> Self {
        let host = bare(host).to_owned();
        Self { host, port }
    }

    /// The host as a URL wants it, with brackets around colons.
    pub(crate) fn host_in_url(&self) -> String {
        if self.host.contains(':') {
            return format!("[{}]", self.host);
        }
        self.host.clone()
    }

    /// Host and port as the resolver wants them.
    pub(crate) fn parts(&self) -> (&str, u16) {
        (self.host.as_str(), self.port)
    }

    /// Whether what is sent there stays on this machine.
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.host)
    }
}

/// Whether a host is this machine and nobody else's. Names other than `localhost` are not looked up: whoever answers for
/// them could send data anywhere.
pub(crate) fn is_loopback(host: &str) -> bool {
    let host = bare(host);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// A number without the brackets that an address has around colons.
fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

/// The number to listen on.
pub(crate) fn bind_ip(host: &str) -> Result<IpAddr, ClusterError> {
    if host == "localhost" {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    bare(host).parse().map_err(|_| ClusterError::BindAddress {
        text: host.to_owned(),
    })
}

impl FromStr for Address {
    type Err = ClusterError;

    fn from_str(text: &str) -> Result<Self, ClusterError> {
        let wrong = || ClusterError::Address {
            text: text.to_owned(),
        };
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let port: u16 = port.parse().map_err(|_| wrong())?;
        let bracketed = host.starts_with('[') && host.ends_with(']');
        let plain = !host.is_empty() && !host.contains([':', '/', '@', '[', ']', ' ']);
        if !(bracketed || plain) || port == 0 {
            return Err(wrong());
        }
        Ok(Self::new(host, port))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host_in_url(), self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_or_numbers_with_a_port() {
        for text in ["127.0.0.1:50050", "[::1]:50050", "node-1.example:7"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "host",
            "host:",
            ":1",
            "host:0",
            "host:70000",
            "::1:50050",
            "http://a:1",
            "a b:1",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for host in ["localhost", "127.0.0.1", "127.8.9.10", "::1", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["0.0.0.0", "::", "192.0.2.7", "localhost.example", "node-1"] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
