//! Who may come in: whoever has the address that was printed, in a browser that asks for this machine, from our pages.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use subtle::ConstantTimeEq as _;

/// What our own pages may do: show what comes from here, run the one script, send forms here.
pub(crate) const OF_PAGES: &str = "default-src 'self'; form-action 'self'; base-uri 'none'; \
    object-src 'none'; frame-ancestors 'self'";
/// What a report may do in its frame: show itself.
pub(crate) const OF_REPORTS: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'self'; sandbox allow-popups";

/// The secrets of one server.
#[derive(Debug)]
pub(crate) struct Doors {
    /// In the address that is printed.
    token: String,
    /// In the browser's cookie.
    session: String,
    /// In every form.
    form: String,
    /// The cookie's name: browsers give cookies of one host to all its ports.
    cookie: String,
    /// How browsers may call this server.
    hosts: Vec<String>,
}

/// Why a request is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// It asks for another host: a name that somebody else gave this address.
    Host,
    /// It comes from a page of somebody else.
    Origin,
    /// It has no session.
    Session,
}

impl Doors {
    /// New secrets for a server that listens at an address; `named` is what it was told to listen at.
    pub(crate) fn new(address: SocketAddr, named: Option<&str>) -> Result<Self, getrandom::Error> {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() {
            hosts.push(format!("localhost:{port}"));
        }
        if let Some(named) = named {
            hosts.push(match named.parse::<IpAddr>() {
                Ok(IpAddr::V6(ip)) => format!("[{ip}]:{port}"),
                _ => format!("{named}:{port}"),
            });
        }
        Ok(Self {
            token: secret()?,
            session: secret()?,
            form: secret()?,
            cookie: format!("bauta-{port}"),
            hosts,
        })
    }

    /// The address that lets a browser in.
    pub(crate) fn address(&self) -> String {
        let host = self.hosts.last().map_or("", String::as_str);
        let host = if self.hosts.iter().any(|one| one.starts_with("localhost:")) {
            self.hosts.first().map_or(host, String::as_str)
        } else {
            host
        };
        format!("http://{host}/?token={}", self.token)
    }

    /// What every form carries.
    pub(crate) fn form_token(&self) -> &str {
        &self.form
    }

    /// Whether a token is that of the address.
    pub(crate) fn opens(&self, token: &str) -> bool {
        same(token, &self.token)
    }

    /// Whether a form is one of ours.
    pub(crate) fn is_our_form(&self, token: &str) -> bool {
        same(token, &self.form)
    }

    /// The cookie that a browser gets for the token.
    pub(crate) fn set_cookie(&self) -> String {
        format!(
            "{}={}; HttpOnly; SameSite=Strict; Path=/",
            self.cookie, self.session
        )
    }

    /// Whether a request asks for us, and from one of our pages.
    pub(crate) fn admits(&self, headers: &HeaderMap, is_entrance: bool) -> Result<(), Refused> {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(HOST).ok_or(Refused::Host)?;
        if !self
            .hosts
            .iter()
            .any(|known| known.eq_ignore_ascii_case(host))
        {
            return Err(Refused::Host);
        }
        let of_others = |origin: &str| {
            let ours = origin.strip_prefix("http://");
            !ours.is_some_and(|origin| self.hosts.iter().any(|known| known == origin))
        };
        // Another server of this machine is the same site to a browser, and a strict cookie would come along.
        let from = headers
            .get("sec-fetch-site")
            .and_then(|value| value.to_str().ok());
        if !is_entrance && from.is_some_and(|from| from != "same-origin" && from != "none") {
            return Err(Refused::Origin);
        }
        if headers.contains_key(ORIGIN) && text(ORIGIN).is_none_or(of_others) {
            return Err(Refused::Origin);
        }
        Ok(())
    }

    /// Whether a request has the session's cookie.
    pub(crate) fn knows(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let cookies = headers.get_all(COOKIE).iter();
        let cookies = cookies.filter_map(|value| value.to_str().ok());
        let mut pairs = cookies
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='));
        let is_ours = pairs.any(|(name, value)| name == self.cookie && same(value, &self.session));
        if is_ours {
            Ok(())
        } else {
            Err(Refused::Session)
        }
    }
}

/// Compares without telling by the time how much is the same.
fn same(given: &str, known: &str) -> bool {
    given.as_bytes().ct_eq(known.as_bytes()).into()
}

/// Thirty-two random bytes as letters.
fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)?;
    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// What every answer says of itself; one that states its own policy keeps it.
pub(crate) fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let fixed = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer` browsers would send forms from nowhere.
        (REFERRER_POLICY, "same-origin"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Nothing of the data stays behind in the browser's cache.
    (headers.entry(CACHE_CONTROL)).or_insert(HeaderValue::from_static("no-store"));
    (headers.entry(CONTENT_SECURITY_POLICY)).or_insert(HeaderValue::from_static(OF_PAGES));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doors() -> Doors {
        Doors::new("127.0.0.1:4711".parse().unwrap(), None).unwrap()
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_str(value).unwrap(),
                )
            })
            .collect()
    }

    #[test]
    fn another_name_for_this_address_is_refused() {
        let doors = doors();
        for host in ["evil.example:4711", "127.0.0.1", "127.0.0.1:4712", ""] {
            let asked = headers(&[("host", host)]);
            assert_eq!(doors.admits(&asked, false), Err(Refused::Host), "{host}");
        }
        assert_eq!(doors.admits(&HeaderMap::new(), false), Err(Refused::Host));
        for host in ["127.0.0.1:4711", "localhost:4711", "LOCALHOST:4711"] {
            assert_eq!(
                doors.admits(&headers(&[("host", host)]), false),
                Ok(()),
                "{host}"
            );
        }
    }

    #[test]
    fn a_page_of_somebody_else_is_refused() {
        let doors = doors();
        for origin in ["http://evil.example", "https://127.0.0.1:4711", "null", ""] {
            let asked = headers(&[("host", "127.0.0.1:4711"), ("origin", origin)]);
            assert_eq!(
                doors.admits(&asked, false),
                Err(Refused::Origin),
                "{origin}"
            );
        }
        let ours = headers(&[
            ("host", "127.0.0.1:4711"),
            ("origin", "http://127.0.0.1:4711"),
        ]);
        assert_eq!(doors.admits(&ours, false), Ok(()));
    }

    #[test]
    fn only_the_cookie_of_this_server_is_known() {
        let doors = doors();
        let cookie = doors.set_cookie();
        let (pair, rest) = cookie.split_once(';').unwrap();
        assert_eq!(rest, " HttpOnly; SameSite=Strict; Path=/");
        let with = |cookies: &str| doors.knows(&headers(&[("cookie", cookies)]));
        assert_eq!(with(&format!("other=1; {pair}")), Ok(()));
        assert_eq!(with("bauta-4711=guess"), Err(Refused::Session));
        assert_eq!(with(&format!("x{pair}")), Err(Refused::Session));
        assert_eq!(with(""), Err(Refused::Session));
        assert_ne!(doors.form_token(), doors.session);
        assert!(!doors.opens("") && !doors.opens(&doors.session));
    }
}
