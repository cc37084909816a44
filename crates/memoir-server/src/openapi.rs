//! The description of the API for programs.

use crate::errors::json_bytes;
use axum::http::StatusCode;
use axum::response::Response;

const DOCUMENT: &str = include_str!("openapi.json");

/// `GET /openapi.json`.
pub(crate) async fn document() -> Response {
    json_bytes(StatusCode::OK, DOCUMENT.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::DOCUMENT;
    use crate::routes::{Access, ROUTES};
    use serde_json::Value;

    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, field)| match field.as_str() {
                Some(target) if name == "$ref" => found.push(target),
                _ => references(field, found),
            }),
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_route_is_described_and_everything_described_is_a_route() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        let mut described: Vec<String> = Vec::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for method in methods.as_object().unwrap().keys() {
                described.push(format!("{} {path}", method.to_uppercase()));
            }
        }
        let mut routes: Vec<String> = ROUTES.iter().map(|route| format!("{} {}", route.method, route.path)).collect();
        described.sort();
        routes.sort();
        assert_eq!(described, routes);
    }

    #[test]
    fn what_needs_a_key_says_so_and_every_reference_leads_somewhere() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
        assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
        for route in &ROUTES {
            let operation = &document["paths"][route.path][route.method.to_lowercase()];
            let open = operation["security"].as_array().is_some_and(Vec::is_empty);
            assert_eq!(open, route.access == Access::Open, "{}", route.path);
            assert!(operation["summary"].is_string() && operation["responses"].is_object(), "{}", route.path);
        }
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(!found.is_empty());
        for target in found {
            assert!(document.pointer(target.trim_start_matches('#')).is_some(), "{target}");
        }
    }
}
