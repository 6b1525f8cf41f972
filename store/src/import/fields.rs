//! The fields of one raw record, borrowed from its bytes: both wire forms and the classic one.
//!
//! Fields that nobody reads are skipped, not built. Of a key that stands twice the last value counts and the key is
//! remembered; so is a key that none of the forms knows (M306). Texts, numbers and `null` are taken where a form
//! promises one of them (M368).

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// What a raw record says, before anybody asks what it means.
#[derive(Default)]
pub(super) struct Fields<'a> {
    /// The kind, in the flat and classic forms.
    pub(super) event: Option<Cow<'a, str>>,
    /// The kind and its fields, in the ProtoJSON form.
    pub(super) payload: Option<(&'static str, &'a RawValue)>,
    pub(super) timestamp: Option<f64>,
    pub(super) metadata: Metadata<'a>,
    pub(super) sender_id: Option<Cow<'a, str>>,
    pub(super) conversation_id: Option<Cow<'a, str>>,
    pub(super) sequence: Option<f64>,
    pub(super) name: Option<Cow<'a, str>>,
    pub(super) key: Option<Cow<'a, str>>,
    pub(super) value: Option<&'a RawValue>,
    pub(super) value_json: Option<Cow<'a, str>>,
    pub(super) text: Option<Cow<'a, str>>,
    pub(super) input_channel: Option<Cow<'a, str>>,
    pub(super) message_id: Option<Cow<'a, str>>,
    pub(super) data: Option<&'a RawValue>,
    pub(super) skill_id: Option<Cow<'a, str>>,
    pub(super) block_id: Option<Cow<'a, str>>,
    pub(super) step_id: Option<Cow<'a, str>>,
    pub(super) flow_id: Option<Cow<'a, str>>,
    pub(super) update: Option<Cow<'a, str>>,
    pub(super) tool_name: Option<Cow<'a, str>>,
    pub(super) arguments: Option<&'a RawValue>,
    pub(super) arguments_json: Option<Cow<'a, str>>,
    pub(super) result: Option<&'a RawValue>,
    pub(super) result_json: Option<Cow<'a, str>>,
    pub(super) is_error: bool,
    pub(super) error_message: Option<Cow<'a, str>>,
    pub(super) source: Option<Cow<'a, str>>,
    pub(super) policy: Option<Cow<'a, str>>,
    pub(super) confidence: Option<f64>,
    /// Whether what the record says was replaced after the run (M344).
    pub(super) is_anonymised: bool,
    /// Keys that stand twice.
    pub(super) doubled: Vec<String>,
    /// Keys that no form knows.
    pub(super) unknown: Vec<String>,
}

/// What readers use of an event's metadata.
#[derive(Default)]
pub(super) struct Metadata<'a> {
    pub(super) tool_call_id: Option<Cow<'a, str>>,
    pub(super) tool_batch_id: Option<Cow<'a, str>>,
    pub(super) skill_id: Option<Cow<'a, str>>,
    pub(super) source: Option<Cow<'a, str>>,
    pub(super) response_source: Option<Cow<'a, str>>,
    pub(super) utter_action: Option<Cow<'a, str>>,
    pub(super) message_type: Option<Cow<'a, str>>,
    pub(super) model_millis: Option<f64>,
    pub(super) trigger: Option<f64>,
    pub(super) provenance: Option<Provenance<'a>>,
    doubled: Vec<String>,
}

/// Who wrote a value, as the record says (M369).
#[derive(Default)]
pub(super) struct Provenance<'a> {
    pub(super) tool: Option<Cow<'a, str>>,
    pub(super) skill_id: Option<Cow<'a, str>>,
    pub(super) step: Option<Cow<'a, str>>,
    pub(super) frame_id: Option<Cow<'a, str>>,
    pub(super) arguments: Option<Cow<'a, str>>,
    pub(super) position: Option<f64>,
    pub(super) tool_call_id: Option<Cow<'a, str>>,
}

/// The payload keys of the ProtoJSON form (M311).
const PAYLOADS: [&str; 26] = [
    "session_started",
    "user",
    "bot",
    "bot_turn_ended",
    "memory_set",
    "memory_cleared",
    "tool_executed",
    "stack",
    "skill_activated",
    "skill_completed",
    "skill_cancelled",
    "skill_interrupted",
    "skill_resumed",
    "ordered_block_entered",
    "ordered_block_completed",
    "ordered_block_cancelled",
    "ordered_block_interrupted",
    "ordered_block_resumed",
    "action",
    "session_ended",
    "inactive",
    "user_barge_in",
    "tts_finished",
    "user_silence_timeout",
    "user_input_suppressed",
    "unsupported_request_classified",
];

/// Fields that the forms know and readers don't use.
const UNUSED: [&str; 25] = [
    "parse_data",
    "filled_by",
    "user_id",
    "event_id",
    "deployment_environment",
    "session_id",
    "mcp_server",
    "action_text",
    "hide_rule_turn",
    "label",
    "reason",
    "user_message",
    "modality",
    "timeout",
    "discarded",
    "entities",
    "intent",
    "trigger_date_time",
    "kill_on_user_msg",
    "validate",
    "is_interrupted",
    "use_text_for_featurization",
    "model_id",
    "model_name",
    "assistant_id",
];

