//! OTLP JSON in its usual form, read without a tree of its values: a collector writes millions of such lines. Every other form is
//! left to `telemetry_records`.

use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::telemetry_records::{TelemetryRecord, otlp_record};
use crate::recorded::Attributes;

/// Whether a record is wanted, by the attributes of its resource and its name.
pub type RecordFilter<'a> = &'a dyn Fn(&Attributes, &str) -> bool;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Batch {
    #[serde(alias = "resourceSpans")]
    resource_logs: Vec<ResourceRecords>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceRecords {
    #[serde(default)]
    resource: Resource,
    #[serde(default, alias = "scopeSpans")]
    scope_logs: Vec<ScopeRecords>,
}

#[derive(Default, Deserialize)]
struct Resource {
    #[serde(default)]
    attributes: AttributeList,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScopeRecords {
    #[serde(default, alias = "spans")]
    log_records: Vec<OtlpRecord>,
}

/// A log record or a span.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OtlpRecord {
    name: Option<String>,
    body: Option<AnyValue>,
    attributes: AttributeList,
    status: Option<Value>,
    time_unix_nano: Value,
    start_time_unix_nano: Value,
    observed_time_unix_nano: Value,
}

#[derive(Default)]
struct AttributeList(Attributes);

#[derive(Deserialize)]
struct Attribute {
    key: String,
    value: AnyValue,
}

impl<'de> Deserialize<'de> for AttributeList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AttributeList, D::Error> {
        struct ListVisitor;
        impl<'de> Visitor<'de> for ListVisitor {
            type Value = AttributeList;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of attributes")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<AttributeList, A::Error> {
                let mut all = Map::with_capacity(list.size_hint().unwrap_or(32));
                while let Some(Attribute { key, value }) = list.next_element()? {
                    all.insert(key, value.into());
                }
                Ok(AttributeList(all))
            }
        }
        deserializer.deserialize_seq(ListVisitor)
    }
}

#[derive(Deserialize)]
enum AnyValue {
    #[serde(rename = "stringValue")]
    String(String),
    #[serde(rename = "boolValue")]
    Bool(bool),
    #[serde(rename = "intValue")]
    Int(Value),
    #[serde(rename = "doubleValue")]
    Double(Value),
    #[serde(rename = "bytesValue")]
    Bytes(Value),
    #[serde(rename = "arrayValue")]
    Array { values: Vec<AnyValue> },
    #[serde(rename = "kvlistValue")]
    Kvlist { values: AttributeList },
}

impl From<AnyValue> for Value {
    fn from(value: AnyValue) -> Value {
        match value {
            AnyValue::String(text) => Value::String(text),
            AnyValue::Bool(value) => Value::Bool(value),
            AnyValue::Int(Value::String(text)) => text.parse::<i64>().map_or(Value::String(text), Value::from),
            AnyValue::Int(value) | AnyValue::Double(value) | AnyValue::Bytes(value) => value,
            AnyValue::Array { values } => values.into_iter().map(Value::from).collect(),
            AnyValue::Kvlist { values } => Value::Object(values.0),
        }
    }
}

/// The wanted records in a text. `None` if it has another form.
pub fn wanted_records(text: &str, is_wanted: RecordFilter<'_>) -> Option<Vec<TelemetryRecord>> {
    let batch: Batch = serde_json::from_str(text).ok()?;
    let mut all = Vec::new();
    for of_resource in batch.resource_logs {
        let resource = of_resource.resource.attributes.0;
        for record in of_resource.scope_logs.into_iter().flat_map(|scope| scope.log_records) {
            let OtlpRecord { name, body, attributes, status, .. } = record;
            let times = [record.time_unix_nano, record.start_time_unix_nano, record.observed_time_unix_nano];
            let is_wanted = |name: &str| is_wanted(&resource, name);
            let body = body.map(Value::from);
            all.extend(otlp_record(
                name.as_deref(),
                body.as_ref(),
                attributes.0,
                status.as_ref(),
                &times,
                &resource,
                &is_wanted,
            ));
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::transcript::telemetry_records::records;

    /// Both ways to read a batch give the same records.
    #[test]
    fn a_batch_equals_its_tree_of_values() {
        let list = json!([
            {"key": "s", "value": {"stringValue": "x"}}, {"key": "i", "value": {"intValue": "9007199254740993"}},
            {"key": "n", "value": {"intValue": 7}}, {"key": "d", "value": {"doubleValue": 0.5}},
            {"key": "a", "value": {"arrayValue": {"values": [{"intValue": "1"}, {"boolValue": true}]}}},
            {"key": "k", "value": {"kvlistValue": {"values": [{"key": "in", "value": {"bytesValue": "AAE="}}]}}},
        ]);
        let resource = json!({"attributes": [
            {"key": "service.name", "value": {"stringValue": "x"}}, {"key": "s", "value": {"stringValue": "of the resource"}},
        ]});
        let log = json!({"timeUnixNano": "0", "observedTimeUnixNano": "1796043835746832875", "body": {"stringValue": "said"}, "attributes": list});
        let span = json!({"name": "other", "startTimeUnixNano": "1796043835746832875", "attributes": list, "status": {"code": 2, "message": "why"}});
        for object in [
            json!({"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [log, log]}, {}]}]}),
            json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}, {}]}),
        ] {
            let all = records(object.clone());
            assert_eq!(wanted_records(&object.to_string(), &|_, _| true), all);
            let named = wanted_records(&object.to_string(), &|resource, name| {
                resource["service.name"] == "x" && name == "said"
            });
            assert_eq!(
                named.map(|named| named.len()),
                all.map(|all| all.iter().filter(|one| one.name == "said").count())
            );
        }
    }

    /// They are left to the tree of values.
    #[test]
    fn batches_in_other_forms() {
        for text in [
            r#"{"resourceMetrics": []}"#,
            r#"{"resourceLogs": 7}"#,
            r#"{"resourceLogs": [{"scopeLogs": [{"logRecords": ["x"]}]}]}"#,
            r#"{"resourceLogs": [{"resource": {"attributes": [{"key": "e", "value": {}}]}}]}"#,
            r#"{"resourceLogs": []"#,
            "[]",
        ] {
            assert_eq!(wanted_records(text, &|_, _| true), None, "{text}");
        }
    }
}
