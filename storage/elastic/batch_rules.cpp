#include "storage/elastic/batch_rules.hpp"

#include <algorithm>

#include "core/text/text.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;
using enum elastic::write_outcome;

bool is_up(const held_host* host, const elastic::host_process& process) {
  return host != nullptr && host->state == elastic::host_state::up && host->incarnation == process.incarnation;
}

/// Returns whether no body of the run begins or goes on, by the proof that the caller has (E9). A newer process of the host is no
/// proof by itself: the older one may have had another folder, and runs until its lease is over, which no keeper renews.
bool is_lost(const held_host* host, const elastic::host_process& process, elastic::loss_proof proof) {
  using enum elastic::host_state;
  using enum elastic::loss_proof;
  if (proof == host_answered || proof == never_sent || proof == moved || host == nullptr)
    return true;
  if (host->incarnation != process.incarnation)
    return host->incarnation > process.incarnation
           && (process.incarnation <= host->ended || proof == lease_over);
  return host->state == dead || host->state == left || (proof == lease_over && host->state == silent);
}

/// Returns whether the open run of the row is the one of this grant.
bool was_granted(const held_item* row, const elastic::item_grant& grant) {
  return row != nullptr && row->state == elastic::stored_item_state::open && row->fence == elastic::next_fence(grant.fence)
         && row->host == grant.host;
}

bool has_open(const held_item* row, elastic::item_run_id run, elastic::fence_number fence) {
  return row != nullptr && row->state == elastic::stored_item_state::open && row->run == run && row->fence == fence;
}

} // namespace

void batch_rules::decide(const elastic::elastic_op& op, elastic::elastic_answer& answer) {
  if (const auto* item = std::get_if<elastic::item_write>(&op)) {
    decide_item(*item, true, answer.items.front());
    answer.outcome = answer.items.front().outcome;
  } else if (const auto* fire = std::get_if<elastic::fire_write>(&op)) {
    decide(*fire, answer);
  } else if (const auto* step = std::get_if<elastic::fire_step_write>(&op)) {
    decide(*step, answer);
  } else if (const auto* request = std::get_if<elastic::request_end>(&op)) {
    for (const auto which : request->items)
      rows_.end_owed({request->job, which}, request->request);
    rows_.end_request(request->job, request->request);
    answer.outcome = done;
  } else {
    const auto& alarm = std::get<elastic::alarm_write>(op);
    rows_.alarms().raise(alarm.job, alarm.what);
    answer.outcome = done;
  }
}

// A schedule that has moved as asked, or a key that exists, shows an earlier call. An instant whose key exists although the
// schedule has not passed it (a clock was set back) moves the schedule and starts nothing (I4). The answer is a lost guard: the
// caller reads the job again. With another answer it would grant the items of the instant one by one.
void batch_rules::decide(const elastic::fire_write& op, elastic::elastic_answer& answer) {
  const auto exists = [&](const elastic::fire_row& each) { return rows_.fire(key_of(op.job, each.key)).has_value(); };
  const bool known = !op.fires.empty() && std::all_of(op.fires.begin(), op.fires.end(), exists);
  bool tries = !op.move && !known;
  bool moves = false;
  if (op.move) {
    const auto* row = rows_.schedule(op.job);
    moves = row != nullptr && row->next_ms > 0 && row->next_ms == core::to_ms(op.move->expected_next)
            && row->revision <= op.move->seen_revision;
    tries = moves && !known;
    const auto next_ms = op.move->next ? core::to_ms(*op.move->next) : 0;
    const bool has_moved = row != nullptr && row->next_ms == next_ms && row->last_ms == core::to_ms(op.move->last);
    answer.outcome = moves ? (known ? guard_lost : done) : known || (op.fires.empty() && has_moved) ? repeated : guard_lost;
  } else {
    answer.outcome = known ? repeated : done;
  }
  if (moves) {
    auto& row = *rows_.schedule(op.job);
    row.next_ms = op.move->next ? core::to_ms(*op.move->next) : 0;
    row.last_ms = core::to_ms(op.move->last);
    row.changed = true;
  }
  if (tries) {
    for (const auto& each : op.fires) {
      if (!exists(each))
        rows_.insert_fire(op.job, each);
      if (core::number(each.key.request) != 0)
        rows_.end_request(op.job, each.key.request);
    }
    if (op.plan)
      rows_.insert_plan(op.job, *op.plan);
    for (const auto& each : op.alarms)
      rows_.alarms().raise(op.job, each);
  }
  for (std::size_t i = 0; i < op.items.size(); ++i)
    decide_item(op.items[i], tries, answer.items[i]);
  if (!tries || op.fires.empty())
    return;
  if (core::number(op.fires.front().key.request) != 0)
    owe_rest(op, answer);
  else
    mark_lost(op, answer);
}

