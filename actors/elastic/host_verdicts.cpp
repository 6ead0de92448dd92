// Rules of host_table about time: heartbeats, suspicion, the keeper (E2) and verdicts (E3).

#include <algorithm>

#include "actors/elastic/host_table.hpp"

namespace ringmaster::actors {

namespace {

/// A smaller change of the clocks' difference is no news.
constexpr core::milliseconds difference_step{100};

} // namespace

// -- heartbeats ------------------------------------------------------------------------------------------------------------

std::optional<protocol::elastic_ack> host_table::hear(std::uint64_t link, const protocol::elastic_heartbeat& beat,
                                                      steady heard_at, core::time_point wall) {
  auto* const host = find(link);
  if (!life_ || host == nullptr || beat.incarnation != host->row.process.incarnation || host->has_ended || is_gone(*host))
    return std::nullopt;
  host->last_beat = std::max(host->last_beat, heard_at);
  host->beat_number = beat.number;
  // Jobs may wait for the first free slot.
  slots_changed_ = slots_changed_ || (host->free_slots > 0) != (beat.free_slots > 0) || host->tainted != beat.tainted;
  load_changed_ = load_changed_ || host->free_slots != beat.free_slots;
  host->free_slots = beat.free_slots;
  host->heard = beat.incarnation;
  host->tainted = beat.tainted;
  const auto difference = beat.wall - wall;
  if (!host->clock_difference || std::chrono::abs(difference - *host->clock_difference) >= difference_step) {
    host->clock_difference = difference;
    facts_changed_ = true;
  }
  if (std::exchange(host->suspect, false)) {
    facts_changed_ = true;
    if (host->row.state == core::elastic::host_state::up)
      tell(*host, protocol::host_fate::back);
  }
  const bool is_keeper = keeps(*host);
  // From its question on, the host accepts only a higher number. A question ends with the first heartbeat without it: the host
  // has another keeper, which learns late of an E2 that no longer has a reason.
  const bool asks = beat.asks_keeper && !(is_keeper && host->row.keeper_no > beat.keeper_no);
  if (!asks)
    host->question.reset();
  else if (!host->question || heard_at - host->question->last > host_times::question_gap)
    host->question = keeper_question{heard_at, heard_at};
  else
    host->question->last = heard_at;
  // After a pause of this node or of its link many heartbeats arrive together. The host may know by now the keeper that the row
  // names, if that one lives.
  const bool is_kept = host->row.state == core::elastic::host_state::up && !keeper_is_over(*host);
  const bool may_be_over = is_kept && host->row.keeper_no > beat.keeper_no;
  host->asks = asks && (!may_be_over || heard_at - host->question->since >= host_times::question_lasts);
  // A host takes one answer to a heartbeat: it is the keeper's number, once this node is its keeper.
  if (host->claiming || must_claim(*host))
    return std::nullopt;
  return protocol::elastic_ack{.number = beat.number,
                               .keeper_no = is_keeper && is_certain(heard_at) ? host->row.keeper_no : 0,
                               .leave = leaving_ && several_nodes()};
}

void host_table::look(steady now) {
  attended_.attend(now);
  for (auto& [number, host] : hosts_)
    if (host.link && !host.suspect && !host.has_ended && host.row.state == core::elastic::host_state::up
        && attended_.silence(host.last_beat, now) >= host_times::suspect_after) {
      host.suspect = true;
      tell(host, protocol::host_fate::suspect);
    }
  forget_gone(now);
}

void host_table::forget_gone(steady now) {
  std::erase_if(hosts_, [&](const auto& entry) {
    const auto& host = entry.second;
    if (!is_gone(host) || now - host.over_at < host_times::shown_after_end)
      return false;
    if (host.link)
      links_.erase(*host.link);
    facts_changed_ = true;
    return true;
  });
}

void host_table::prove_end(const core::elastic::host_process& process) {
  if (auto* const host = find(process)) {
    if (!is_gone(*host))
      host->has_ended = facts_changed_ = true;
    return;
  }
  // An earlier process, which was replaced without a proof.
  const auto found = hosts_.find(process.host);
  if (found != hosts_.end() && found->second.row.process.incarnation > process.incarnation)
    notices_.push_back({process, protocol::host_fate::dead, {}});
}

bool host_table::keeps(const known_host& host) const {
  const bool is_keeper = life_ && host.row.keeper == *life_ && host.row.state == core::elastic::host_state::up;
  return is_keeper && !host.verdict && !host.has_ended;
}

bool host_table::has_to_hand_over() const {
  return several_nodes() && std::any_of(hosts_.begin(), hosts_.end(), [this](const auto& entry) {
    return keeps(entry.second) && entry.second.link && !entry.second.suspect;
  });
}

bool host_table::is_certain(steady heard_at) const {
  return !several_nodes() || heard_at - read_at_ <= host_times::reading_valid;
}

bool host_table::keeper_is_over(const known_host& host) const {
  const auto& keeper = host.row.keeper;
  if (keeper.node == life_->node)
    return keeper != *life_;
  if (!host.keeper_checked)
    return false;
  const auto found = nodes_up_.find(keeper.node);
  return found == nodes_up_.end() || found->second != keeper.incarnation;
}

// -- the keeper ------------------------------------------------------------------------------------------------------------

// Without a question only where no other node can extend the lease meanwhile: after this node's own restart, and its own verdict.
bool host_table::must_claim(const known_host& host) const {
  using enum core::elastic::host_state;
  if (!life_ || !host.link || host.suspect || host.claiming || host.verdict || host.has_ended || is_gone(host))
    return false;
  if (leaving_ && several_nodes())
    return false;
  const bool was_own = host.row.keeper.node == life_->node && host.row.keeper != *life_;
  return host.asks || was_own || (host.row.state == silent && host.row.keeper == *life_);
}

std::vector<core::elastic::keeper_claim> host_table::begin_claims() {
  std::vector<core::elastic::keeper_claim> out;
  for (auto& [number, host] : hosts_)
    if (must_claim(host)) {
      host.claiming = true;
      out.push_back({host.row.process, host.row.keeper_no});
    }
  return out;
}

std::vector<std::pair<std::uint64_t, protocol::elastic_ack>> host_table::end_claims(
  std::span<const core::elastic::keeper_claim> claims, std::span<const core::elastic::host_answer> answers, steady now) {
  std::vector<std::pair<std::uint64_t, protocol::elastic_ack>> acknowledged;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (auto* const host = find(claims[i].host))
      host->claiming = false;
    if (i >= answers.size())
      continue;
    if (answers[i].row)
      learn(*answers[i].row, now, now);
    auto* const host = find(claims[i].host);
    if (host == nullptr)
      continue;
    host->asks = false;
    if (!keeps(*host))
      continue;
    // Until now another node may have extended the lease.
    host->last_beat = std::max(host->last_beat, now);
    if (host->link && host->beat_number > 0)
      acknowledged.push_back({*host->link, {.number = host->beat_number, .keeper_no = host->row.keeper_no}});
  }
  return acknowledged;
}

