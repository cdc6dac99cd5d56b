//! What must be refused, whoever asks.

use crate::client::{App, raw};

fn a_folder() -> (tempfile::TempDir, App) {
    let all = tempfile::tempdir().unwrap();
    let served = all.path().join("served");
    std::fs::create_dir(&served).unwrap();
    let plan = "data = { file = \"survey.csv\" }\noutput = { file = \"out.csv\", release = \"ungated\" }\n";
    std::fs::write(served.join("plan.toml"), plan).unwrap();
    std::fs::write(served.join("survey.csv"), "age,sex\n1,2\n").unwrap();
    std::fs::write(all.path().join("secret.csv"), "hidden_name\nhidden_value\n").unwrap();
    let app = App::serve(&served);
    (all, app)
}

#[test]
fn nobody_comes_in_without_the_cookie_or_the_token() {
    let (_all, app) = a_folder();
    let host = &app.host;
    let ask = |path: &str, more: &str| {
        raw(
            host,
            &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n"),
        )
    };
    for path in [
        "/",
        "/p/plan.toml/text",
        "/p/plan.toml/text/file",
        "/help/app",
        "/?token=guess",
        "/?token=",
    ] {
        let reply = ask(path, "");
        assert_eq!(reply.status, 403, "{path}");
        assert!(!reply.body.contains("survey.csv"), "{path}");
    }
    // The token opens the start page and nothing else.
    let token = &app.token;
    assert_eq!(
        ask(&format!("/p/plan.toml/text?token={token}"), "").status,
        403
    );
    let entrance = ask(&format!("/?token={token}"), "");
    let cookie = entrance.header("set-cookie").unwrap();
    assert!(
        cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"),
        "{cookie}"
    );
    assert!(!cookie.contains(token.as_str()));
}

