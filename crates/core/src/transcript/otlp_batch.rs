//! OTLP JSON. A collector writes millions of such lines, so texts are borrowed until it is known that their record is wanted.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::telemetry_records::{PARENT_SPAN, SPAN, STATED_NAMES, TelemetryRecord, status_message};
use crate::recorded::{Attributes, parse_time};

/// Whether a record is wanted, by the attributes of its resource and its name.
pub type RecordFilter<'a> = &'a dyn Fn(&Attributes, &str) -> bool;

/// Log records or spans.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OtlpBatch<'a> {
    #[serde(alias = "resourceSpans", borrow)]
    resource_logs: Vec<ResourceRecords<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ResourceRecords<'a> {
    #[serde(borrow)]
    resource: Resource<'a>,
    #[serde(alias = "scopeSpans", borrow)]
    scope_logs: Vec<ScopeRecords<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Resource<'a> {
    #[serde(borrow)]
    attributes: AttributeList<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ScopeRecords<'a> {
    #[serde(alias = "spans", borrow)]
    log_records: Vec<OtlpRecord<'a>>,
}

/// A log record or a span.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct OtlpRecord<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    body: Option<AnyValue<'a>>,
    #[serde(borrow)]
    attributes: AttributeList<'a>,
    status: Option<Value>,
    #[serde(borrow)]
    span_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    parent_span_id: Option<Cow<'a, str>>,
    time_unix_nano: Value,
    start_time_unix_nano: Value,
    observed_time_unix_nano: Value,
}

#[derive(Default, Deserialize)]
struct AttributeList<'a>(#[serde(borrow)] Vec<Attribute<'a>>);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Attribute<'a> {
    #[serde(borrow)]
    key: Cow<'a, str>,
    #[serde(borrow)]
    value: AnyValue<'a>,
}

/// A value of one of the kinds that OTLP has. Bytes stay in base64.
enum AnyValue<'a> {
    Text(Cow<'a, str>),
    Other(Value),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum ValueKind {
    StringValue,
    IntValue,
    ArrayValue,
    KvlistValue,
    #[serde(other)]
    Plain,
}

/// A text that is copied only if it has escapes.
#[derive(Deserialize)]
pub struct BorrowedText<'a>(#[serde(borrow)] pub Cow<'a, str>);

#[derive(Default, Deserialize)]
#[serde(default)]
struct ListValue<'a> {
    #[serde(borrow)]
    values: Vec<AnyValue<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MapValue<'a> {
    #[serde(borrow)]
    values: AttributeList<'a>,
}

impl Default for AnyValue<'_> {
    fn default() -> Self {
        AnyValue::Other(Value::Null)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for AnyValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AnyValue<'a>, D::Error> {
        struct ValueVisitor;
        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = AnyValue<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value with its kind")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AnyValue<'de>, A::Error> {
                let value = match map.next_key()? {
                    None => return Ok(AnyValue::default()),
                    Some(ValueKind::StringValue) => AnyValue::Text(map.next_value::<BorrowedText<'de>>()?.0),
                    // An integer may be a text.
                    Some(ValueKind::IntValue) => AnyValue::Other(match map.next_value()? {
                        Value::String(text) => text.parse::<i64>().map_or(Value::String(text), Value::from),
                        number => number,
                    }),
                    Some(ValueKind::ArrayValue) => {
                        let list: ListValue<'de> = map.next_value()?;
                        AnyValue::Other(list.values.into_iter().map(Value::from).collect())
                    }
                    Some(ValueKind::KvlistValue) => {
                        AnyValue::Other(Value::Object(map.next_value::<MapValue<'de>>()?.values.into_pairs()))
                    }
                    Some(ValueKind::Plain) => AnyValue::Other(map.next_value()?),
                };
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(value)
            }
        }
        deserializer.deserialize_map(ValueVisitor)
    }
}

impl From<AnyValue<'_>> for Value {
    fn from(value: AnyValue<'_>) -> Value {
        match value {
            AnyValue::Text(text) => Value::String(text.into_owned()),
            AnyValue::Other(value) => value,
        }
    }
}

impl AnyValue<'_> {
    fn as_str(&self) -> Option<&str> {
        if let AnyValue::Text(text) = self { Some(text) } else { None }
    }
}

impl AttributeList<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.0.iter().rfind(|attribute| attribute.key == key).and_then(|attribute| attribute.value.as_str())
    }

    fn into_pairs<T: FromIterator<(String, Value)>>(self) -> T {
        self.0.into_iter().map(|attribute| (attribute.key.into_owned(), attribute.value.into())).collect()
    }
}

impl OtlpBatch<'_> {
    /// The wanted records.
    pub fn records(self, is_wanted: RecordFilter<'_>) -> Vec<TelemetryRecord> {
        let mut all = Vec::new();
        for of_resource in self.resource_logs {
            let resource = Attributes::of_resource(of_resource.resource.attributes.into_pairs());
            let records = of_resource.scope_logs.into_iter().flat_map(|scope| scope.log_records);
            all.extend(records.filter_map(|record| record.with_resource(&resource, is_wanted)));
        }
        all
    }
}

impl OtlpRecord<'_> {
    /// The record with the attributes of its resource. `None` if it is not wanted.
    fn with_resource(self, resource: &Attributes, is_wanted: RecordFilter<'_>) -> Option<TelemetryRecord> {
        let stated = STATED_NAMES.iter().find_map(|key| self.attributes.text(key));
        let name = stated.or(self.name.as_deref()).or_else(|| self.body.as_ref()?.as_str()).unwrap_or_default();
        if !is_wanted(resource, name) {
            return None;
        }
        let name = name.to_owned();
        let nanoseconds = |at: &Value| {
            let at = at.as_str().map_or_else(|| at.as_i64(), |text| text.parse().ok())?;
            (at > 0).then_some(at / 1_000_000)
        };
        let times = [&self.time_unix_nano, &self.start_time_unix_nano, &self.observed_time_unix_nano];
        let stated = self.attributes.text("event.timestamp").and_then(parse_time);
        let at = stated.or_else(|| times.into_iter().find_map(nanoseconds));
        let mut own: Vec<_> = self.attributes.into_pairs();
        own.extend(status_message(self.status.as_ref()));
        let ids = [(SPAN, self.span_id), (PARENT_SPAN, self.parent_span_id)];
        own.extend(ids.into_iter().filter_map(|(key, id)| Some((key.to_owned(), Value::from(id?)))));
        Some(TelemetryRecord { name, attributes: resource.with_own(own), at })
    }
}
