#include "actors/node/peer_watch.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

peer_watch::peer_watch(std::string self, std::chrono::nanoseconds dead_after)
  : self_{std::move(self)}, dead_after_ns_{dead_after.count()} {}

void peer_watch::observe(std::span<const core::node_row> rows, std::int64_t now_ns) {
  bool was_silent = now_ns - observed_ns_ > dead_after_ns_;
  std::map<std::string, sighting> peers;
  ended_.clear();
  for (const auto& row : rows) {
    if (row.id == self_)
      continue;
    if (row.state != core::node_state::up) {
      ended_.push_back(row);
      continue;
    }
    auto known = peers_.find(row.id);
    bool unchanged = known != peers_.end() && !was_silent && known->second.row.incarnation == row.incarnation
                     && known->second.row.beat == row.beat;
    peers.emplace(row.id, sighting{row, unchanged ? known->second.since_ns : now_ns});
  }
  peers_ = std::move(peers);
  observed_ns_ = now_ns;
}

std::vector<std::string> peer_watch::live() const {
  std::vector<std::string> nodes{self_};
  for (const auto& [id, seen] : peers_)
    if (!is_dead(seen))
      nodes.push_back(id);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<std::string> peer_watch::serving() const {
  std::vector<std::string> nodes;
  for (const auto& [id, seen] : peers_)
    if (!is_dead(seen) && seen.row.serves)
      nodes.push_back(id);
  return nodes;
}

std::vector<core::node_row> peer_watch::dead() const {
  std::vector<core::node_row> nodes;
  for (const auto& [id, seen] : peers_)
    if (is_dead(seen))
      nodes.push_back(seen.row);
  return nodes;
}

std::vector<core::node_row> peer_watch::begin_fencing() {
  std::vector<core::node_row> nodes;
  for (auto& row : dead())
    if (fencing_.insert(row.id).second)
      nodes.push_back(std::move(row));
  return nodes;
}

std::optional<std::int64_t> peer_watch::next_death(std::int64_t now_ns) const {
  std::optional<std::int64_t> soonest;
  for (const auto& [id, seen] : peers_)
    if (const auto left = seen.since_ns + dead_after_ns_ - now_ns; left > 0 && (!soonest || left < *soonest))
      soonest = left;
  return soonest;
}

std::vector<core::seen_node> peer_watch::seen(std::int64_t now_ns) const {
  using core::node_health;
  std::vector<core::seen_node> nodes;
  for (const auto& [id, seen] : peers_) {
    const auto silent = std::chrono::nanoseconds{std::max<std::int64_t>(now_ns - seen.since_ns, 0)};
    // If no node could read the rows for long, no node knows better.
    const bool is_gone = is_dead(seen) || silent.count() >= dead_after_ns_;
    nodes.push_back({seen.row, is_gone ? node_health::dead : node_health::alive,
                     std::chrono::floor<std::chrono::milliseconds>(silent)});
  }
  for (const auto& row : ended_)
    nodes.push_back({row, row.state == core::node_state::down ? node_health::stopped : node_health::dead, std::nullopt});
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.row.id < b.row.id; });
  return nodes;
}

bool peer_watch::alone() const noexcept { return peers_.empty(); }

bool peer_watch::is_dead(const sighting& seen) const noexcept { return observed_ns_ - seen.since_ns >= dead_after_ns_; }

} // namespace ringmaster::actors