/// Returns whether a key names a payload of the ProtoJSON form.
pub(super) fn is_payload(key: &str) -> bool {
    PAYLOADS.contains(&key)
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event: a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
        let mut fields = Fields::default();
        let mut seen = Seen::default();
        while let Some(Key(key)) = map.next_key()? {
            let place = match &*key {
                "event" => set_text(&mut fields.event, &mut map, 0)?,
                "timestamp" => set_number(&mut fields.timestamp, &mut map, 1)?,
                "metadata" => {
                    fields.metadata = map.next_value()?;
                    fields.doubled.append(&mut fields.metadata.doubled);
                    2
                }
                "name" => set_text(&mut fields.name, &mut map, 3)?,
                "key" => set_text(&mut fields.key, &mut map, 4)?,
                "value" => set_raw(&mut fields.value, &mut map, 5)?,
                "value_json" => set_text(&mut fields.value_json, &mut map, 6)?,
                "text" => set_text(&mut fields.text, &mut map, 7)?,
                "input_channel" => set_text(&mut fields.input_channel, &mut map, 8)?,
                "message_id" => set_text(&mut fields.message_id, &mut map, 9)?,
                "data" => set_raw(&mut fields.data, &mut map, 10)?,
                "skill_id" => set_text(&mut fields.skill_id, &mut map, 11)?,
                "block_id" => set_text(&mut fields.block_id, &mut map, 12)?,
                "step_id" => set_text(&mut fields.step_id, &mut map, 13)?,
                "flow_id" => set_text(&mut fields.flow_id, &mut map, 14)?,
                "update" => set_text(&mut fields.update, &mut map, 15)?,
                "tool_name" => set_text(&mut fields.tool_name, &mut map, 16)?,
                "arguments" => set_raw(&mut fields.arguments, &mut map, 17)?,
                "arguments_json" => set_text(&mut fields.arguments_json, &mut map, 18)?,
                "result" => set_raw(&mut fields.result, &mut map, 19)?,
                "result_json" => set_text(&mut fields.result_json, &mut map, 20)?,
                "is_error" => {
                    fields.is_error = map.next_value::<Option<bool>>()?.unwrap_or(false);
                    21
                }
                "error_message" => set_text(&mut fields.error_message, &mut map, 22)?,
                "source" => set_text(&mut fields.source, &mut map, 23)?,
                "policy" => set_text(&mut fields.policy, &mut map, 24)?,
                "confidence" => set_number(&mut fields.confidence, &mut map, 25)?,
                "sender_id" => set_text(&mut fields.sender_id, &mut map, 26)?,
                "conversation_id" => set_text(&mut fields.conversation_id, &mut map, 27)?,
                "sequence" => set_number(&mut fields.sequence, &mut map, 28)?,
                "anonymized_at" => {
                    // A time where it happened; a zero is the default of the ProtoJSON form.
                    let time: &RawValue = map.next_value()?;
                    fields.is_anonymised = !["null", "0", "0.0", "\"\"", "false"].contains(&time.get());
                    29
                }
                other => match place_of(other) {
                    Some((place, Some(payload))) => {
                        fields.payload = Some((payload, map.next_value()?));
                        place
                    }
                    Some((place, None)) => {
                        map.next_value::<IgnoredAny>()?;
                        place
                    }
                    None => {
                        map.next_value::<IgnoredAny>()?;
                        fields.unknown.push(key.into_owned());
                        continue;
                    }
                },
            };
            if seen.again(place) {
                fields.doubled.push(key.into_owned());
            }
        }
        // A flat record may name a field as the other form names a payload; an unknown kind of that form may not.
        if fields.event.is_some() {
            fields.payload = None;
        }
        Ok(fields)
    }
}

/// Returns the place of a rarer key among those seen, and the payload that it names.
fn place_of(key: &str) -> Option<(u8, Option<&'static str>)> {
    if let Some(index) = UNUSED.iter().position(|unused| *unused == key) {
        return Some((30 + index as u8, None));
    }
    let index = PAYLOADS.iter().position(|payload| *payload == key)?;
    Some((30 + (UNUSED.len() + index) as u8, Some(PAYLOADS[index])))
}

/// The keys of one object that were met.
#[derive(Default)]
struct Seen(u128);

impl Seen {
    /// Returns whether the key was met before, and notes it.
    fn again(&mut self, place: u8) -> bool {
        let bit = 1 << place;
        let again = self.0 & bit != 0;
        self.0 |= bit;
        again
    }
}

fn set_text<'de, A: MapAccess<'de>>(field: &mut Option<Cow<'de, str>>, map: &mut A, place: u8) -> Result<u8, A::Error> {
    *field = map.next_value::<Text<'de>>()?.0;
    Ok(place)
}

fn set_number<'de, A: MapAccess<'de>>(field: &mut Option<f64>, map: &mut A, place: u8) -> Result<u8, A::Error> {
    *field = map.next_value::<Option<f64>>()?;
    Ok(place)
}

