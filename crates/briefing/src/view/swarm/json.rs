//! The original's JSON. By way of a map, so that unknown fields keep their order and of a repeated key the last wins.

use serde::de::{DeserializeOwned, Deserializer, Error};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::view::swarm::{SwarmCall, SwarmFunction, SwarmMessage, SwarmMode, SwarmRole};

const MESSAGE: [&str; 8] = ["role", "agentName", "mode", "content", "payload", "images", "tool_calls", "tool_call_id"];
const CALL: [&str; 3] = ["id", "type", "function"];
const FUNCTION: [&str; 2] = ["name", "arguments"];

/// Takes a field out; null is absent.
fn take<T: DeserializeOwned, E: Error>(fields: &mut Map<String, Value>, key: &str) -> Result<Option<T>, E> {
    match fields.shift_remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => T::deserialize(value).map(Some).map_err(|error| E::custom(format_args!("{key}: {error}"))),
    }
}

fn required<T: DeserializeOwned, E: Error>(fields: &mut Map<String, Value>, key: &'static str) -> Result<T, E> {
    take(fields, key)?.ok_or_else(|| E::missing_field(key))
}

/// Writes a field unless it is absent.
fn put<M: SerializeMap>(map: &mut M, key: &str, value: Option<&impl Serialize>) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(key, value))
}

/// Writes the unknown fields; one of a known name would be told twice, so it is left out.
fn put_extra<M: SerializeMap>(map: &mut M, extra: &Map<String, Value>, known: &[&str]) -> Result<(), M::Error> {
    extra.iter().filter(|(key, _)| !known.contains(&key.as_str())).try_for_each(|(key, value)| map.serialize_entry(key, value))
}

impl<'de> Deserialize<'de> for SwarmMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Map::deserialize(deserializer)?;
        Ok(Self {
            role: required(&mut fields, "role")?,
            agent: required(&mut fields, "agentName")?,
            mode: required(&mut fields, "mode")?,
            content: take(&mut fields, "content")?,
            payload: take(&mut fields, "payload")?,
            images: take(&mut fields, "images")?,
            tool_calls: take(&mut fields, "tool_calls")?,
            tool_call_id: take(&mut fields, "tool_call_id")?,
            extra: fields,
        })
    }
}

impl Serialize for SwarmMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", &self.role)?;
        map.serialize_entry("agentName", &self.agent)?;
        map.serialize_entry("mode", &self.mode)?;
        put(&mut map, "content", self.content.as_ref())?;
        put(&mut map, "payload", self.payload.as_ref())?;
        put(&mut map, "images", self.images.as_ref())?;
        put(&mut map, "tool_calls", self.tool_calls.as_ref())?;
        put(&mut map, "tool_call_id", self.tool_call_id.as_ref())?;
        put_extra(&mut map, &self.extra, &MESSAGE)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for SwarmCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Map::deserialize(deserializer)?;
        Ok(Self {
            id: take(&mut fields, "id")?,
            kind: take(&mut fields, "type")?,
            function: required(&mut fields, "function")?,
            extra: fields,
        })
    }
}

impl Serialize for SwarmCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        put(&mut map, "id", self.id.as_ref())?;
        put(&mut map, "type", self.kind.as_ref())?;
        map.serialize_entry("function", &self.function)?;
        put_extra(&mut map, &self.extra, &CALL)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for SwarmFunction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Map::deserialize(deserializer)?;
        Ok(Self {
            name: required(&mut fields, "name")?,
            arguments: take(&mut fields, "arguments")?.unwrap_or_default(),
            extra: fields,
        })
    }
}

impl Serialize for SwarmFunction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        put(&mut map, "arguments", Some(&self.arguments).filter(|arguments| !arguments.is_null()))?;
        put_extra(&mut map, &self.extra, &FUNCTION)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for SwarmRole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| Self::named(&name))
    }
}

impl Serialize for SwarmRole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for SwarmMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| Self::named(&name))
    }
}

impl Serialize for SwarmMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