#[test]
fn other_names_and_other_pages_are_refused() {
    let (_all, app) = a_folder();
    let (host, cookie) = (&app.host, app.cookie());
    let port = host.rsplit(':').next().unwrap();
    let get = |named: &str| {
        raw(
            host,
            &format!(
                "GET / HTTP/1.1\r\nHost: {named}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
            ),
        )
        .status
    };
    assert_eq!(get(&format!("evil.example:{port}")), 403);
    assert_eq!(get("127.0.0.1"), 403);
    assert_eq!(get(host), 200);
    assert_eq!(get(&format!("localhost:{port}")), 200);
    let asked = format!(
        "GET / HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(raw(host, &asked).status, 403);
}

#[test]
fn a_form_that_is_none_of_ours_changes_nothing() {
    let (all, app) = a_folder();
    let before = std::fs::read_to_string(all.path().join("served/plan.toml")).unwrap();
    for token in ["", "guess", app.token.as_str()] {
        let fields = [("token", token), ("version", "1"), ("text", "x")];
        assert_eq!(app.send_exactly("/p/plan.toml/text", &fields).status, 403);
    }
    assert_eq!(
        app.send_exactly("/p/plan.toml/text", &[("version", "1"), ("text", "x")])
            .status,
        403
    );
    let after = std::fs::read_to_string(all.path().join("served/plan.toml")).unwrap();
    assert_eq!(before, after);
}

#[test]
fn no_name_leads_out_of_the_folder() {
    let (_all, app) = a_folder();
    for path in [
        "/p/..%2fplan.toml/text",
        "/p/%2Fetc%2Fpasswd/text",
        "/p/.bauta-web%2Fplan.toml%2Fversions%2F000001.toml/text",
        "/p/survey.csv/text",
        "/begin?file=..%2fsecret.csv",
        "/begin?file=%2Fetc%2Fpasswd",
        "/p/plan.toml/history/..%2f..%2fsecret",
        "/p/plan.toml/runs/1/report",
        "/p/plan.toml/files/..%2fplan",
        "/assets/..%2fapp.rs",
    ] {
        let reply = app.get(path);
        assert!(
            matches!(reply.status, 400 | 404),
            "{path}: {}",
            reply.status
        );
        assert!(!reply.body.contains("hidden_name"), "{path}");
    }
}

#[test]
fn a_plan_that_names_files_outside_is_told_so_and_shows_nothing_of_them() {
    let (_all, app) = a_folder();
    let texts = [
        "data = { file = \"../secret.csv\" }\noutput = { file = \"out.csv\", release = \"ungated\" }\n",
        "data = { file = \"/etc/passwd\" }\noutput = { file = \"out.csv\", release = \"ungated\" }\n",
        "data = { file = \"survey.csv\" }\noutput = { file = \"../out.csv\", release = \"ungated\" }\n",
        "data = { file = \"survey.csv\" }\noutput = { file = \"out.csv\", report = \"../r.html\", release = \"ungated\" }\n",
        "data = { file = \"survey.csv\" }\noutput = { file = \"out.csv\", release = \"ungated\" }\n[engine]\nspill = \"..\"\n",
        "data = { file = \"survey.csv\" }\noutput = { file = \"out.csv\", release = \"ungated\" }\n[variables]\n\
         age = { role = \"key\", kind = \"hierarchical\", hierarchy = { file = \"../secret.csv\" } }\n",
    ];
    for text in texts {
        let checked = app.send("/p/plan.toml/text/check", &[("text", text)]);
        assert!(
            checked.body.contains("outside the folder"),
            "{text}: {}",
            checked.body
        );
        assert!(
            !checked.body.contains("hidden_"),
            "{text}: {}",
            checked.body
        );
    }
}

#[test]
fn every_answer_says_what_a_browser_may_do_with_it() {
    let (_all, app) = a_folder();
    for path in [
        "/",
        "/p/plan.toml/text",
        "/nothing",
        "/p/none.toml/steps",
        "/help/mdav",
    ] {
        let reply = app.get(path);
        let policy = reply.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'self';"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(
            reply.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(
            reply.header("referrer-policy"),
            Some("same-origin"),
            "{path}"
        );
        // No script or style of its own stands in a page.
        assert!(!reply.body.contains("<style"), "{path}");
        assert!(!reply.body.contains(" style="), "{path}");
        assert!(!reply.body.contains(" onclick="), "{path}");
    }
}

#[test]
fn more_than_any_plan_is_not_read() {
    let (_all, app) = a_folder();
    let text = "x".repeat(5 << 20);
    let reply = app.send("/p/plan.toml/text", &[("version", "1"), ("text", &text)]);
    assert_eq!(reply.status, 413);
}

#[test]
fn names_are_texts_and_never_markup() {
    let all = tempfile::tempdir().unwrap();
    let csv = "<script>alert(1)</script>,\"a\"\"b\",c&d\n1,2,3\n2,3,4\n";
    std::fs::write(all.path().join("<b>odd<i> &.csv"), csv).unwrap();
    let app = App::serve(all.path());
    let start = app.page("/");
    assert!(start.contains("&lt;b&gt;odd&lt;i&gt; &amp;.csv"), "{start}");
    let opening = app.send("/begin", &[("file", "<b>odd<i> &.csv")]);
    assert_eq!(opening.status, 303, "{}", opening.body);
    let plan = "/p/%3Cb%3Eodd%3Ci%3E%20%26.toml";
    let started = std::time::Instant::now();
    while !all.path().join("<b>odd<i> &.toml").exists() {
        assert!(started.elapsed().as_secs() < 30);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let page = app.wait_for(&format!("{plan}/variables"), "different");
    assert!(!page.contains("<script>alert"), "{page}");
    assert!(
        page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"),
        "{page}"
    );
}

#[test]
fn a_second_server_is_told_that_one_runs() {
    let (all, _app) = a_folder();
    let request = bauta_web::Serve {
        place: all.path().join("served"),
        host: None,
        port: None,
        threads: Some(1),
    };
    let refused = bauta_web::serve(&request, |_| panic!("it serves"), &|| true);
    let message = refused.unwrap_err().to_string();
    assert!(
        message.starts_with("another `bauta serve` serves"),
        "{message}"
    );
}
