#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/elastic_messages.hpp"

namespace ringmaster::actors {

/// Batches of events that wait until each event has an outcome. Bounded by the links, which limit the batches of a host. Pure
/// state of elastic_hosts.
class event_receipts {
public:
  using steady = protocol::elastic_steady;

  /// Longest wait; after it the host is told to repeat the batch.
  static constexpr std::chrono::seconds patience{5};

  struct receipt {
    std::uint64_t link_number = 0;
    protocol::elastic_receipt what;
    /// The oldest life of its outcomes; 0: it holds in any.
    std::int64_t life = 0;
  };

  /// Begins to wait for the outcomes of a batch. False: it waits already.
  [[nodiscard]] bool begin(std::uint64_t link_number, std::uint64_t batch, std::size_t events, steady now) {
    return waiting_.try_emplace({link_number, batch}, pending{events, true, now + patience}).second;
  }

  /// Adds outcomes. Returns the receipt once all are there.
  [[nodiscard]] std::optional<receipt> add(const protocol::host_events_done& done) {
    const auto found = waiting_.find({done.link_number, done.batch});
    if (found == waiting_.end())
      return std::nullopt;
    auto& batch = found->second;
    batch.stored = batch.stored && done.stored;
    if (done.life != 0 && (batch.life == 0 || done.life < batch.life))
      batch.life = done.life;
    batch.left -= std::min(batch.left, done.events);
    if (batch.left > 0)
      return std::nullopt;
    const receipt out{done.link_number, {.batch = done.batch, .stored = batch.stored}, batch.life};
    waiting_.erase(found);
    return out;
  }

  /// Returns the receipts of batches that have waited for too long.
  [[nodiscard]] std::vector<receipt> give_up(steady now) {
    std::vector<receipt> out;
    std::erase_if(waiting_, [&](const auto& entry) {
      if (entry.second.until > now)
        return false;
      out.push_back({entry.first.first, {.batch = entry.first.second, .stored = false}});
      return true;
    });
    return out;
  }

  /// Forgets the batches of a link that has ended.
  void forget(std::uint64_t link_number) {
    waiting_.erase(waiting_.lower_bound({link_number, 0}), waiting_.lower_bound({link_number + 1, 0}));
  }

private:
  struct pending {
    /// Number of events without an outcome.
    std::size_t left = 0;
    bool stored = true;
    steady until{};
    std::int64_t life = 0;
  };

  /// By link and number of the batch.
  std::map<std::pair<std::uint64_t, std::uint64_t>, pending> waiting_;
};

} // namespace ringmaster::actors
