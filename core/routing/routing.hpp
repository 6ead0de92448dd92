#pragma once

// Routing strategies (XXL admin §6). They are pure: a strategy that has to probe executors only names them, in order.

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

/// Probe of a strategy: failover sends `beat`, busyover `idleBeat`.
enum class probe_kind : std::uint8_t { beat, idle_beat };

struct no_executor {};
struct send_to { std::string address; };
/// Broadcast: shard i is sent to address i.
struct send_to_all { std::vector<std::string> addresses; };
/// The first address in order that answers 200 wins.
struct probe_in_order { std::vector<std::string> addresses; probe_kind kind; };
using route_decision = std::variant<no_executor, send_to, send_to_all, probe_in_order>;

/// State of ROUND, LFU and LRU per job. It is cleared as a whole 24 h after the last clearing (XXL admin §6). Owned by one actor.
class route_history {
public:
  /// Creates an empty history. `random_seed` makes RANDOM and the random starts reproducible.
  explicit route_history(std::uint64_t random_seed);
  ~route_history();
  route_history(route_history&&) noexcept;
  route_history& operator=(route_history&&) noexcept;

  /// Chooses among `live` (stored order). Never blocks, never fails: an empty list or an unknown strategy is `no_executor`.
  [[nodiscard]] route_decision route(const job& which, std::span<const std::string> live, time_point now);

  /// Returns unused choices (`send_to`), the oldest first. The next routings of this job repeat them while its strategy is
  /// unchanged and the address is live, so that a waiting firing does not advance ROUND, LFU and LRU.
  void put_back(const job& which, std::span<const std::string> choices);

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Returns XXL's 32-bit hash: bytes 0-3 of the MD5 of the UTF-8 text, little-endian (XXL admin §6.1).
[[nodiscard]] std::uint32_t consistent_hash(std::string_view text);

/// Returns the address of XXL's ring of 100 virtual nodes per address for a job. Requires a non-empty list.
[[nodiscard]] const std::string& consistent_hash_choice(job_id which, std::span<const std::string> addresses);

} // namespace ringmaster::core
