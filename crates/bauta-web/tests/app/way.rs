//! The way through the work, by the forms that pages have.

use std::path::Path;

use bauta_plan::run::{RunOptions, run};
use bauta_report::HtmlRenderer;

use crate::client::App;

/// The plan of the demonstration, as an address has it.
const PLAN: &str = "bauta-demo%2Fplan.toml";

fn the_demonstration() -> (tempfile::TempDir, App) {
    let folder = tempfile::tempdir().unwrap();
    let app = App::serve(folder.path());
    assert_eq!(app.send("/demo", &[]).status, 303);
    (folder, app)
}

fn text_of(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("bauta-demo/plan.toml")).unwrap()
}

#[test]
fn what_the_app_releases_is_what_its_plan_gives_on_the_command_line() {
    let (folder, app) = the_demonstration();
    // A scenario, a step that is changed, one that is added and one that is off.
    app.change(
        PLAN,
        "scenarios",
        &[
            ("name", "register"),
            ("keys", "gender"),
            ("keys", "age"),
            ("why", "a register has them"),
        ],
    );
    app.change(
        PLAN,
        "steps/new/top-bottom",
        &[("on", "d_fin"), ("anyway", "yes")],
    );
    app.change(PLAN, "undo", &[]);
    app.change(
        PLAN,
        "steps/new/recode-rare",
        &[
            ("on", "uu"),
            ("p.below", "50"),
            ("p.into", "other"),
            ("why", "rare towns"),
        ],
    );
    app.change(PLAN, "steps/6/up", &[]);
    app.change(PLAN, "steps/5/off", &[]);
    let steps = app.page(&format!("/p/{PLAN}/steps"));
    assert!(!steps.contains("from running"), "{steps}");
    app.change(PLAN, "run", &[]);
    let run_page = app.wait_for(&format!("/p/{PLAN}/run"), "run 1");
    assert!(run_page.contains("conditions"), "{run_page}");
    assert!(
        !folder.path().join("bauta-demo/released.csv").exists(),
        "a run releases nothing"
    );
    app.change(PLAN, "release", &[("seen", "yes")]);
    let released = app.wait_for(&format!("/p/{PLAN}/release"), "the released file");
    assert!(released.contains("Released"), "{released}");
    // The same plan on the same file in another folder, by the library's own run.
    let (here, there) = (
        folder.path().join("bauta-demo"),
        folder.path().join("again"),
    );
    std::fs::create_dir(&there).unwrap();
    for file in ["plan.toml", "survey.csv"] {
        std::fs::copy(here.join(file), there.join(file)).unwrap();
    }
    let text = std::fs::read_to_string(there.join("plan.toml")).unwrap();
    let plan = bauta_plan::check_text(&text, "plan.toml", &there).unwrap();
    run(
        &plan,
        RunOptions::default(),
        &bauta_data::Unwatched,
        &HtmlRenderer,
    )
    .unwrap();
    let release = plan.output.release.as_ref().unwrap().file.given.clone();
    let bytes = |folder: &Path| std::fs::read(folder.join(&release)).unwrap();
    assert!(bytes(&here) == bytes(&there));
    // What is taken away is that file.
    let taken = app.get(&format!("/p/{PLAN}/files/file"));
    assert_eq!(taken.body.as_bytes(), bytes(&here));
}

#[test]
fn every_page_of_the_demonstration_is_there() {
    let (_folder, app) = the_demonstration();
    app.change(PLAN, "run", &[]);
    app.wait_for(&format!("/p/{PLAN}/run"), "run 1");
    app.wait_for(&format!("/p/{PLAN}/variables"), "different");
    app.wait_for(&format!("/p/{PLAN}/scenarios"), "Who stands out");
    for end in [
        "variables",
        "variables/age",
        "scenarios",
        "scenarios?keys=age&keys=income",
        "steps",
        "steps/add",
        "steps/2",
        "steps/new/mdav",
        "steps/new/calibrate",
        "run",
        "runs/1/report",
        "runs/1/external",
        "runs/1/tables",
        "compare",
        "compare?runs=1",
        "release",
        "text",
        "history",
        "history/1",
        "text/file",
    ] {
        let reply = app.get(&format!("/p/{PLAN}/{end}"));
        assert_eq!(reply.status, 200, "{end}: {}", reply.body);
        assert!(reply.body.len() > 500, "{end}");
    }
    for method in bauta_methods::registry::cards() {
        app.page(&format!("/help/{}", method.id));
    }
}

