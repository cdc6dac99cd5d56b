//! A server in a folder of its own, and requests as they go over the wire.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bauta_web::{Serve, serve};

/// A server that ends with the test.
pub(crate) struct App {
    pub(crate) host: String,
    pub(crate) token: String,
    cookie: String,
    form: String,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim())
    }
}

/// Sends a request as it is written, and reads to the end.
pub(crate) fn raw(host: &str, request: &str) -> Reply {
    let mut stream = TcpStream::connect(host).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_mins(1)))
        .unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    let text = String::from_utf8_lossy(&all).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    Reply {
        status: status.unwrap_or(0),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

impl App {
    /// Serves a folder and lets the test in.
    pub(crate) fn serve(folder: &Path) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, place) = (Arc::clone(&is_over), folder.to_owned());
        let (told, ready) = channel();
        let thread = std::thread::spawn(move || {
            let request = Serve {
                place,
                host: None,
                port: None,
                threads: Some(2),
            };
            let is_over = move || over.load(Ordering::Relaxed);
            serve(
                &request,
                |address| told.send(address.url.clone()).unwrap(),
                &is_over,
            )
            .unwrap();
        });
        let url = ready.recv().unwrap();
        let (address, token) = url.split_once("/?token=").unwrap();
        let host = address.strip_prefix("http://").unwrap().to_owned();
        let mut app = Self {
            token: token.to_owned(),
            cookie: String::new(),
            form: String::new(),
            is_over,
            thread: Some(thread),
            host,
        };
        let entrance = app.get(&format!("/?token={token}"));
        let cookie = entrance.header("set-cookie").unwrap();
        let pair = cookie.split(';').next().unwrap();
        pair.clone_into(&mut app.cookie);
        let start = app.get("/");
        assert_eq!(start.status, 200, "{}", start.body);
        app.form = value_of(&start.body, "token").unwrap();
        app
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        let Self { host, cookie, .. } = self;
        raw(
            host,
            &format!(
                "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
            ),
        )
    }

    /// A page that is there.
    pub(crate) fn page(&self, path: &str) -> String {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        reply.body
    }

    /// Sends a form with the server's own token.
    pub(crate) fn send(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let token = [("token", self.form.as_str())];
        self.send_exactly(path, &[&token, fields].concat())
    }

    /// The same as a page of the plan sends it: with the version that the plan has now.
    pub(crate) fn change(&self, plan: &str, end: &str, fields: &[(&str, &str)]) -> Reply {
        let version = value_of(&self.page(&format!("/p/{plan}/history")), "version").unwrap();
        let version = [("version", version.as_str())];
        let reply = self.send(&format!("/p/{plan}/{end}"), &[&version, fields].concat());
        assert_eq!(reply.status, 303, "{end}: {}", reply.body);
        reply
    }

    pub(crate) fn send_exactly(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let Self { host, cookie, .. } = self;
        let mut body = form_urlencoded::Serializer::new(String::new());
        for (name, value) in fields {
            body.append_pair(name, value);
        }
        let body = body.finish();
        raw(
            host,
            &format!(
                "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n\
                 Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            ),
        )
    }

    pub(crate) fn cookie(&self) -> &str {
        &self.cookie
    }

    /// Asks for a page until it says something; a minute is long.
    pub(crate) fn wait_for(&self, path: &str, text: &str) -> String {
        let started = Instant::now();
        loop {
            let body = self.page(path);
            if body.contains(text) {
                return body;
            }
            assert!(
                started.elapsed() < Duration::from_mins(1),
                "{text} on {path}: {body}"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking());
        }
    }
}

/// The value of a hidden field.
pub(crate) fn value_of(page: &str, name: &str) -> Option<String> {
    let field = format!("name=\"{name}\" value=\"");
    let (_, rest) = page.split_once(&field)?;
    Some(rest.split('"').next()?.to_owned())
}
