#include "core/elastic/takeover_rule.hpp"

#include <cstddef>
#include <queue>

namespace ringmaster::core::elastic {

namespace {

/// A host with a free slot, and its position in the order of the job.
struct free_host {
  takeover_host facts;
  std::size_t position = 0;
};

/// Orders a queue so that its top is the best host.
struct worse_host {
  bool operator()(const free_host& left, const free_host& right) const noexcept {
    if (left.facts.runs_job != right.facts.runs_job)
      return left.facts.runs_job;
    // used/capacity, compared without division
    const auto left_load = std::int64_t{left.facts.used} * right.facts.capacity;
    const auto right_load = std::int64_t{right.facts.used} * left.facts.capacity;
    return left_load != right_load ? left_load > right_load : left.position > right.position;
  }
};

/// Hosts with free slots, the best first.
class takeover_hosts {
public:
  explicit takeover_hosts(std::span<const takeover_host> hosts) {
    for (std::size_t i = 0; i < hosts.size(); ++i)
      add({hosts[i], i});
  }

  /// Takes a slot of the best host; `no_host` if no slot is free.
  host_number take() {
    if (free_.empty())
      return no_host;
    auto best = free_.top();
    free_.pop();
    ++best.facts.used;
    best.facts.runs_job = true;
    add(best);
    return best.facts.host;
  }

private:
  void add(const free_host& added) {
    if (added.facts.host != no_host && added.facts.used < added.facts.capacity)
      free_.push(added);
  }

  std::priority_queue<free_host, std::vector<free_host>, worse_host> free_;
};

} // namespace

std::vector<takeover> decide_takeovers(std::span<const lost_item> lost, std::span<const takeover_host> hosts,
                                       const takeover_policy& policy) {
  takeover_hosts free{hosts};
  std::vector<takeover> decided;
  decided.reserve(lost.size());
  for (const auto& [item, attempt] : lost) {
    if (!policy.failover) {
      decided.push_back({item, takeover_action::close_lost, no_host, attempt});
    } else if (attempt > policy.failover_max) { // attempt - 1 takeovers so far
      decided.push_back({item, takeover_action::close_failed, no_host, attempt});
    } else {
      const auto host = free.take();
      decided.push_back({item, host == no_host ? takeover_action::wait : takeover_action::grant, host, attempt + 1});
    }
  }
  return decided;
}

} // namespace ringmaster::core::elastic
