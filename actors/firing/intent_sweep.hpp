#pragma once

// Position of the planner's reads of waiting intents.

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "actors/pulse_gate.hpp"
#include "core/run/run.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Two reads of intents, one at a time. After a change of slots or of the incarnation, all instants that are reserved ahead are
/// read once, page by page: no node may be waiting for them. Then a sweep goes from the oldest to the youngest of all intents and
/// begins again, so that blocked intents at the front hide no others. Part of the state of schedule_actor.
class intent_sweep {
public:
  using steady = protocol::wall_clock::steady;

  /// Age from which any node may claim an intent (firing protocol §3).
  static constexpr std::chrono::seconds intent_age{1};
  static constexpr std::size_t page_size = 2000;

  /// Begins again with the read ahead; a read under way is finished by its answer.
  void restart();
  /// Does the same, and forgets a read under way, whose answer is stale.
  void clear();

  /// Begins a read at `t`. Returns false if one is under way.
  bool begin(steady t);
  void end() noexcept { busy_ = false; }
  /// Takes a pulse of the store (`pulse_gate`).
  void take_pulse(bool has_intents, std::chrono::milliseconds period, steady t) noexcept { gate_.take(has_intents, period, t); }
  /// Skips a sweep that is due at `t` and would find nothing. Returns false if it may find something, a read is under way, or
  /// instants are to be read ahead.
  [[nodiscard]] bool skip(steady t) noexcept;

  [[nodiscard]] bool reads_ahead() const noexcept { return ahead_.has_value(); }
  [[nodiscard]] bool is_at_start() const noexcept { return swept_ == core::intent_place{}; }
  /// Returns the time of the next read; unset while one is under way.
  [[nodiscard]] std::optional<steady> next() const { return busy_ ? std::nullopt : std::optional{next_}; }
  [[nodiscard]] bool is_due(steady t) const noexcept { return t >= next_; }

  /// Returns the search for the next page. Intents that are claimed from now on are not in it.
  [[nodiscard]] core::intent_search next_page(core::time_point now);
  /// Moves after the page that `search` found. Returns true if more pages may follow.
  bool move(const core::intent_search& search, const std::vector<core::intent>& page);

  /// Remembers an intent that was claimed while a page is being read.
  void claimed(const core::intent& intent);
  /// Removes the intents from a page that were claimed since it was read.
  void drop_claimed(std::vector<core::intent>& page) const;

private:
  bool busy_ = false;
  steady next_{};
  pulse_gate gate_;
  core::intent_place swept_;
  /// Unset: all instants reserved ahead were read.
  std::optional<core::intent_place> ahead_;
  /// Where `ahead_` was when the page was asked for.
  core::intent_place asked_ahead_;
  std::unordered_set<std::int64_t> claimed_meanwhile_;
};

} // namespace ringmaster::actors
