//! The part of the machine that keeps the conversation within the context of its model, so that the work goes on.
//!
//! Before a request that would leave no room for an answer, old results become pointers to the record. Where that is not
//! enough, the model is asked to summarise the turns before the last ones. That request uses no turn, but counts against the
//! limits on tokens, money and time, and has a commit of its own. All that is replaced stays in the record.

use rye_plugin_abi::provider::{ModelEvent, StopReason as WireStop};

use super::conversation::Cut;
use super::settlement::recorded;
use super::wait::Then;
use super::{Answer, Effect, Machine, Phase, Question, Turn};
use crate::action::Recall;
use crate::event::{EventData, Usage};
use crate::item::HookEvent;
use crate::machine::allowance::Allowance;
use crate::machine::ending::CONTEXT;
use crate::machine::harness::{BYTES_PER_TOKEN, Budget};
use crate::machine::notes;

/// How many of the last turns keep their results.
const LAST_TURNS: usize = 2;

impl Machine {
    /// Returns the most tokens of a request; none where nothing limits it.
    fn budget(&self) -> Option<Budget> {
        let compaction = self.setup.compaction?;
        let declared = self.setup.harness.ceilings().context;
        let told = Budget::new(compaction.window, declared, self.setup.max_output_tokens);
        let taught = self.compacting.taught.map(Budget);
        told.into_iter().chain(taught).min_by_key(|budget| budget.0)
    }

    /// Returns the tokens that no shortening takes away: system text, tools, and what the conversation began with.
    fn fixed_tokens(&self) -> u64 {
        let (bytes, all) = (self.setup.fixed_bytes.saturating_add(self.messages.head_bytes()), self.size().all.max(1));
        let part = u128::from(self.input()) * u128::from(bytes.min(all)) / u128::from(all);
        u64::try_from(part).unwrap_or(u64::MAX)
    }

    fn input(&self) -> u64 {
        self.setup.harness.context_of(self.size())
    }

    /// Lets hooks and the model know when the context gets nearly full: once before each time that it is made shorter.
    pub(super) fn feel_pressure(&mut self, effects: &mut Vec<Effect>) {
        let (size, harness) = (self.size(), &self.setup.harness);
        let is_pressed = match self.setup.compaction {
            None => harness.is_pressed(size),
            Some(_) => self.budget().is_some_and(|budget| harness.nearly_fills(size, budget.0)),
        };
        if is_pressed && !self.compacting.is_pressed {
            self.fire(HookEvent::ContextPressure, None, effects);
            if self.setup.compaction.is_some() && self.turn.called && self.outputs.is_none() {
                self.injected.push(notes::pressure(self.can_recall()));
            }
        }
        self.compacting.is_pressed = is_pressed;
    }

    pub(super) fn can_recall(&self) -> bool {
        self.setup.toolbox.reads_results()
    }

    /// Has a part of an earlier result take a quarter of the context at most.
    pub(super) fn within_context(&self, recall: Recall) -> Recall {
        match self.budget() {
            Some(budget) => recall.within(budget.0 / 4 * BYTES_PER_TOKEN),
            None => recall,
        }
    }

    /// Makes the conversation shorter if the next request would leave no room for an answer. Tells whether a summary is asked for:
    /// the request follows later.
    pub(super) fn shorten(&mut self, effects: &mut Vec<Effect>, now_ms: u64) -> bool {
        if let Some(turns) = self.compacting.received.take()
            && let Some(cut) = self.messages.cut_after(turns)
        {
            effects.extend(self.ask_for_summary(cut, now_ms));
            return true;
        }
        let Some(budget) = self.budget() else { return false };
        let is_due = !self.answered && self.input() > budget.0 && self.setup.harness.may_begin(now_ms).is_ok();
        if !is_due {
            return false;
        }
        let fixed = self.fixed_tokens();
        self.clear_results(budget, effects);
        if self.input() <= budget.enough(fixed) {
            return false;
        }
        let Some(cut) = self.messages.cut(budget.tail_bytes(fixed), budget.least_bytes(fixed)) else { return false };
        effects.extend(self.ask_for_summary(cut, now_ms));
        true
    }

    /// Puts pointers in the place of old results.
    fn clear_results(&mut self, budget: Budget, effects: &mut Vec<Effect>) {
        if !self.can_recall() {
            return;
        }
        let goal = budget.goal(self.fixed_tokens());
        let followed = self.followed_call();
        let mut results = Vec::new();
        while self.input() > goal {
            let Some(cleared) = self.messages.clear_next(LAST_TURNS, followed.as_deref()) else { break };
            results.push(cleared);
        }
        if !results.is_empty() {
            self.setup.harness.lose_cache();
            effects.push(Effect::Record(EventData::ResultsCleared { results }));
        }
    }

    /// Makes a request shorter that another model takes over: its context may be smaller.
    pub(super) fn shorten_for_fallback(&mut self, effects: &mut Vec<Effect>) {
        if let Some(budget) = self.budget().filter(|budget| self.input() > budget.0) {
            self.clear_results(budget, effects);
        }
    }

