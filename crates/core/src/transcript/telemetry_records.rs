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
            _ => (object.contains_key("resourceMetrics") || object.contains_key("scopeMetrics")).then(Vec::new),
        };
    };
    let mut all = Vec::new();
    for mut of_resource in items(&mut object, of_resource) {
        let resource = of_resource.get_mut("resource").map(Value::take).and_then(object_of);
        let resource = resource.map(|mut resource| attributes(&mut resource)).unwrap_or_default();
        for mut scope in items(&mut of_resource, of_scope) {
            all.extend(items(&mut scope, list).map(|record| otlp_record(record, &resource)));
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

fn otlp_record(mut record: Map<String, Value>, resource: &Attributes) -> TelemetryRecord {
    let own = attributes(&mut record);
    let body = record.get_mut("body").map(Value::take).map(plain_value);
    let name = own.get("event.name").or_else(|| record.get("name")).or(body.as_ref()).and_then(Value::as_str);
    let nanoseconds = |key: &str| {
        let at = record.get(key)?;
        let at = at.as_str().map_or_else(|| at.as_i64(), |text| text.parse().ok())?;
        (at > 0).then_some(at / 1_000_000)
    };
    let stated = own.get("event.timestamp").and_then(Value::as_str).and_then(parse_time);
    let at = ["timeUnixNano", "startTimeUnixNano", "observedTimeUnixNano"].into_iter().find_map(nanoseconds);
    TelemetryRecord {
        name: name.unwrap_or_default().to_owned(),
        at: stated.or(at),
        attributes: resource.clone().into_iter().chain(own).collect(),
    }
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

/// A record as the JavaScript SDK prints it: attributes are an object, and those of the resource a list of pairs.
fn printed_record(mut object: Map<String, Value>) -> TelemetryRecord {
    let own = object.get_mut("attributes").map(Value::take).and_then(object_of).unwrap_or_default();
    let pairs = object.get_mut("resource").and_then(|resource| resource.get_mut("_rawAttributes")).map(Value::take);
    let pair = |pair: Value| match pair {
        Value::Array(pair) => {
            <[Value; 2]>::try_from(pair).ok().and_then(|[key, value]| Some((key.as_str()?.to_owned(), value)))
        }
        _ => None,
    };
    let pairs = if let Some(Value::Array(pairs)) = pairs { pairs } else { Vec::new() };
    let name = own.get("event.name").or_else(|| object.get("name")).and_then(Value::as_str).unwrap_or_default();
    TelemetryRecord {
        name: name.to_owned(),
        at: own.get("event.timestamp").and_then(Value::as_str).and_then(parse_time),
        attributes: pairs.into_iter().filter_map(pair).chain(own).collect(),
    }
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
