#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "actors/logger.hpp"
#include "core/cluster/kept_marks.hpp"
#include "core/elastic/store_ops.hpp"
#include "core/result.hpp"
#include "core/run/run.hpp"
#include "storage/store.hpp"

namespace ringmaster::actors {

/// Keeper of `core::kept_marks` outside of the database. Invariant: when `note` returns, no run of that claim has an id above the
/// written ceiling, unless writing fails, which is logged. Callable on any thread; `note` writes now and then, so it is called
/// where blocking is allowed.
class marks_keeper {
public:
  enum class file : std::uint8_t { marks, set_back };
  /// Replaces the stored text of a file durably.
  using writer = std::function<core::result<void>(file which, const std::string& text)>;
  using clock = std::function<std::chrono::steady_clock::time_point()>;

  marks_keeper(const core::kept_marks& kept, writer write, clock now, logger log);

  /// Returns the written marks, but with the highest id that this process has seen.
  [[nodiscard]] core::kept_marks marks() const;

  /// Records new ids, from the lowest to the highest. If one is not above all earlier ones, the database assigned it a second
  /// time.
  void note(core::log_id lowest, core::log_id highest);
  /// Records the result of a claim.
  void note(const core::claim_outcome& outcome);
  /// Records the answers to writes of elastic jobs. Their run ids are a counter of its own, for which a node has another keeper.
  void note(std::span<const core::elastic::elastic_answer> answers);

  /// Records that an incarnation has begun and the database assigns only ids above the ceiling. `back`: the set-back that the
  /// node found when it entered, for a later `doctor`.
  void note_incarnation(std::int64_t incarnation, const std::optional<core::set_back>& back = std::nullopt);

  /// Returns true if ids were assigned a second time since the last call.
  [[nodiscard]] bool take_repeated();

  /// Writes the marks at an orderly end, when no claim is under way any more.
  void finish();

private:
  void write(const core::kept_marks& next);

  mutable std::mutex lock_;
  core::kept_marks marks_;
  writer write_;
  clock now_;
  logger log_;
  /// Every id of a new run is above it.
  core::log_id highest_;
  /// Highest id of a run that this process has seen.
  core::log_id given_{};
  bool lived_ = false;
  bool repeated_ = false;
  bool fails_ = false;
  std::chrono::steady_clock::time_point write_at_{};
};

/// Claims, and notes the outcome before other code sees its runs. `marks` may be null.
[[nodiscard]] inline core::result<core::claim_outcome> claim(storage::store& store, const core::claim_batch& batch,
                                                             core::time_point now, marks_keeper* marks) {
  auto outcome = store.firings().claim(batch, now);
  if (marks != nullptr && outcome)
    marks->note(*outcome);
  return outcome;
}

} // namespace ringmaster::actors