fn set_raw<'de, A: MapAccess<'de>>(field: &mut Option<&'de RawValue>, map: &mut A, place: u8) -> Result<u8, A::Error> {
    *field = Some(map.next_value()?);
    Ok(place)
}

impl<'de> Deserialize<'de> for Metadata<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MetadataVisitor)
    }
}

struct MetadataVisitor;

impl<'de> Visitor<'de> for MetadataVisitor {
    type Value = Metadata<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("metadata: an object, or a text that holds one")
    }

    fn visit_unit<E>(self) -> Result<Metadata<'de>, E> {
        Ok(Metadata::default())
    }

    /// The ProtoJSON form has the object as JSON in a text (M307).
    fn visit_str<E: Error>(self, text: &str) -> Result<Metadata<'de>, E> {
        if text.is_empty() {
            return Ok(Metadata::default());
        }
        serde_json::from_str::<Metadata<'_>>(text).map(Metadata::into_owned).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Metadata<'de>, A::Error> {
        let mut metadata = Metadata::default();
        let mut seen = Seen::default();
        while let Some(Key(key)) = map.next_key()? {
            let place = match &*key {
                "tool_call_id" => set_text(&mut metadata.tool_call_id, &mut map, 0)?,
                "tool_batch_id" => set_text(&mut metadata.tool_batch_id, &mut map, 1)?,
                "skill_id" => set_text(&mut metadata.skill_id, &mut map, 2)?,
                "source" => set_text(&mut metadata.source, &mut map, 3)?,
                "mantle_response_source" => set_text(&mut metadata.response_source, &mut map, 4)?,
                "utter_action" => set_text(&mut metadata.utter_action, &mut map, 5)?,
                "agent_message_type" => set_text(&mut metadata.message_type, &mut map, 6)?,
                "llm_total_time_ms" => set_number(&mut metadata.model_millis, &mut map, 7)?,
                "triggering_user_message_timestamp" => set_number(&mut metadata.trigger, &mut map, 8)?,
                "mantle_write_provenance" => {
                    metadata.provenance = map.next_value()?;
                    9
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if seen.again(place) {
                metadata.doubled.push(key.into_owned());
            }
        }
        Ok(metadata)
    }
}

impl Metadata<'_> {
    fn into_owned<'any>(self) -> Metadata<'any> {
        Metadata {
            tool_call_id: owned(self.tool_call_id),
            tool_batch_id: owned(self.tool_batch_id),
            skill_id: owned(self.skill_id),
            source: owned(self.source),
            response_source: owned(self.response_source),
            utter_action: owned(self.utter_action),
            message_type: owned(self.message_type),
            model_millis: self.model_millis,
            trigger: self.trigger,
            provenance: self.provenance.map(|provenance| Provenance {
                tool: owned(provenance.tool),
                skill_id: owned(provenance.skill_id),
                step: owned(provenance.step),
                frame_id: owned(provenance.frame_id),
                arguments: owned(provenance.arguments),
                position: provenance.position,
                tool_call_id: owned(provenance.tool_call_id),
            }),
            doubled: self.doubled,
        }
    }
}

fn owned<'any>(text: Option<Cow<'_, str>>) -> Option<Cow<'any, str>> {
    text.map(|text| Cow::Owned(text.into_owned()))
}

impl<'de> Deserialize<'de> for Provenance<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ProvenanceVisitor)
    }
}

struct ProvenanceVisitor;

impl<'de> Visitor<'de> for ProvenanceVisitor {
    type Value = Provenance<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the provenance of a write: an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Provenance<'de>, A::Error> {
        let mut provenance = Provenance::default();
        while let Some(Key(key)) = map.next_key()? {
            match &*key {
                "tool" => provenance.tool = map.next_value::<Text<'de>>()?.0,
                "skill_id" => provenance.skill_id = map.next_value::<Text<'de>>()?.0,
                "step" => provenance.step = map.next_value::<Text<'de>>()?.0,
                "frame_id" => provenance.frame_id = map.next_value::<Text<'de>>()?.0,
                "arguments" => provenance.arguments = Some(Cow::Borrowed(map.next_value::<&RawValue>()?.get())),
                "position" => provenance.position = map.next_value()?,
                "tool_call_id" => provenance.tool_call_id = map.next_value::<Text<'de>>()?.0,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(provenance)
    }
}

/// A key of an object, borrowed where it holds no escape.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor).map(|text| Key(text.0.unwrap_or_default()))
    }
}

/// A text, borrowed where it holds no escape; a number or truth value as its own text; nothing for `null`.
struct Text<'a>(Option<Cow<'a, str>>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_unit<E>(self) -> Result<Text<'de>, E> {
        Ok(Text(None))
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Text<'de>, E> {
        Ok(Text(Some(Cow::Owned(truth.to_string()))))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Text<'de>, E> {
        Ok(Text(Some(Cow::Owned(number.to_string()))))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Text<'de>, E> {
        Ok(Text(Some(Cow::Owned(number.to_string()))))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Text<'de>, E> {
        Ok(Text(Some(Cow::Owned(number.to_string()))))
    }
}
