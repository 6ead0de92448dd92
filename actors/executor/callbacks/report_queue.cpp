#include "actors/executor/callbacks/report_queue.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ringmaster::actors {

namespace {

/// Returns the size of the text in JSON.
std::size_t encoded_bytes(std::string_view text) noexcept {
  std::size_t bytes = text.size();
  for (const char c : text) {
    if (c == '"' || c == '\\')
      bytes += 1;
    else if (static_cast<unsigned char>(c) < 0x20)
      bytes += 5;
  }
  return bytes;
}

} // namespace

std::size_t report_queue::bytes_of(const core::run_report& report) noexcept {
  constexpr std::size_t names_and_numbers = 160;
  return names_and_numbers + (report.message ? encoded_bytes(*report.message) : 0);
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

std::vector<core::run_report> report_queue::take(std::size_t reports_max) {
  std::vector<core::run_report> batch;
  std::vector<core::run_report> later;
  std::unordered_map<core::log_id, std::size_t> places;
  std::size_t bytes = 0;
  while (!waiting_.empty() && batch.size() < reports_max && later.size() < batch_max) {
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
