//! The records in OpenTelemetry data: OTLP JSON, and the objects that the JavaScript SDK writes when it prints a record.

use serde_json::{Map, Value};

use crate::recorded::{Attributes, parse_time};

/// A log record or a span.
#[derive(Debug, Clone, PartialEq)]
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
pub fn records(object: Value) -> Option<Vec<TelemetryRecord>> {
    let Value::Object(mut object) = object else { return None };
    let kinds = [("resourceLogs", "scopeLogs", "logRecords"), ("resourceSpans", "scopeSpans", "spans")];
    let kind = kinds.into_iter().find(|(of_resource, ..)| object.contains_key(*of_resource));
    let Some((of_resource, of_scope, list)) = kind else {
        return match object.get("attributes") {
            Some(Value::Object(_)) => Some(vec![printed_record(object)]),
            // Metrics say nothing of single events.
            _ => {
                let is_metric = object.get("type").is_some_and(|kind| kind == "metric");
                let metrics = ["resourceMetrics", "scopeMetrics"].iter().any(|key| object.contains_key(*key));
                (is_metric || metrics).then(Vec::new)
            }
        };
    };
    let mut all = Vec::new();
    for mut of_resource in items(&mut object, of_resource) {
        let resource = of_resource.get_mut("resource").map(Value::take).and_then(object_of);
        let resource = resource.map(|mut resource| attributes(&mut resource)).unwrap_or_default();
        for mut scope in items(&mut of_resource, of_scope) {
            for mut record in items(&mut scope, list) {
                let own = attributes(&mut record);
                let body = record.get_mut("body").map(Value::take).map(plain_value);
                let name = record.get("name").and_then(Value::as_str);
                let times = ["timeUnixNano", "startTimeUnixNano", "observedTimeUnixNano"];
                let times = times.map(|key| record.get(key).cloned().unwrap_or_default());
                all.extend(otlp_record(name, body.as_ref(), own, record.get("status"), &times, &resource, &|_| true));
            }
        }
    }
    Some(all)
}

fn object_of(value: Value) -> Option<Map<String, Value>> {
    if let Value::Object(object) = value { Some(object) } else { None }
}

/// Takes the objects in a list.
fn items(of: &mut Map<String, Value>, key: &str) -> impl Iterator<Item = Map<String, Value>> + use<> {
    let list = if let Some(Value::Array(list)) = of.get_mut(key).map(Value::take) { list } else { Vec::new() };
    list.into_iter().filter_map(object_of)
}

