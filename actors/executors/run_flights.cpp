#include "actors/executors/run_flights.hpp"

#include <utility>

namespace ringmaster::actors {

std::optional<run_flights::steady> run_flights::oldest() const {
  return flights_.empty() ? std::nullopt : std::optional{flights_.begin()->second.batch.sent};
}

std::optional<std::size_t> run_flights::size_of(std::uint64_t batch) const {
  const auto found = flights_.find(batch);
  return found == flights_.end() ? std::nullopt : std::optional{found->second.count};
}

std::uint64_t run_flights::add(std::vector<waiting_run>&& runs, std::size_t bytes, steady now) {
  const auto count = runs.size();
  runs_ += count;
  bytes_ += bytes;
  flights_.emplace(++last_, flight{{std::move(runs), now}, count, bytes});
  return last_;
}

run_flights::sent_batch run_flights::take(std::uint64_t batch) {
  auto ended = std::move(flights_.extract(batch).mapped());
  runs_ -= ended.count;
  bytes_ -= ended.bytes;
  return std::move(ended.batch);
}

std::vector<run_flights::sent_batch> run_flights::take_late(steady until) {
  std::vector<sent_batch> late;
  for (auto& [number, one] : flights_) {
    if (one.batch.sent > until)
      break;
    late.push_back({std::exchange(one.batch.runs, {}), one.batch.sent});
  }
  return late;
}

std::vector<run_flights::sent_batch> run_flights::take_all() {
  std::vector<sent_batch> all;
  for (auto& [number, one] : std::exchange(flights_, {}))
    all.push_back(std::move(one.batch));
  runs_ = bytes_ = 0;
  return all;
}

} // namespace ringmaster::actors