// Their hosts have changed since the decision. The coordinator tries again; the mark keeps the fire if its node ends before (I9).
void batch_rules::mark_lost(const elastic::fire_write& op, const elastic::elastic_answer& answer) {
  for (std::size_t i = 0; i < op.items.size(); ++i) {
    const auto* asked = std::get_if<elastic::item_grant>(&op.items[i].what);
    auto* const row = rows_.item({op.job, op.items[i].item});
    if (asked == nullptr || answer.items[i].outcome != guard_lost || row == nullptr || row->fence != asked->fence
        || row->state != elastic::stored_item_state::idle || row->disabled || row->surplus)
      continue;
    row->missed = true;
    row->changed = true;
  }
}

// The coordinator tries a lost grant again.
void batch_rules::owe_rest(const elastic::fire_write& op, const elastic::elastic_answer& answer) {
  const auto request = op.fires.front().key.request;
  for (const auto item : op.owed)
    rows_.owe({op.job, item}, request);
  for (std::size_t i = 0; i < op.items.size(); ++i)
    if (answer.items[i].outcome == guard_lost)
      rows_.owe({op.job, op.items[i].item}, request);
}

void batch_rules::decide(const elastic::fire_step_write& op, elastic::elastic_answer& answer) {
  const auto key = key_of(op.job, op.fire);
  const auto state = rows_.fire(key);
  answer.outcome = state == op.from ? done : state == op.to ? repeated : guard_lost;
  if (answer.outcome == done) {
    rows_.step_fire(key, op.to);
    if (!op.late.empty())
      rows_.fail_hook(op);
  }
  if (op.hook)
    decide_item(*op.hook, answer.outcome == done, answer.items.front());
}

void batch_rules::decide_item(const elastic::item_write& what, bool tries, elastic::item_answer& answer) {
  const item_key key{what.job, what.item};
  auto* const row = rows_.item(key);
  if (const auto* asked = std::get_if<elastic::item_grant>(&what.what)) {
    answer.outcome = grant(key, row, *asked, tries, answer);
    answer.grant = answer.outcome;
    if (answer.outcome == done && what.missed && asked->cause.source != elastic::run_source::misfire)
      rows_.item(key)->missed = *what.missed;
  } else if (std::holds_alternative<elastic::action::write_end>(what.what)) {
    answer.outcome = end(key, row, what, tries, answer);
  } else if (std::holds_alternative<elastic::action::write_loss>(what.what)) {
    answer.outcome = lose(key, row, what, tries, answer);
  } else if (std::holds_alternative<elastic::action::write_wait_end>(what.what)) {
    answer.outcome = end_wait(key, row, what, tries, answer);
  } else if (const auto* marked = std::get_if<elastic::write_mark>(&what.what)) {
    answer.outcome = mark(row, *marked, tries);
  } else if (std::holds_alternative<elastic::action::delete_item>(what.what)) {
    answer.outcome = remove(row, tries);
  } else {
    answer.outcome = save_cursor(key, row, std::get<elastic::write_cursor>(what.what), tries);
  }
}

// E5. A hook has no row before its first grant.
batch_rules::outcome batch_rules::grant(const item_key& key, held_item* row, const elastic::item_grant& what, bool tries,
                                        elastic::item_answer& answer) {
  if (was_granted(row, what)) {
    answer.run = row->run;
    return repeated;
  }
  const bool is_new_hook = row == nullptr && core::number(key.second) < 0 && core::number(what.fence) == 0;
  const bool is_free = row != nullptr && row->fence == what.fence && row->state != elastic::stored_item_state::open
                       && !row->disabled && !row->surplus;
  if (!tries || !(is_new_hook || is_free) || !is_up(rows_.host(what.host.host), what.host))
    return guard_lost;
  auto& held = is_new_hook ? rows_.add_item(key) : *row;
  const bool was_idle = held.state == elastic::stored_item_state::idle;
  held.fence = elastic::next_fence(what.fence);
  held.state = elastic::stored_item_state::open;
  held.host = what.host;
  held.attempt = what.attempt;
  held.lease = what.lease;
  held.changed = true;
  // A fire of an idle item was marked by `mark_lost` alone.
  if (what.cause.source == elastic::run_source::misfire || (what.cause.source == elastic::run_source::normal && was_idle))
    held.missed = false;
  if (core::number(what.cause.fire.request) != 0)
    rows_.end_owed(key, what.cause.fire.request);
  rows_.begin_run({key, what, &answer});
  return done;
}