#[test]
fn comments_of_the_plan_stay_whatever_forms_change() {
    let (folder, app) = the_demonstration();
    let comments = |text: &str| text.matches('#').count();
    let before = text_of(folder.path());
    app.change(
        PLAN,
        "variables",
        &[
            ("name.0", "age"),
            ("role.0", "key"),
            ("kind.0", "ordered"),
            ("label.0", "Age in classes"),
        ],
    );
    app.change(PLAN, "steps/2/off", &[]);
    app.change(PLAN, "steps/2/on", &[]);
    let after = text_of(folder.path());
    assert_eq!(comments(&before), comments(&after));
    assert_eq!(after.replace("Age in classes", "Age class"), before);
}

#[test]
fn undo_and_redo_go_through_twenty_changes() {
    let (folder, app) = the_demonstration();
    let mut texts = vec![text_of(folder.path())];
    for n in 0..20 {
        let label = format!("Age {n}");
        app.change(
            PLAN,
            "variables",
            &[
                ("name.0", "age"),
                ("role.0", "key"),
                ("kind.0", "ordered"),
                ("label.0", &label),
            ],
        );
        texts.push(text_of(folder.path()));
    }
    for text in texts.iter().rev().skip(1) {
        app.change(PLAN, "undo", &[]);
        assert_eq!(text_of(folder.path()), *text);
    }
    for text in texts.iter().skip(1) {
        app.change(PLAN, "redo", &[]);
        assert_eq!(text_of(folder.path()), *text);
    }
}

#[test]
fn a_form_of_an_older_version_is_refused_and_loses_nothing() {
    let (folder, app) = the_demonstration();
    app.change(PLAN, "steps/2/off", &[]);
    let before = text_of(folder.path());
    let stale = app.send(&format!("/p/{PLAN}/steps/2/on"), &[("version", "1")]);
    assert_eq!(stale.status, 409);
    let both = app.send(
        &format!("/p/{PLAN}/text"),
        &[("version", "1"), ("text", "# mine")],
    );
    assert_eq!(both.status, 200);
    assert!(
        both.body.contains("# mine") && both.body.contains("as it is now"),
        "{}",
        both.body
    );
    assert_eq!(text_of(folder.path()), before);
}

#[test]
fn a_step_that_would_stop_the_plan_is_shown_with_what_is_wrong_and_kept_on_the_page() {
    let (folder, app) = the_demonstration();
    let before = text_of(folder.path());
    let version =
        crate::client::value_of(&app.page(&format!("/p/{PLAN}/steps")), "version").unwrap();
    let fields = [
        ("version", version.as_str()),
        ("on", "age"),
        ("p.k", "one"),
        ("why", "my reason"),
    ];
    let refused = app.send(&format!("/p/{PLAN}/steps/new/suppress-local"), &fields);
    assert_eq!(refused.status, 422);
    assert!(
        refused.body.contains("my reason") && refused.body.contains("value=\"one\""),
        "{}",
        refused.body
    );
    assert_eq!(text_of(folder.path()), before);
}

#[test]
fn runs_are_cancelled_and_leave_nothing() {
    let (folder, app) = the_demonstration();
    // Many runs at once: the later ones wait.
    for _ in 0..4 {
        app.change(PLAN, "run", &[]);
    }
    for id in 1..=20 {
        let _ = app.send(&format!("/p/{PLAN}/jobs/{id}/cancel"), &[]);
    }
    let page = app.wait_for(&format!("/p/{PLAN}/run"), "was cancelled");
    assert!(page.contains("nothing was written"), "{page}");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let runs = folder.path().join("bauta-demo/.bauta-web/plan.toml/runs");
    let kept = std::fs::read_dir(runs).map_or(0, Iterator::count);
    assert!(kept <= 2, "{kept}");
}

#[test]
fn what_was_done_is_there_after_another_start() {
    let (folder, app) = the_demonstration();
    app.change(PLAN, "steps/2/off", &[]);
    app.change(PLAN, "run", &[]);
    app.wait_for(&format!("/p/{PLAN}/run"), "run 1");
    drop(app);
    // What a crash in the middle of a run leaves: a folder without a record.
    let unfinished = folder
        .path()
        .join("bauta-demo/.bauta-web/plan.toml/runs/000002");
    std::fs::create_dir(unfinished).unwrap();
    let app = App::serve(folder.path());
    let page = app.page(&format!("/p/{PLAN}/run"));
    assert!(page.contains("run 1") && !page.contains("run 2"), "{page}");
    app.change(PLAN, "undo", &[]);
    assert!(!text_of(folder.path()).contains("off = true"));
}
