#include "actors/maintenance/pending_logs.hpp"

#include <utility>

namespace ringmaster::actors {

namespace {

/// Maximum of waiting runs, in sections.
constexpr std::size_t waiting_sections_max = 4;

} // namespace

void pending_logs::make_room() {
  if (waiting_.size() < waiting_sections_max * section_max_)
    return;
  for (const auto& run : waiting_)
    taken_.erase(run.run);
  waiting_.clear();
}

bool pending_logs::add_section(std::vector<core::pending_log>&& section) {
  const bool last = section.size() < section_max_;
  after_ = last ? core::log_id{} : section.back().run;
  for (auto& run : section)
    if (taken_.insert(run.run).second)
      waiting_.push_back(std::move(run));
  return last;
}

std::deque<core::pending_log> pending_logs::take_waiting() { return std::exchange(waiting_, {}); }

void pending_logs::clear() {
  after_ = {};
  waiting_.clear();
  taken_.clear();
}

} // namespace ringmaster::actors
