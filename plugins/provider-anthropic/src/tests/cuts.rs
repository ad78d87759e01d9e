//! Streams that are cut, shuffled or damaged: each comes to a defined end.

use proptest::prelude::*;
use rye_plugin_abi::provider::{FailureClass, ModelEvent, Usage};

use super::streams::STREAMS;
use super::*;

fn is_refused(events: &[ServerEvent]) -> bool {
    events.iter().any(|event| event.event == "error")
}

#[test]
fn a_stream_cut_at_any_byte_is_cut_short() {
    for (name, stream, _) in STREAMS {
        let cuts = (0..stream.len()).filter(|&end| stream.is_char_boundary(end)).map(|end| events(&stream[..end]));
        let mut cuts: Vec<Vec<ServerEvent>> = cuts.collect();
        cuts.dedup();
        for (cut, is_whole) in cuts.iter().flat_map(|cut| [(cut, false), (cut, true)]) {
            let response = decode_events(cut.clone(), is_whole);
            assert_eq!(class(&response), Some(FailureClass::CutShort), "{name} after {} events", cut.len());
        }
    }
}

#[test]
fn a_stream_cut_within_an_event_that_is_handed_on_is_cut_short() {
    for (name, stream, _) in STREAMS {
        let events = events(stream);
        for end in 0..events.len() {
            let mut cut = events[..=end].to_vec();
            let data = cut[end].data.chars().count() / 2;
            cut[end].data = cut[end].data.chars().take(data).collect();
            let expected = if is_refused(&cut) { FailureClass::Server } else { FailureClass::CutShort };
            assert_eq!(class(&decode_events(cut, false)), Some(expected), "{name} {end}");
        }
    }
}

/// A cut stream is billed: its report until then counts.
#[test]
fn a_cut_stream_says_what_it_used() {
    let used = |lines: &[&str]| match decode_events(lines.iter().map(|line| event(line)).collect(), false).decoded {
        Decoded::Failed { usage, .. } => usage,
        Decoded::Events { events } => panic!("{events:?}"),
    };
    let start = r#"data: {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 5, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 30, "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}, "output_tokens": 1}}}"#;
    let delta =
        r#"data: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}"#;
    let error = "event: error\ndata: {\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\"}}";
    let began = Usage {
        input_tokens: 55,
        output_tokens: 1,
        cache_read_tokens: 20,
        cache_write_tokens: 30,
        cache_write_1h_tokens: 20,
    };
    assert_eq!(used(&[]), Usage::default());
    assert_eq!(used(&[start]), began);
    assert_eq!(used(&[start, error]), began);
    assert_eq!(used(&[start, delta]), Usage { output_tokens: 9, ..began });
}

/// The event that ends the stream was not read as such, so the host was still waiting.
#[test]
fn a_stream_that_is_not_whole_is_cut_short() {
    for (name, stream, _) in STREAMS {
        let events = events(stream);
        let expected = if is_refused(&events) { FailureClass::Overloaded } else { FailureClass::CutShort };
        assert_eq!(class(&decode_events(events, false)), Some(expected), "{name}");
    }
}

#[test]
fn a_damaged_event_of_a_whole_stream_is_never_skipped() {
    let (_, stream, _) = STREAMS.iter().find(|(name, ..)| *name == "tools").unwrap();
    let whole = events(stream);
    for (index, event) in whole.iter().enumerate() {
        let mut events = whole.clone();
        events[index].data.pop();
        let is_needless = ["ping", "content_block_stop"].contains(&event.event.as_str());
        let expected = (!is_needless).then_some(FailureClass::Unreadable);
        assert_eq!(class(&decode_events(events, true)), expected, "{event:?}");
    }
}

#[test]
fn a_json_body_cut_at_any_byte_is_cut_short() {
    let body =
        r#"{"type": "message", "content": [{"type": "text", "text": "ä\n"}], "stop_reason": "end_turn", "usage": {}}"#;
    for end in (0..body.len()).filter(|&end| body.is_char_boundary(end)) {
        let response = decode(200, Body::Text { text: body[..end].to_owned() });
        assert_eq!(class(&response), Some(FailureClass::CutShort), "{end}");
    }
}

fn class(response: &DecodeResponse) -> Option<FailureClass> {
    match &response.decoded {
        Decoded::Failed { class, .. } => Some(*class),
        Decoded::Events { .. } => None,
    }
}

/// A turn ends with one report of usage and one stop; a failure has a sentence and no state.
fn is_defined(response: &DecodeResponse) -> bool {
    match &response.decoded {
        Decoded::Failed { message, .. } => !message.is_empty() && response.state.is_null(),
        Decoded::Events { events } => {
            let stops = events.iter().filter(|event| matches!(event, ModelEvent::Stop { .. })).count();
            stops == 1 && matches!(events[..], [.., ModelEvent::Usage(_), ModelEvent::Stop { .. }])
        }
    }
}

fn recorded() -> Vec<ServerEvent> {
    STREAMS.iter().flat_map(|(_, stream, _)| events(stream)).collect()
}

proptest! {
    #[test]
    fn any_order_of_events_has_a_defined_end(
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        is_whole: bool,
    ) {
        let recorded = recorded();
        let mut events: Vec<ServerEvent> = picks.iter().map(|pick| pick.get(&recorded).clone()).collect();
        events.insert(0, recorded[0].clone());
        events.iter().for_each(|event| drop(peek(event)));
        prop_assert!(is_defined(&decode_events(events, is_whole)));
    }

    #[test]
    fn any_change_of_a_stream_has_a_defined_end(
        stream in 0..STREAMS.len(),
        at: prop::sample::Index,
        with in "[\\PC\n{}\\[\\]\":,0-9a-z]{0,3}",
    ) {
        let mut letters: Vec<char> = STREAMS[stream].1.chars().collect();
        let at = at.index(letters.len());
        letters.splice(at..(at + 2).min(letters.len()), with.chars());
        let events = events(&letters.into_iter().collect::<String>());
        events.iter().for_each(|event| drop(peek(event)));
        prop_assert!(is_defined(&decode_events(events, true)));
    }

    #[test]
    fn any_body_has_a_defined_end(status: u16, text in ".*") {
        let events = vec![ServerEvent { event: String::new(), data: text.clone() }];
        for body in [Body::Text { text }, Body::Events { events, is_whole: true }] {
            prop_assert!(is_defined(&decode(status, body)));
        }
    }
}
