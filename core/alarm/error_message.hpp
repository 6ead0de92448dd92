#pragma once

// Texts of the messages of error handlers, and their limit: one message of a job in a minute.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/alarm/alarm_text.hpp"
#include "core/elastic/elastic_ids.hpp"
#include "core/elastic/item_events.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// One failed item.
struct failed_item {
  elastic_job_id job{};
  /// Name of the job with its namespace.
  std::string name;
  item_number item{};
  item_run_id run{};
  /// Name of the host; may be empty.
  std::string host;
  time_point at{};
  /// Why it failed; may have several lines.
  std::string text;
};

/// Longest text of a failure in a message, in bytes.
inline constexpr std::size_t failure_bytes_max = 4000;

/// Returns the message about a failure. `count`: number of failures of the job that the message stands for; `last` is the last of
/// them. `subject`: its title; empty: one that names the job and the reason.
[[nodiscard]] alarm_message error_message_of(const failed_item& last, std::uint64_t count, const std::string& subject = {});

/// Failures of jobs, one message in a minute for each job: the first one at once, the following ones together at the end of the
/// minute. `Failure` belongs to the caller. Times are arguments. Bounded: beyond `jobs_max` jobs a failure is reported at once.
template <class Failure>
class failure_windows {
public:
  static constexpr std::chrono::minutes window{1};
  static constexpr std::size_t jobs_max = 10'000;

  /// One message.
  struct report {
    Failure last;
    std::uint64_t count = 1;
  };

  /// Takes a failure. Returns the report that is due now; unset: it waits.
  [[nodiscard]] std::optional<report> add(elastic_job_id job, Failure failure, steady_time now) {
    const auto found = open_.find(job);
    if (found == open_.end()) {
      if (open_.size() < jobs_max)
        open_.emplace(job, state{now + window, 0, std::nullopt});
      return report{std::move(failure), 1};
    }
    ++found->second.count;
    found->second.last = std::move(failure);
    return std::nullopt;
  }

  /// Returns the reports whose minute has ended; the next minute of these jobs begins. Minutes without failures are forgotten.
  [[nodiscard]] std::vector<report> ended(steady_time now) {
    std::vector<report> out;
    for (auto each = open_.begin(); each != open_.end();) {
      auto& [ends, count, last] = each->second;
      if (ends > now) {
        ++each;
      } else if (!last) {
        each = open_.erase(each);
      } else {
        out.push_back({std::move(*last), count});
        each->second = {now + window, 0, std::nullopt};
        ++each;
      }
    }
    return out;
  }

  [[nodiscard]] bool empty() const noexcept { return open_.empty(); }

private:
  struct state {
    steady_time ends{};
    std::uint64_t count = 0;
    std::optional<Failure> last;
  };
  std::map<elastic_job_id, state> open_;
};

} // namespace ringmaster::core::elastic
