#include "actors/recovery/returned_executors.hpp"

#include <utility>

namespace ringmaster::actors {

bool returned_executors::begin() {
  if (search_ || queue_.empty())
    return false;
  search_.emplace();
  while (!queue_.empty() && search_->addresses.size() < per_search_max)
    search_->addresses.push_back(std::move(queue_.extract(queue_.begin()).value()));
  reading_ = true;
  return true;
}

void returned_executors::begun(const core::log_range& range) {
  reading_ = false;
  search_->range = range;
}

std::optional<core::open_search> returned_executors::next() {
  if (!search_ || reading_)
    return std::nullopt;
  if (search_->range.after >= search_->range.through) {
    search_.reset();
    return std::nullopt;
  }
  reading_ = true;
  return search_;
}

void returned_executors::found(core::log_id through) {
  reading_ = false;
  search_->range.after = through;
}

std::vector<std::string> returned_executors::failed() {
  reading_ = false;
  return std::exchange(search_, std::nullopt)->addresses;
}

void returned_executors::clear() {
  queue_.clear();
  search_.reset();
  reading_ = false;
}

} // namespace ringmaster::actors
