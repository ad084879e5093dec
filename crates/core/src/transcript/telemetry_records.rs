//! The records in OpenTelemetry data: OTLP JSON, and the objects that the JavaScript SDK writes when it prints a record.

use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::otlp_batch::OtlpBatch;
use crate::recorded::{Attributes, parse_time};

/// The attributes with the kind of an event or of a span, the best first. The names of spans hold their subjects.
pub const STATED_NAMES: [&str; 2] = ["event.name", "gen_ai.operation.name"];

/// The attributes with the id of a span, and with that of the span around it.
pub const SPAN: &str = "span.id";
pub const PARENT_SPAN: &str = "span.parent_id";

/// A log record or a span.
#[derive(Debug, Clone)]
pub struct TelemetryRecord {
    pub name: String,
    /// Of the resource and of the record.
    pub attributes: Attributes,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
}

impl TelemetryRecord {
    /// A text among the attributes.
    pub fn word(&self, key: &str) -> Option<&str> {
        self.attributes.get(key).and_then(Value::as_str)
    }
}

/// The records of an object. `None` if it is not telemetry.
pub fn records(object: &Value) -> Option<Vec<TelemetryRecord>> {
    if let Ok(batch) = OtlpBatch::deserialize(object) {
        return Some(batch.records(&|_, _| true));
    }
    let object = object.as_object()?;
    match object.get("attributes") {
        Some(Value::Object(own)) => Some(vec![printed_record(object, own)]),
        // Metrics say nothing of single events.
        _ => {
            let is_metric = object.get("type").is_some_and(|kind| kind == "metric");
            let metrics = ["resourceMetrics", "scopeMetrics"].iter().any(|key| object.contains_key(*key));
            (is_metric || metrics).then(Vec::new)
        }
    }
}

/// The message of a span's status says why it failed.
pub fn status_message(status: Option<&Value>) -> Option<(String, Value)> {
    Some(("status.message".to_owned(), status?.get("message")?.clone()))
}

/// A record as the JavaScript SDK prints it: attributes are an object, and those of the resource an object or a list of
/// pairs.
fn printed_record(object: &Map<String, Value>, own: &Map<String, Value>) -> TelemetryRecord {
    let resource = object.get("resource");
    let pair = |pair: &Value| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.clone()));
    let of_resource = |key: &str| resource.and_then(|resource| resource.get(key));
    let members = of_resource("attributes").and_then(Value::as_object).cloned().unwrap_or_default();
    let pairs = of_resource("_rawAttributes").and_then(Value::as_array).into_iter().flatten().filter_map(pair);
    let resource = Attributes::of_resource(members.into_iter().chain(pairs).collect());
    let attributes = own.clone().into_iter().chain(status_message(object.get("status"))).collect();
    let text = |key: &str| own.get(key).and_then(Value::as_str);
    let name = STATED_NAMES.iter().find_map(|key| text(key)).or_else(|| object.get("name")?.as_str());
    // Seconds and nanoseconds.
    let started = object
        .get("startTime")
        .and_then(|at| at.get(0)?.as_i64()?.checked_mul(1000)?.checked_add(at.get(1)?.as_i64()? / 1_000_000));
    let at = text("event.timestamp").and_then(parse_time).or(started);
    TelemetryRecord { name: name.unwrap_or_default().to_owned(), at, attributes: resource.with_own(attributes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_of_all_kinds_and_both_signals() {
        let list = json!([
            {"key": "s", "value": {"stringValue": "x"}}, {"key": "b", "value": {"boolValue": true}},
            {"key": "i", "value": {"intValue": "9007199254740993"}}, {"key": "n", "value": {"intValue": 7}},
            {"key": "d", "value": {"doubleValue": 0.5}}, {"key": "y", "value": {"bytesValue": "AAE="}},
            {"key": "a", "value": {"arrayValue": {"values": [{"intValue": "1"}, {"stringValue": "2"}]}}},
            {"key": "k", "value": {"kvlistValue": {"values": [{"key": "in", "value": {"boolValue": false}}]}}},
            {"key": "e", "value": {}}, {"key": "x"},
        ]);
        let want = json!({"service.name": "x", "s": "x", "b": true, "i": 9_007_199_254_740_993_i64, "n": 7, "d": 0.5,
            "y": "AAE=", "a": [1, "2"], "k": {"in": false}, "e": null, "x": null});
        let resource = json!({"attributes": [{"key": "service.name", "value": {"stringValue": "x"}}]});
        let log = json!({"timeUnixNano": "0", "observedTimeUnixNano": "1796043835746832875", "body": {"stringValue": "said"}, "attributes": list});
        let span = json!({"name": "said", "startTimeUnixNano": "1796043835746832875", "attributes": list});
        for object in [
            json!({"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [log]}]}]}),
            json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}),
        ] {
            let text = object.to_string();
            let batch = || serde_json::from_str::<OtlpBatch<'_>>(&text).unwrap();
            let is_wanted =
                |resource: &Attributes, name: &str| resource.get("service.name").is_some() && name == "said";
            for found in [batch().records(&is_wanted), records(&object).unwrap()] {
                assert_eq!(found.len(), 1);
                assert_eq!((found[0].name.as_str(), found[0].at), ("said", Some(1_796_043_835_746)));
                for (key, value) in want.as_object().unwrap() {
                    assert_eq!(found[0].attributes.get(key), Some(value), "{key}");
                }
            }
            assert_eq!(batch().records(&|_, name| name == "other").len(), 0);
        }
    }

    #[test]
    fn objects_that_are_not_records() {
        for (object, want) in [
            (json!({"resourceMetrics": []}), Some(0)),
            (json!({"resourceLogs": 7}), None),
            (json!({"resourceLogs": [{}, {"scopeLogs": [{}]}]}), Some(0)),
            (json!({"resourceLogs": [{"scopeLogs": [{"logRecords": ["x"]}]}]}), None),
            (json!({"a": 1}), None),
            (json!([]), None),
        ] {
            assert_eq!(records(&object).map(|records| records.len()), want, "{object}");
        }
    }
}