// -- verdicts --------------------------------------------------------------------------------------------------------------

std::optional<core::elastic::host_verdict> host_table::verdict_on(known_host& host, steady now) const {
  using enum core::elastic::host_state;
  if (is_gone(host))
    return std::nullopt;
  const bool is_keeper = host.row.keeper == *life_;
  core::elastic::host_verdict made{host.row.process, host.row.keeper_no};
  if (host.has_ended) {
    made.state = host.leaves && is_keeper ? left : dead;
    return made;
  }
  made.state = silent;
  made.keeper_over = !is_keeper && keeper_is_over(host);
  if (!made.keeper_over)
    host.keeper_over_since.reset();
  else if (!host.keeper_over_since)
    host.keeper_over_since = now;
  if (host.row.state != up || host.claiming || (!is_keeper && !made.keeper_over))
    return std::nullopt;
  const auto since = std::max(host.last_beat, host.keeper_over_since.value_or(steady::min()));
  return attended_.silence(since, now) >= host_times::silent_after ? std::optional{made} : std::nullopt;
}

std::vector<core::elastic::host_verdict> host_table::begin_verdicts(steady now) {
  std::vector<core::elastic::host_verdict> out;
  if (!life_)
    return out;
  // After a pause, another message than the tick may come first.
  attended_.attend(now);
  for (auto& [number, host] : hosts_) {
    if (!host.verdict)
      host.verdict = verdict_on(host, now);
    if (host.verdict)
      out.push_back(*host.verdict);
  }
  return out;
}

void host_table::end_verdicts(std::span<const core::elastic::host_verdict> verdicts,
                              std::span<const core::elastic::host_answer> answers, steady now) {
  for (std::size_t i = 0; i < verdicts.size() && i < answers.size(); ++i) {
    auto* const host = find(verdicts[i].host);
    if (host == nullptr)
      continue;
    host->verdict.reset();
    // Its keeper is another node meanwhile: any node may say that a process is dead.
    if (answers[i].outcome == core::elastic::write_outcome::guard_lost && host->has_ended)
      host->leaves = false;
    const auto last_beat = std::max(host->last_beat, host->keeper_over_since.value_or(steady::min()));
    if (answers[i].row)
      learn(*answers[i].row, now, last_beat);
  }
}

} // namespace ringmaster::actors
