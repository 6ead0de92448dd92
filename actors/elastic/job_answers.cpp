// job_coordination: answers of the store.

#include <algorithm>
#include <utility>

#include "actors/elastic/job_coordination.hpp"
#include "core/elastic/item_step.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;
using namespace std::chrono_literals;

constexpr core::milliseconds reread_pause{500};
/// Refused writes of an item after which its row is read with a pause: store and coordinator must not disagree in a busy loop.
constexpr std::uint32_t refusals_without_pause = 3;

bool is_stored(elastic::write_outcome outcome) {
  return outcome == elastic::write_outcome::done || outcome == elastic::write_outcome::repeated;
}

} // namespace

void job_coordination::stored(const protocol::elastic_stored& what, job_moment at) {
  const auto found = writes_.under_way.find(what.number);
  if (found == writes_.under_way.end())
    return;
  auto notes = std::move(found->second);
  writes_.under_way.erase(found);
  const bool fenced = std::any_of(what.answers.begin(), what.answers.end(), [](const elastic::elastic_answer& each) {
    return each.outcome == elastic::write_outcome::fenced;
  });
  if (fenced || what.answers.size() != notes.size()) {
    phase_.ended = true;
    return;
  }
  for (std::size_t i = 0; i < notes.size(); ++i) {
    auto& note = notes[i];
    const auto& answer = what.answers[i];
    const bool is_item = note.what == op_note::kind::item && !answer.items.empty();
    const bool is_done = is_stored(is_item ? answer.items.front().outcome : answer.outcome);
    if (is_done) {
      out_.facts.insert(out_.facts.end(), note.facts.begin(), note.facts.end());
      out_.errors.insert(out_.errors.end(), note.errors.begin(), note.errors.end());
    }
    // Another node may have heard the result of the run.
    out_.read_job = out_.read_job || (note.loses && !is_done);
    switch (note.what) {
    case op_note::kind::item:
      settle_cursor(note.items.front(), std::move(note.cursor), is_done);
      settle_item(note.items.front(), answer.items.empty() ? elastic::item_answer{answer.outcome} : answer.items.front(), at);
      break;
    case op_note::kind::fire: settle_fire(note, answer, at); break;
    case op_note::kind::step: settle_step(note, answer, at); break;
    case op_note::kind::request:
    case op_note::kind::alarm: break;
    }
  }
  if (is_idle_now())
    return;
  // More instants may be due than one plan has.
  fire_due(at);
  settle(at);
}

void job_coordination::settle_item(item_number which, const elastic::item_answer& answer, job_moment at) {
  auto* found = items_.find(which);
  if (found == nullptr)
    return;
  auto& one = *found;
  one.writes -= std::min<std::uint32_t>(one.writes, 1);
  if (is_stored(answer.outcome)) {
    one.refused_writes = 0;
    if (const auto wanted = rows_.wanted.find(which); wanted != rows_.wanted.end())
      wanted->second = {};
  } else {
    one.lost_guard = true;
    if (++one.refused_writes > refusals_without_pause)
      rows_.wanted[which] = at.now + reread_pause;
    // A success that was to end an alarm is not stored.
    alarms_.note(which);
    alarms_.note(elastic::whole_job);
  }
  if (one.writes == 0)
    leave_after_writes(one);
  if (!is_stored(answer.outcome) || (answer.grant && !is_stored(*answer.grant)))
    apply(which, elastic::event::guard_lost{}, at);
  else if (answer.grant) {
    if (core::number(which) >= 0)
      note_takeover(one, at);
    // It has been cancelled since: it need not leave.
    if (core::number(answer.run) != 0 && one.cancel_run == answer.run && one.state.state == elastic::item_state::granting)
      apply(which, elastic::event::cancelled{}, at);
    apply(which, elastic::event::grant_stored{answer.run}, at);
  }
  const auto* again = items_.find(which);
  if (again == nullptr || again->writes != 0)
    return;
  // The row of a surplus item is gone.
  if (const auto& state = again->state;
      state.surplus && state.state == elastic::item_state::idle && is_stored(answer.outcome)) {
    if (again->due)
      dues_.erase({*again->due, which});
    busy_.erase(which);
    cursors_.erase(which);
    items_.erase(which);
  }
}

void job_coordination::settle_step(const op_note& note, const elastic::elastic_answer& answer, job_moment at) {
  if (!is_stored(answer.outcome)) {
    phase_.reload = true;
    return;
  }
  if (note.releases)
    release_all(note.fire);
  if (!note.items.empty() && !answer.items.empty())
    settle_item(note.items.front(), answer.items.front(), at);
}

void job_coordination::rows_read(const std::vector<elastic::item_row>& rows, job_moment at) {
  rows_.is_reading = false;
  const auto asked = std::exchange(rows_.being_read, {});
  if (is_idle_now())
    return;
  for (const auto& [which, writes] : asked) {
    auto* found = items_.find(which);
    if (found == nullptr)
      continue;
    const auto row = std::find_if(rows.begin(), rows.end(), [which = which](const auto& each) { return each.item == which; });
    elastic::item_row missing;
    missing.item = which;
    missing.fence = core::number(which) < 0 ? elastic::fence_number{} : found->state.fence;
    const auto& read = row == rows.end() ? missing : *row;
    found->stored_missed = read.missed;
    found->cancel_run = read.cancel_run;
    apply(which, elastic::event::row_read{stored_form(read, at), writes}, at);
    keep_mark(which);
    hear_inbox(which, at);
    obey_cancel(which, at);
  }
  settle(at);
}

// The repetition of an earlier write has taken the mark out of the row, or a fire has joined a compensation whose end the store
// refused: only this node knows that a fire is owed (I9).
void job_coordination::keep_mark(item_number which) {
  auto* const found = items_.find(which);
  if (found == nullptr || !found->state.missed || found->stored_missed)
    return;
  const bool waits = found->state.state == elastic::item_state::wanted && elastic::is_compensation(found->state);
  write(which, *found, elastic::write_mark{true, waits});
}

void job_coordination::rows_failed(job_moment at) {
  rows_.is_reading = false;
  for (const auto& [which, writes] : std::exchange(rows_.being_read, {}))
    rows_.wanted.try_emplace(which);
  rows_.not_before = at.now + reread_pause;
}

} // namespace ringmaster::actors