    /// Asks the model for a summary of the turns before a cut.
    fn ask_for_summary(&mut self, cut: Cut, now_ms: u64) -> Vec<Effect> {
        let question = match self.summary_question(cut, now_ms) {
            Ok(question) => question,
            Err(effects) => return effects,
        };
        self.setup.harness.pass_to(self.setup.harness.number() + 1);
        self.turn = Turn { state: std::mem::take(&mut self.turn.state), ..Turn::default() };
        self.compacting.asked = Some(cut);
        self.phase = Phase::Asking;
        vec![Effect::Record(EventData::SummaryStart { turns: cut.turns }), Effect::Ask(question)]
    }

    /// Makes the request for a summary; or ends the thread at the limit that leaves no room for it.
    fn summary_question(&mut self, cut: Cut, now_ms: u64) -> Result<Question, Vec<Effect>> {
        let bytes = self.budget().map_or(0, |budget| budget.summary_bytes(self.fixed_tokens()));
        let text = notes::summary_wanted(bytes, self.can_recall());
        let (messages, size) = self.messages.before(cut, text, self.setup.fixed_bytes);
        let harness = &self.setup.harness;
        let room = match std::mem::take(&mut self.answered) {
            true => Ok(0),
            false if harness.remaining_ms(now_ms) == 0 => Err(harness.out_of_time()),
            false => harness.room(size, self.setup.max_output_tokens),
        };
        let max_output_tokens = room.map_err(|limit| self.stop_at(limit))?;
        let allowance = Box::new(Allowance::new(&self.setup.harness, size, max_output_tokens));
        Ok(Question { messages, max_output_tokens, allowance, summary: Some(cut.turns) })
    }

    /// Asks another model for the summary that the one before did not make.
    pub(super) fn ask_again_for_summary(&mut self, now_ms: u64) -> Option<Vec<Effect>> {
        let cut = self.compacting.asked?;
        Some(self.summary_question(cut, now_ms).map_or_else(|ended| ended, |question| vec![Effect::Ask(question)]))
    }

    /// Takes a summary, if that is what the model was asked for.
    pub(super) fn take_summary(&mut self, answer: Answer) -> Result<Vec<Effect>, Answer> {
        let Some(cut) = self.compacting.asked.take() else { return Err(answer) };
        let Answer { events, state, model } = answer;
        let (mut text, mut usage, mut stop) = (String::new(), Usage::default(), WireStop::EndTurn);
        for event in events {
            match event {
                ModelEvent::Text { text: more } => text.push_str(&more),
                ModelEvent::Usage(more) => usage = usage.plus(more.into()),
                ModelEvent::Stop { reason } => stop = reason,
                // It is asked for a text alone; a call is not made, and why it declines is not recorded.
                ModelEvent::Reasoning { .. }
                | ModelEvent::Step { .. }
                | ModelEvent::ToolCall(_)
                | ModelEvent::Declined { .. } => {}
            }
        }
        self.turn.state = state.clone();
        let spend = self.setup.harness.add_failed(usage).to_string();
        let (turns, stop_reason) = (cut.turns, recorded(stop));
        let mut effects = vec![Effect::Record(EventData::Summary {
            turns,
            text: text.clone(),
            usage,
            spend,
            stop_reason,
            model,
            state,
        })];
        self.tell_of_passed_limits(&mut effects);
        if text.trim().is_empty() || stop == WireStop::Refusal {
            let message = "the conversation no longer fits the model, and the model did not summarise it";
            return Ok(self.fail(effects, CONTEXT, message.to_owned()));
        }
        let most = self.budget().map_or(u64::MAX, |budget| budget.summary_bytes(self.fixed_tokens()));
        let text = notes::within(&text, most);
        effects.extend(self.continue_with(cut, text));
        self.setup.harness.lose_cache();
        self.compacting.is_pressed = false;
        Ok(self.settle(effects, Then::Commit))
    }

    /// Puts a summary in the place of the turns before a cut.
    pub(super) fn summarize(&mut self, cut: Cut, text: &str) {
        let followed = self.followed_until(cut.turns.last);
        let summary = notes::summary(cut.turns, text, self.can_recall(), followed.as_ref());
        self.messages.summarize(cut, summary, self.setup.harness.number());
    }

    /// Takes that the model was not asked in the end. One that finds the request too long is asked again with a shorter one.
    pub(super) fn model_failed(&mut self, code: &str, message: String, now_ms: u64) -> Vec<Effect> {
        let is_too_long = code == CONTEXT && self.setup.compaction.is_some() && !self.compacting.is_asked();
        if !is_too_long {
            return self.fail(Vec::new(), code, message);
        }
        self.compacting.taught = Some(self.input().saturating_mul(3) / 4);
        self.setup.harness.take_back_turn();
        self.turn.is_open = false;
        let mut effects = vec![Effect::Record(EventData::ContextRefused { message: message.clone() })];
        let is_summarized = self.shorten(&mut effects, now_ms);
        if is_summarized {
            return effects;
        }
        if effects.len() > 1 {
            effects.extend(self.ask(self.size(), now_ms));
            return effects;
        }
        self.setup.harness.begin_turn();
        self.turn.is_open = true;
        self.fail(Vec::new(), code, message)
    }

    /// Takes up again after an answer that the full context cut.
    pub(super) fn resume_full(&mut self) {
        if self.turn.stop == Some(WireStop::ContextExceeded) && self.setup.compaction.is_some() {
            self.turn.stop = None;
            self.compacting.taught = Some(self.input().saturating_mul(3) / 4);
            self.injected.push(notes::CUT.to_owned());
        }
    }
}
