//! Reads `responses.yml` (M220 to M231).

use super::field::Context;
use super::response::{Button, Response, ResponseSource, Variant};
use super::yaml::{Kind, Node};
use crate::diagnostic::{Place, Spanned, code};
use crate::name::Name;
use crate::value::Value;

const VARIANT_KEYS: [&str; 4] = ["text", "metadata", "condition", "buttons"];

/// Reads the responses of a file, in its order.
pub(super) fn read(context: &mut Context<'_>, root: &Node, source: &ResponseSource) -> Vec<Response> {
    if !root.is_null() && root.get("responses").is_none() {
        context.warn(code::RESPONSE_SHAPE, &root.at, "responses stand under `responses:`; this file declares none");
    }
    let pairs = context.pairs_of(root, "responses").iter();
    pairs
        .map(|pair| Response {
            name: Name::from(pair.key.as_str()),
            source: source.clone(),
            variants: variants(context, &pair.key, &pair.value, &pair.key_at),
            at: pair.key_at.clone(),
        })
        .collect()
}

fn variants(context: &mut Context<'_>, name: &str, node: &Node, at: &Place) -> Vec<Variant> {
    let items = node.items();
    if items.is_empty() {
        let message = format!("`{name}` takes a list of variants with at least one in it");
        context.error(code::RESPONSE_SHAPE, at, message);
    }
    items.iter().filter_map(|item| variant(context, item)).collect()
}

fn variant(context: &mut Context<'_>, node: &Node) -> Option<Variant> {
    match &node.kind {
        Kind::Map(pairs) => context.check_keys(pairs, &VARIANT_KEYS, code::RESPONSE_KEY, "a variant"),
        Kind::Scalar(Value::Text(text), _) => {
            let text = Spanned { value: text.clone(), at: node.at.clone() };
            return Some(Variant { text, ..empty(node) });
        }
        Kind::Scalar(..) | Kind::List(_) => {
            let message = format!("a variant is a text or a mapping, and this is {}", node.kind_word());
            context.error(code::RESPONSE_SHAPE, &node.at, message);
            return None;
        }
    }
    let metadata = node.get("metadata");
    let (buttons, button_source) = buttons(context, node);
    Some(Variant {
        text: context.text_of(node, "text").unwrap_or_else(|| empty(node).text),
        condition: context.gate_of(node, "condition"),
        rephrase: metadata.is_some_and(|metadata| context.flag_of(metadata, "rephrase")),
        metadata: metadata.map(Node::to_value).unwrap_or_default(),
        buttons,
        button_source,
    })
}

fn empty(node: &Node) -> Variant {
    Variant {
        text: Spanned { value: String::new(), at: node.at.clone() },
        condition: None,
        metadata: Value::Null,
        rephrase: false,
        buttons: Vec::new(),
        button_source: None,
    }
}

fn buttons(context: &mut Context<'_>, variant: &Node) -> (Vec<Button>, Option<Spanned<Name>>) {
    let Some(node) = variant.get("buttons") else { return (Vec::new(), None) };
    if matches!(node.kind, Kind::Map(_)) {
        return (Vec::new(), context.name_of(node, "source"));
    }
    let mut buttons = Vec::new();
    for item in context.list_of(variant, "buttons") {
        match context.text_of(item, "title") {
            Some(title) => buttons.push(Button { title, payload: context.text_of(item, "payload") }),
            None => context.error(code::RESPONSE_BUTTONS, &item.at, "a button needs a `title`"),
        }
    }
    (buttons, None)
}
