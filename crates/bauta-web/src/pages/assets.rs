//! The style, the script and the icon, which are part of the program.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bauta_data::Fingerprint;
use std::sync::LazyLock;

/// A file that is part of the program.
pub(crate) struct Asset {
    name: &'static str,
    kind: &'static str,
    content: LazyLock<String>,
}

/// How pages look: as reports do, and what forms need besides.
pub(crate) static STYLE: Asset = Asset {
    name: "app.css",
    kind: "text/css; charset=utf-8",
    content: LazyLock::new(|| {
        let of_reports = [bauta_report::STYLE, bauta_report::DOCUMENT_STYLE];
        format!(
            "{}\n{}",
            of_reports.join("\n"),
            include_str!("../assets/app.css")
        )
    }),
};

/// What makes pages livelier; each works without it.
pub(crate) static SCRIPT: Asset = Asset {
    name: "app.js",
    kind: "text/javascript; charset=utf-8",
    content: LazyLock::new(|| include_str!("../assets/app.js").to_owned()),
};

/// A mask.
pub(crate) static ICON: Asset = Asset {
    name: "icon.svg",
    kind: "image/svg+xml",
    content: LazyLock::new(|| include_str!("../assets/icon.svg").to_owned()),
};

impl Asset {
    /// Its address, which changes with its content, so that browsers may keep it.
    pub(crate) fn address(&self) -> String {
        let print = Fingerprint::of_bytes(self.content.as_bytes());
        let short: String = print.sha256.chars().take(12).collect();
        format!("/assets/{}?{short}", self.name)
    }
}

/// An asset by its name.
pub(crate) async fn show(Path(name): Path<String>) -> Response {
    let found = [&STYLE, &SCRIPT, &ICON]
        .into_iter()
        .find(|one| one.name == name);
    let Some(asset) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, asset.kind),
        (
            header::CACHE_CONTROL,
            "private, max-age=31536000, immutable",
        ),
    ];
    (headers, asset.content.as_str()).into_response()
}

/// The icon under the name that browsers try first.
pub(crate) async fn icon() -> Response {
    show(Path(ICON.name.to_owned())).await
}