batch_rules::outcome batch_rules::end(const item_key& key, held_item* row, const elastic::item_write& what, bool tries,
                                      elastic::item_answer& answer) {
  const auto& end = std::get<elastic::action::write_end>(what.what);
  if (!has_open(row, end.run, end.fence))
    return after_loss(key, row, end.run, end.end, end.next, answer);
  if (!tries)
    return guard_lost;
  close(key, *row, end, what, answer);
  return done;
}

batch_rules::outcome batch_rules::lose(const item_key& key, held_item* row, const elastic::item_write& what, bool tries,
                                       elastic::item_answer& answer) {
  const auto& loss = std::get<elastic::action::write_loss>(what.what);
  if (!has_open(row, loss.run, loss.fence))
    return after_loss(key, row, loss.run, loss.end, loss.next, answer);
  const bool has_result = loss.proof != elastic::loss_proof::moved && rows_.has_result(loss.run, loss.fence);
  if (!tries || has_result || !is_lost(rows_.host(row->host.host), row->host, loss.proof))
    return guard_lost;
  close(key, *row, loss, what, answer);
  return done;
}

template <class RunEnd>
void batch_rules::close(const item_key& key, held_item& row, const RunEnd& how, const elastic::item_write& what,
                        elastic::item_answer& answer) {
  auto message = core::valid_utf8(what.report.message);
  if (how.alarm)
    rows_.alarms().raise(key.first, {*how.alarm, key.second, row.run, {}, 0, rows_.now()});
  else if (what.ends_alarm && how.end == elastic::item_run_end::finished)
    rows_.alarms().recover(key, row.run);
  rows_.end_run({row.run, how.end, what.report.started, what.report.ended.value_or(rows_.now()),
                 std::string{core::cut_characters(message, elastic::run_message_chars)}});
  go_on(key, row, how.next, what, answer);
}

void batch_rules::go_on(const item_key& key, held_item& row, const elastic::item_next& next, const elastic::item_write& what,
                        elastic::item_answer& answer) {
  const bool waits = next.state == elastic::stored_item_state::wanted;
  row.state = next.state;
  row.run = waits ? next.kept_run : elastic::item_run_id{};
  row.attempt = waits ? next.attempt : std::uint8_t{1};
  row.missed = what.missed.value_or(row.missed);
  row.changed = true;
  if (next.grant)
    answer.grant = grant(key, &row, *next.grant, true, answer);
}

batch_rules::outcome batch_rules::after_loss(const item_key& key, held_item* row, elastic::item_run_id run,
                                             elastic::item_run_end how, const elastic::item_next& next,
                                             elastic::item_answer& answer) {
  if (rows_.run_state(key, run) != std::int64_t{core::number(how)})
    return guard_lost;
  if (next.grant) {
    answer.grant = was_granted(row, *next.grant) ? repeated : guard_lost;
    answer.run = answer.grant == repeated ? row->run : elastic::item_run_id{};
  }
  return repeated;
}

batch_rules::outcome batch_rules::end_wait(const item_key& key, held_item* row, const elastic::item_write& what, bool tries,
                                           elastic::item_answer& answer) {
  const auto& wait = std::get<elastic::action::write_wait_end>(what.what);
  if (wait.next.grant && was_granted(row, *wait.next.grant)) {
    answer.grant = repeated;
    answer.run = row->run;
    return repeated;
  }
  if (!tries || row == nullptr || row->fence != wait.fence || row->state == elastic::stored_item_state::open)
    return guard_lost;
  go_on(key, *row, wait.next, what, answer);
  return done;
}

// E7. Without a condition on the fence: the mark does not depend on who runs the item.
batch_rules::outcome batch_rules::mark(held_item* row, const elastic::write_mark& what, bool tries) {
  const bool waits = what.wanted && row != nullptr && row->state == elastic::stored_item_state::idle;
  if (row == nullptr)
    return guard_lost;
  if (row->missed == what.missed && !waits)
    return repeated;
  if (!tries)
    return guard_lost;
  row->missed = what.missed;
  row->changed = true;
  if (waits) {
    row->state = elastic::stored_item_state::wanted;
    row->run = {};
    row->attempt = 1;
  }
  return done;
}

batch_rules::outcome batch_rules::remove(held_item* row, bool tries) {
  if (row == nullptr)
    return repeated;
  if (!tries || !row->surplus || row->state == elastic::stored_item_state::open)
    return guard_lost;
  row->removed = true;
  return done;
}

// E8. An earlier call may also have ended the run.
batch_rules::outcome batch_rules::save_cursor(const item_key& key, held_item* row, const elastic::write_cursor& what,
                                              bool tries) {
  if (!tries || row == nullptr || row->state != elastic::stored_item_state::open || row->fence != what.fence)
    return row != nullptr && rows_.has_cursor(key, what) ? repeated : guard_lost;
  rows_.save_cursor(key, what);
  return done;
}

} // namespace ringmaster::storage
