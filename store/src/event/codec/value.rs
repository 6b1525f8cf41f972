//! Values as they are stored: an enum, written and read by hand so that no nesting overflows the stack.
//!
//! The bytes are those that a derived enum of these variants would have: Null, Bool, Int (128 bits), Float, Text,
//! List, Map.

use std::borrow::Cow;

use bincode::de::{BorrowDecode, BorrowDecoder};
use bincode::enc::{Encode, Encoder};
use bincode::error::{DecodeError, EncodeError};

use crate::value::Value;

/// Values nest at most this deep. Those of records end at 128.
const VALUE_DEPTH_MAX: usize = 256;

/// A value on its way to or from bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StoredValue<'a>(pub(crate) Cow<'a, Value>);

impl<'a> StoredValue<'a> {
    pub(crate) fn of(value: &'a Value) -> StoredValue<'a> {
        StoredValue(Cow::Borrowed(value))
    }

    pub(crate) fn into_value(self) -> Value {
        self.0.into_owned()
    }
}

impl Encode for StoredValue<'_> {
    fn encode<E: Encoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encode(&self.0, encoder, VALUE_DEPTH_MAX)
    }
}

fn encode<E: Encoder>(value: &Value, encoder: &mut E, depth_left: usize) -> Result<(), EncodeError> {
    let depth_left = depth_left.checked_sub(1).ok_or(EncodeError::Other("a value nests too deeply"))?;
    match value {
        Value::Null => 0u32.encode(encoder),
        Value::Bool(truth) => (1u32, truth).encode(encoder),
        Value::Int(number) => (2u32, number).encode(encoder),
        Value::Float(number) => (3u32, number).encode(encoder),
        Value::Text(text) => (4u32, text).encode(encoder),
        Value::List(items) => {
            (5u32, items.len() as u64).encode(encoder)?;
            items.iter().try_for_each(|item| encode(item, encoder, depth_left))
        }
        Value::Map(pairs) => {
            (6u32, pairs.len() as u64).encode(encoder)?;
            pairs.iter().try_for_each(|(key, value)| {
                key.encode(encoder)?;
                encode(value, encoder, depth_left)
            })
        }
    }
}

impl<'de, Context> BorrowDecode<'de, Context> for StoredValue<'de> {
    fn borrow_decode<D: BorrowDecoder<'de, Context = Context>>(decoder: &mut D) -> Result<Self, DecodeError> {
        decode(decoder, VALUE_DEPTH_MAX).map(|value| StoredValue(Cow::Owned(value)))
    }
}

fn decode<'de, D: BorrowDecoder<'de>>(decoder: &mut D, depth_left: usize) -> Result<Value, DecodeError> {
    let depth_left = depth_left.checked_sub(1).ok_or(DecodeError::Other("a value nests too deeply"))?;
    let variant: u32 = BorrowDecode::borrow_decode(decoder)?;
    Ok(match variant {
        0 => Value::Null,
        1 => Value::Bool(BorrowDecode::borrow_decode(decoder)?),
        2 => Value::Int(BorrowDecode::borrow_decode(decoder)?),
        3 => Value::Float(BorrowDecode::borrow_decode(decoder)?),
        4 => Value::Text(text(decoder)?),
        5 => {
            let mut items = Vec::with_capacity(len_of::<Value, D>(decoder)?);
            for _ in 0..items.capacity() {
                decoder.unclaim_bytes_read(size_of::<Value>());
                items.push(decode(decoder, depth_left)?);
            }
            Value::List(items)
        }
        6 => {
            let mut pairs = Vec::with_capacity(len_of::<(String, Value), D>(decoder)?);
            for _ in 0..pairs.capacity() {
                decoder.unclaim_bytes_read(size_of::<(String, Value)>());
                pairs.push((text(decoder)?, decode(decoder, depth_left)?));
            }
            Value::Map(pairs)
        }
        found => {
            return Err(DecodeError::UnexpectedVariant {
                type_name: "Value",
                allowed: &bincode::error::AllowedEnumVariants::Range { min: 0, max: 6 },
                found,
            });
        }
    })
}

fn text<'de, D: BorrowDecoder<'de>>(decoder: &mut D) -> Result<String, DecodeError> {
    <&'de str as BorrowDecode<'de, D::Context>>::borrow_decode(decoder).map(str::to_owned)
}

/// Reads how many items follow, and claims the memory that they need, so that a wrong number can't ask for all of it.
fn len_of<'de, T, D: BorrowDecoder<'de>>(decoder: &mut D) -> Result<usize, DecodeError> {
    let len: u64 = BorrowDecode::borrow_decode(decoder)?;
    let len = usize::try_from(len).map_err(|_| DecodeError::OutsideUsizeRange(len))?;
    decoder.claim_container_read::<T>(len)?;
    Ok(len)
}

#[cfg(test)]
mod tests {
    use super::super::CONFIG;
    use super::*;

    fn bytes(value: &Value) -> Result<Vec<u8>, EncodeError> {
        bincode::encode_to_vec(StoredValue::of(value), CONFIG)
    }

    #[test]
    fn values_read_back_with_every_digit() {
        for json in ["null", "true", "-3", "18446744073709551615", "0.1", "2.0", "\"é\"", r#"[1,{"b":[],"a":{}}]"#] {
            let value = Value::from_json(json).expect("the test's JSON is valid");
            let bytes = bytes(&value).expect("it is flat");
            let (back, len): (StoredValue<'_>, _) =
                bincode::borrow_decode_from_slice(&bytes, CONFIG).expect("it is whole");
            assert_eq!((back.into_value(), len), (value, bytes.len()));
        }
    }

    #[test]
    fn no_nesting_overflows_the_stack() {
        let nested = |depth| (0..depth).fold(Value::Null, |inner, _| Value::List(vec![inner]));
        assert!(bytes(&nested(VALUE_DEPTH_MAX - 1)).is_ok());
        assert!(bytes(&nested(VALUE_DEPTH_MAX)).is_err());
        let endless = [5u8, 1].repeat(1_000_000);
        assert!(bincode::borrow_decode_from_slice::<StoredValue<'_>, _>(&endless, CONFIG).is_err());
    }

    #[test]
    fn a_wrong_length_asks_for_no_memory() {
        for variant in [5, 6] {
            let huge = [&[variant, 253][..], &u64::MAX.to_le_bytes()].concat();
            assert!(bincode::borrow_decode_from_slice::<StoredValue<'_>, _>(&huge, CONFIG).is_err());
        }
    }
}
