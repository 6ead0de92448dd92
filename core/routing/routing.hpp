#pragma once

// Routing strategies (XXL admin §6). They are pure: where one has to ask executors first, it only names them, in order.

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "core/job/job.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Failover asks `beat`, busyover `idleBeat`.
enum class probe_kind : std::uint8_t { beat, idle_beat };

struct no_executor {};
struct send_to { std::string address; };
/// Broadcast: shard i goes to address i.
struct send_to_all { std::vector<std::string> addresses; };
/// The first address in order that answers 200 wins.
struct probe_in_order { std::vector<std::string> addresses; probe_kind kind; };
using route_decision = std::variant<no_executor, send_to, send_to_all, probe_in_order>;

/// What ROUND, LFU and LRU remember, per job; emptied as a whole 24 h after the last emptying (XXL admin §6). Owned by one actor.
class route_history {
public:
  /// `random_seed` makes RANDOM and the random starts reproducible.
  explicit route_history(std::uint64_t random_seed);
  ~route_history();
  route_history(route_history&&) noexcept;
  route_history& operator=(route_history&&) noexcept;

  /// Chooses among `live` (stored order). Never blocks, never fails: an empty list or an unknown strategy is `no_executor`.
  [[nodiscard]] route_decision route(const job& which, std::span<const std::string> live, time_point now);

  /// These choices (`send_to`) were not used, the oldest first: the next routings of this job give them again as long as its
  /// strategy is the same and the address is live, so that a firing that waits does not move ROUND, LFU and LRU on.
  void put_back(const job& which, std::span<const std::string> choices);

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// XXL's 32-bit hash: bytes 0-3 of the MD5 of the UTF-8 text, little-endian (XXL admin §6.1).
[[nodiscard]] std::uint32_t consistent_hash(std::string_view text);

/// The address that XXL's ring of 100 virtual nodes per address gives for a job. Requires a non-empty list.
[[nodiscard]] const std::string& consistent_hash_choice(job_id which, std::span<const std::string> addresses);

} // namespace ringmaster::core
