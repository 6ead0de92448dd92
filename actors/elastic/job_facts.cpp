// job_coordination: facts for the metrics.

#include "actors/elastic/job_facts.hpp"

#include <chrono>
#include <utility>

#include "actors/elastic/job_coordination.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

} // namespace

// A write of the action is the last one of `writes_`, unless it is part of a fire or of a hook.
void job_coordination::note_action(const elastic::item_before& before, job_item& one, const elastic::item_action& done,
                                   job_moment at) {
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
      one.lost = loss_note{at.now, loss->proof};
  } else if (std::holds_alternative<elastic::action::count_gone>(done)) {
    out_.facts.emplace_back(fact::gone{});
  }
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
