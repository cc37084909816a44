//! Small values that fit a JSON schema, for requests that want their answer in one.

use serde_json::{Map, Value, json};

/// The smallest instance of a simple schema.
pub(super) fn minimal_instance(schema: &Value) -> Value {
    if let Some(fixed) = schema.get("const") {
        return fixed.clone();
    }
    for choice in ["enum", "anyOf", "oneOf"] {
        if let Some(first) = schema[choice].as_array().and_then(|choices| choices.first()) {
            return if choice == "enum" { first.clone() } else { minimal_instance(first) };
        }
    }
    let kind = schema["type"].as_str().or(schema["type"][0].as_str()).unwrap_or("object");
    match kind.to_ascii_lowercase().as_str() {
        "array" => json!([]),
        "string" => json!("scripted"),
        "boolean" => json!(false),
        "integer" | "number" => json!(1),
        "null" => Value::Null,
        _ => object(schema),
    }
}

fn object(schema: &Value) -> Value {
    let required = schema["required"].as_array();
    let fields = schema["properties"].as_object().into_iter().flatten();
    let wanted =
        fields.filter(|(name, _)| required.is_none_or(|names| names.iter().any(|known| *known == name.as_str())));
    Value::Object(wanted.map(|(name, field)| (name.clone(), minimal_instance(field))).collect::<Map<_, _>>())
}
