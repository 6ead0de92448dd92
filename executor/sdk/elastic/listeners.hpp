#pragma once

// Listeners of elastic jobs: code that runs around the items of a fire (EJ §12).

#include <cstdint>
#include <limits>
#include <optional>
#include <source_location>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"
#include "executor/job_log.hpp"
#include "executor/sdk/elastic/item_context.hpp"

namespace ringmaster::executor::elastic {

/// An item of a batch, with its parameter if it has one.
struct batch_item {
  std::int32_t item = 0;
  std::optional<std::string> param = std::nullopt;
};

/// Facts of a batch: the items of one fire that this process has at one time. They do not change during a call.
struct batch_facts {
  std::string name_space;
  std::string job;
  /// `<job>@-@<items, separated by commas>@-@READY|FAILOVER@-@<ip>@-@<pid>`, and `@-@<run>` for a once-listener.
  std::string task_id;
  /// Number of items of the job.
  std::int32_t total = 1;
  /// Parameter of the job, or of the manual trigger.
  std::string job_param;
  /// Ascending.
  std::vector<batch_item> items;
  /// Instant of the fire.
  core::time_point fire_at{};
  /// Number of the grant of a once-listener's call among those of its kind; 0 for each-node listeners.
  std::int64_t fence = 0;
};

/// A batch, as a listener sees it. Lives until the call has returned. Views are valid as long as the context.
class batch_context {
public:
  /// Called by the executor. References outlive this object. `right`: null for each-node listeners.
  batch_context(const batch_facts& facts, const item_right* right, job_log& log) : facts_{facts}, right_{right}, log_{log} {}
  batch_context(const batch_context&) = delete;
  batch_context& operator=(const batch_context&) = delete;

  [[nodiscard]] const std::string& name_space() const noexcept { return facts_.name_space; }
  [[nodiscard]] const std::string& job() const noexcept { return facts_.job; }
  /// Returns ElasticJob's name of the batch: `<job>@-@<items>@-@READY|FAILOVER@-@<ip>@-@<pid>`.
  [[nodiscard]] std::string_view task_id() const noexcept { return facts_.task_id; }
  /// Returns the number of items of the job.
  [[nodiscard]] std::int32_t total() const noexcept { return facts_.total; }
  /// Returns the parameter of the job or of the manual trigger; may be empty.
  [[nodiscard]] std::string_view job_param() const noexcept { return facts_.job_param; }
  /// Returns the items of the batch on this host, ascending, with their parameters. Empty for a once-listener on a host without
  /// items of the fire.
  [[nodiscard]] const std::vector<batch_item>& items() const noexcept { return facts_.items; }
  /// Returns the instant of the fire.
  [[nodiscard]] core::time_point fire_at() const noexcept { return facts_.fire_at; }

  /// For once-listeners: as `item_context::fence`, for conditional writes to other systems. 0 for each-node listeners.
  [[nodiscard]] std::int64_t fence() const noexcept { return facts_.fence; }
  /// For once-listeners: returns false once the lease is over, as another host may repeat the call. Always true for each-node
  /// listeners.
  [[nodiscard]] bool still_mine() const noexcept { return right_ == nullptr || right_->still_mine(); }
  /// For once-listeners: returns the token that requests a stop. Each-node listeners are never asked to stop.
  [[nodiscard]] std::stop_token stop_token() const noexcept {
    return right_ == nullptr ? std::stop_token{} : right_->stop_token();
  }

  /// Returns the log of the call: of a once-listener a log of its own, else that of the first or the last item run of the batch.
  [[nodiscard]] job_log& log() const noexcept { return log_; }
  void log(std::string_view text, const code_place& where = std::source_location::current()) const { log_.line(text, where); }

private:
  const batch_facts& facts_;
  const item_right* const right_;
  job_log& log_;
};

/// Runs on each host before the first and after the last item of a batch. Calls may block. Batches of one job overlap when an
/// item of an earlier fire still runs: one object serves all of them, on several threads. An exception is written to the log of
/// the call and to that of the process; the items run all the same.
struct each_node_listener {
  virtual ~each_node_listener() = default;
  /// Returns the place among the listeners of the job: lower ones are called first, `before` and `after`. Equal ones: as listed.
  [[nodiscard]] virtual int order() const { return std::numeric_limits<int>::max(); }
  virtual void before(const batch_context&) {}
  virtual void after(const batch_context&) {}
};

/// Runs once in the cluster for each fire: before any of its items begins, and after the last one has ended. Calls may block. If
/// the host is lost during a call and the job has `failover`, another host repeats it. An exception fails the call, with its text
/// in the history; the items run all the same.
struct once_listener {
  virtual ~once_listener() = default;
  virtual void before_all(const batch_context&) {}
  virtual void after_all(const batch_context&) {}
};

} // namespace ringmaster::executor::elastic
