#include "actors/executor/report_queue.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace ringmaster::actors {

std::size_t report_queue::bytes_of(const core::run_report& report) noexcept {
  return sizeof(report) + (report.message ? report.message->size() : 0);
}

void report_queue::add(core::run_report&& report) {
  bytes_ += bytes_of(report);
  waiting_.push_back(std::move(report));
}

void report_queue::put_back(std::vector<core::run_report>&& reports) {
  for (const auto& report : reports)
    bytes_ += bytes_of(report);
  waiting_.insert(waiting_.begin(), std::make_move_iterator(reports.begin()), std::make_move_iterator(reports.end()));
}

std::vector<core::run_report> report_queue::take() {
  std::vector<core::run_report> batch;
  std::vector<core::run_report> later;
  std::unordered_map<core::log_id, std::size_t> places;
  std::size_t bytes = 0;
  while (!waiting_.empty() && batch.size() < batch_max && later.size() < batch_max) {
    auto& next = waiting_.front();
    const auto size = bytes_of(next);
    if (!batch.empty() && bytes + size > batch_bytes_max)
      break;
    const auto [place, is_new] = places.try_emplace(next.run, batch.size());
    if (is_new) {
      bytes += size;
      batch.push_back(std::move(next));
    } else if (batch[place->second] != next) {
      later.push_back(std::move(next));
    }
    bytes_ -= size;
    waiting_.pop_front();
  }
  put_back(std::move(later));
  return batch;
}

} // namespace ringmaster::actors