/// A log record or a span with its parts. `None` if its name is not wanted. The times are the best first.
pub fn otlp_record(
    name: Option<&str>,
    body: Option<&Value>,
    own: Attributes,
    status: Option<&Value>,
    times: &[Value; 3],
    resource: &Attributes,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<TelemetryRecord> {
    let name = stated_name(&own).and_then(Value::as_str).or(name).or_else(|| body?.as_str()).unwrap_or_default();
    if !is_wanted(name) {
        return None;
    }
    let name = name.to_owned();
    let nanoseconds = |at: &Value| {
        let at = at.as_str().map_or_else(|| at.as_i64(), |text| text.parse().ok())?;
        (at > 0).then_some(at / 1_000_000)
    };
    let stated = own.get("event.timestamp").and_then(Value::as_str).and_then(parse_time);
    let at = stated.or_else(|| times.iter().find_map(nanoseconds));
    let mut attributes = with_status(own, status);
    for (key, value) in resource {
        if !attributes.contains_key(key) {
            attributes.insert(key.clone(), value.clone());
        }
    }
    Some(TelemetryRecord { name, attributes, at })
}

/// The name of an event, or of a kind of spans, whose own names hold their subjects.
fn stated_name(attributes: &Attributes) -> Option<&Value> {
    attributes.get("event.name").or_else(|| attributes.get("gen_ai.operation.name"))
}

/// Adds the message of a span's status, which says why it failed.
fn with_status(mut attributes: Attributes, status: Option<&Value>) -> Attributes {
    if let Some(message) = status.and_then(|status| status.get("message")) {
        attributes.insert("status.message".to_owned(), message.clone());
    }
    attributes
}

/// Takes a list of attributes.
fn attributes(of: &mut Map<String, Value>) -> Attributes {
    let pair = |mut pair: Map<String, Value>| {
        let Some(Value::String(key)) = pair.get_mut("key").map(Value::take) else { return None };
        Some((key, plain_value(pair.get_mut("value").map(Value::take)?)))
    };
    items(of, "attributes").filter_map(pair).collect()
}

/// The value of one of the kinds that OTLP has. An integer may be a text, and bytes stay in base64.
fn plain_value(value: Value) -> Value {
    let Value::Object(value) = value else { return Value::Null };
    let Some((kind, value)) = value.into_iter().next() else { return Value::Null };
    match (kind.as_str(), value) {
        ("intValue", Value::String(text)) => text.parse::<i64>().map_or(Value::String(text), Value::from),
        ("arrayValue", Value::Object(mut list)) => {
            items(&mut list, "values").map(|item| plain_value(item.into())).collect()
        }
        ("kvlistValue", Value::Object(mut list)) => {
            let list = list.get_mut("values").map(Value::take).unwrap_or_default();
            Value::Object(attributes(&mut Map::from_iter([("attributes".to_owned(), list)])))
        }
        (_, value) => value,
    }
}

/// A record as the JavaScript SDK prints it: attributes are an object, and those of the resource an object or a list of
/// pairs.
fn printed_record(mut object: Map<String, Value>) -> TelemetryRecord {
    let own = object.get_mut("attributes").map(Value::take).and_then(object_of).unwrap_or_default();
    let own = with_status(own, object.get("status"));
    let mut resource = object.get_mut("resource").map(Value::take).and_then(object_of).unwrap_or_default();
    let pair = |pair: Value| match pair {
        Value::Array(pair) => {
            <[Value; 2]>::try_from(pair).ok().and_then(|[key, value]| Some((key.as_str()?.to_owned(), value)))
        }
        _ => None,
    };
    let mut all = resource.get_mut("attributes").map(Value::take).and_then(object_of).unwrap_or_default();
    if let Some(Value::Array(pairs)) = resource.get_mut("_rawAttributes").map(Value::take) {
        all.extend(pairs.into_iter().filter_map(pair));
    }
    let name = stated_name(&own).or_else(|| object.get("name")).and_then(Value::as_str).unwrap_or_default();
    // Seconds and nanoseconds.
    let started = object
        .get("startTime")
        .and_then(|at| at.get(0)?.as_i64()?.checked_mul(1000)?.checked_add(at.get(1)?.as_i64()? / 1_000_000));
    let stated = own.get("event.timestamp").and_then(Value::as_str).and_then(parse_time);
    let (name, at) = (name.to_owned(), stated.or(started));
    all.extend(own);
    TelemetryRecord { name, at, attributes: all }
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
            {"key": "e", "value": {}}, {"value": {"stringValue": "no key"}},
        ]);
        let want = json!({"service.name": "x", "s": "x", "b": true, "i": 9_007_199_254_740_993_i64, "n": 7, "d": 0.5,
            "y": "AAE=", "a": [1, "2"], "k": {"in": false}, "e": null});
        let resource = json!({"attributes": [{"key": "service.name", "value": {"stringValue": "x"}}]});
        let log = json!({"timeUnixNano": "0", "observedTimeUnixNano": "1796043835746832875", "body": {"stringValue": "said"}, "attributes": list});
        let span = json!({"name": "said", "startTimeUnixNano": "1796043835746832875", "attributes": list});
        for object in [
            json!({"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [log]}]}]}),
            json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}),
        ] {
            let found = records(object).unwrap();
            assert_eq!((found[0].name.as_str(), found[0].at), ("said", Some(1_796_043_835_746)));
            assert_eq!(Value::Object(found[0].attributes.clone()), want);
            assert_eq!(found.len(), 1);
        }
    }

    #[test]
    fn objects_that_are_not_records() {
        for (object, want) in [
            (json!({"resourceMetrics": []}), Some(Vec::new())),
            (json!({"resourceLogs": 7}), Some(Vec::new())),
            (json!({"resourceLogs": [{"scopeLogs": [{"logRecords": ["x"]}]}]}), Some(Vec::new())),
            (json!({"a": 1}), None),
            (json!([]), None),
        ] {
            assert_eq!(records(object.clone()), want, "{object}");
        }
    }
}
