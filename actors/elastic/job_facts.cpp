// job_coordination: facts for the metrics.

#include "actors/elastic/job_facts.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "actors/elastic/job_coordination.hpp"
#include "core/alarm/error_message.hpp"
#include "core/elastic/error_target.hpp"
#include "core/text/text.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

} // namespace

// A write of the action is the last one of `writes_`, unless it is part of a fire or of a hook.
void job_coordination::note_action(const elastic::item_before& before, job_item& one, const elastic::item_action& done,
                                   job_moment at) {
  if (std::holds_alternative<elastic::action::raise_alarm>(done))
    raise(alarms_.waited(before.item, std::max<std::size_t>(counts_.wanted, 1), at.wall));
  if (core::number(before.item) < 0)
    return;
  const auto note_end = [&](elastic::item_run_end how) {
    if (built_.fire == nullptr && built_.hook == nullptr && !writes_.next.empty())
      writes_.next.back().second.facts.emplace_back(fact::run_end{before.cause.source, how});
  };
  if (const auto* end = std::get_if<elastic::action::write_end>(&done)) {
    note_end(end->end);
  } else if (const auto* loss = std::get_if<elastic::action::write_loss>(&done)) {
    note_end(loss->end);
    one.lost.reset();
    if (loss->next.grant || loss->next.state == elastic::stored_item_state::wanted)
      one.lost = loss_note{at.now, loss->proof, before.host};
  } else if (std::holds_alternative<elastic::action::count_gone>(done)) {
    out_.facts.emplace_back(fact::gone{});
  }
}

// As in note_action, the write of the action is the last one. A run that a user or another node's decision ended is no failure.
void job_coordination::note_error(const elastic::item_before& before, bool was_late, const elastic::item_action& done,
                                  job_moment at) {
  if (!job_ || !elastic::notifies_users(job_->what.options.error_handler))
    return;
  std::optional<elastic::item_run_id> failed;
  bool is_killed = false;
  std::string_view why = "its host was lost too often";
  if (const auto* end = std::get_if<elastic::action::write_end>(&done)) {
    is_killed = end->end == elastic::item_run_end::killed;
    if (is_killed && was_late)
      why = "it took longer than its time limit";
    else if (end->end != elastic::item_run_end::error && end->end != elastic::item_run_end::failed)
      return;
    failed = end->run;
  } else if (const auto* loss = std::get_if<elastic::action::write_loss>(&done);
             loss && loss->end == elastic::item_run_end::failed) {
    failed = loss->run;
  }
  if (!failed || built_.fire != nullptr || built_.hook != nullptr || writes_.next.empty())
    return;
  auto& [op, note] = writes_.next.back();
  const auto* write = std::get_if<elastic::item_write>(&op);
  const auto told = write && !(was_late && is_killed) ? std::string_view{write->report.message} : std::string_view{};
  const auto text = core::cut_bytes(told.empty() ? why : told, elastic::failure_bytes_max);
  note.errors.push_back({job_, before.item, *failed, hosts_.name_of(before.host.host), at.wall, std::string{text}});
}

// The grant of the item is stored.
void job_coordination::note_takeover(job_item& one, job_moment at) {
  const auto lost = std::exchange(one.lost, std::nullopt);
  if (one.state.cause.source != elastic::run_source::failover)
    return;
  fact::takeover taken;
  if (lost) {
    taken.proof = lost->proof;
    taken.took = std::chrono::duration_cast<core::milliseconds>(at.now - lost->at);
  }
  out_.facts.emplace_back(taken);
  // A run that moved keeps its attempt.
  if (lost && one.state.attempt > 1)
    raise(alarms_.taken_over(lost->host, at));
}

void job_coordination::raise(const job_alarms::raised& what) {
  if (what)
    emit(elastic::alarm_write{who_.job, *what}, {op_note::kind::alarm});
}

// The alarm of a failed run is part of the write that ends it, and so is the end of an open one.
void job_coordination::note_alarm(elastic::item_write& write) {
  if (const auto* loss = std::get_if<elastic::action::write_loss>(&write.what); loss != nullptr && loss->alarm)
    alarms_.note(write.item);
  const auto* end = std::get_if<elastic::action::write_end>(&write.what);
  if (end == nullptr)
    return;
  if (end->alarm)
    alarms_.note(write.item);
  else
    write.ends_alarm = end->end == elastic::item_run_end::finished && alarms_.ends(write.item);
}

std::size_t job_coordination::unassigned_items() const {
  if (plan_.plan && plan_.plan->unassigned_count() == 0)
    return 0;
  return items_.count_if([this](item_number which, bool is_disabled) {
    const auto number = core::number(which);
    return number >= 0 && number < job_->what.total && !is_disabled
           && !(plan_.plan && plan_.plan->owner_of(number).is_assigned());
  });
}

void job_coordination::note_fires(const elastic::fire_write& what, op_note& note) const {
  for (const auto& each : what.fires)
    note.facts.emplace_back(fact::fire{each.key.source, each.key.at, each.state == elastic::fire_state::dropped});
}

void job_coordination::count_item(item_number which, job_item& one, bool forgotten) {
  auto now = item_count::none;
  if (core::number(which) >= 0 && !forgotten && one.state.state != elastic::item_state::idle)
    now = one.state.state == elastic::item_state::wanted ? item_count::wanted : item_count::open;
  if (now == item_count::none)
    one.lost.reset();
  const auto before = std::exchange(one.counted, now);
  if (before == now)
    return;
  counts_.open += static_cast<std::uint32_t>(now == item_count::open) - static_cast<std::uint32_t>(before == item_count::open);
  counts_.wanted +=
    static_cast<std::uint32_t>(now == item_count::wanted) - static_cast<std::uint32_t>(before == item_count::wanted);
}

} // namespace ringmaster::actors
