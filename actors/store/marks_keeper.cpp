#include "actors/store/marks_keeper.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

/// Longest time for which the file may be out of date, and delay before a failed write is retried.
constexpr auto write_every = 5s;

} // namespace

marks_keeper::marks_keeper(const core::kept_marks& kept, writer write, clock now, logger log)
  : marks_{kept}, write_{std::move(write)}, now_{std::move(now)}, log_{std::move(log)}, highest_{kept.seen} {}

core::kept_marks marks_keeper::marks() const {
  const std::lock_guard held{lock_};
  auto marks = marks_;
  marks.seen = std::max(marks.seen, given_);
  return marks;
}

// A repeated claim, whose first answer was lost, has the same ids as before.
void marks_keeper::note(const core::claim_outcome& outcome) {
  std::vector<core::log_id> ids;
  for (const auto& run : outcome.runs)
    ids.push_back(run.id);
  for (const auto& row : outcome.missed)
    ids.push_back(row.id);
  if (ids.empty() || outcome.repeated)
    return;
  const auto [lowest, highest] = std::minmax_element(ids.begin(), ids.end());
  note(*lowest, *highest);
}

void marks_keeper::note(std::span<const core::elastic::elastic_answer> answers) {
  using core::elastic::write_outcome;
  std::int64_t lowest = 0, highest = 0;
  for (const auto& answer : answers)
    for (const auto& item : answer.items)
      if (const auto run = core::number(item.run); item.grant == write_outcome::done && run > 0) {
        lowest = lowest == 0 ? run : std::min(lowest, run);
        highest = std::max(highest, run);
      }
  if (highest > 0)
    note(core::log_id{lowest}, core::log_id{highest});
}

void marks_keeper::note(core::log_id lowest, core::log_id highest) {
  const std::lock_guard held{lock_};
  repeated_ = repeated_ || lowest <= highest_;
  highest_ = std::max(highest_, highest);
  given_ = std::max(given_, highest);
  const bool above = highest_ > marks_.ceiling;
  if (now_() >= write_at_ || (above && !fails_))
    write(core::marks_ahead(marks_, highest_));
}

void marks_keeper::note_incarnation(std::int64_t incarnation, const std::optional<core::set_back>& back) {
  const std::lock_guard held{lock_};
  lived_ = true;
  repeated_ = false; // by a write of the incarnation before
  highest_ = std::max(highest_, marks_.ceiling);
  auto next = marks_;
  next.incarnation = std::max(next.incarnation, incarnation);
  if (back)
    if (const auto done = write_(file::set_back, core::to_text(*back)); !done)
      log_->warn("cannot write that the database was set back: {}", done.error().context);
  write(next);
}

bool marks_keeper::take_repeated() {
  const std::lock_guard held{lock_};
  return std::exchange(repeated_, false);
}

void marks_keeper::finish() {
  const std::lock_guard held{lock_};
  if (lived_)
    write(core::marks_at_end(marks_, highest_));
}

void marks_keeper::write(const core::kept_marks& next) {
  write_at_ = now_() + write_every;
  if (next == marks_)
    return;
  const auto done = write_(file::marks, core::to_text(next));
  if (!done && !fails_)
    log_->warn("cannot write the marks that this node keeps of the database: {}", done.error().context);
  fails_ = !done;
  if (done)
    marks_ = next;
}

} // namespace ringmaster::actors
