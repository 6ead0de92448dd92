#pragma once

// The interface of a body to its item run: one run of one item of an elastic job.

#include <chrono>
#include <cstdint>
#include <optional>
#include <source_location>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "core/elastic/run_cause.hpp"
#include "executor/awaiting.hpp"
#include "executor/job_log.hpp"

namespace ringmaster::executor::elastic {

using core::elastic::run_source;

/// Facts of one item run. They do not change during the run.
struct item_facts {
  /// Name of the job.
  std::string job;
  /// `<job>@-@<item>@-@READY|FAILOVER@-@<ip>@-@<pid>@-@<run>`.
  std::string task_id;
  /// 0 to `total` - 1.
  std::int32_t item = 0;
  /// Number of items of the job.
  std::int32_t total = 1;
  /// 1 for the first run; each takeover adds one.
  std::int32_t attempt = 1;
  run_source source = run_source::normal;
  /// Parameter of the job, or of the manual trigger.
  std::string job_param;
  /// Unset: the item has no parameter.
  std::optional<std::string> item_param;
  /// Number of the grant among those of the item.
  std::int64_t fence = 0;
  /// The run is a stream: it goes on until there is nothing more to do.
  bool streaming = false;
};

/// Right of one item run to go on, and what became of it. Implemented by the executor. Any thread.
class item_right {
public:
  virtual ~item_right() = default;
  /// Returns false once the lease of the run is over.
  [[nodiscard]] virtual bool still_mine() const noexcept = 0;
  [[nodiscard]] virtual bool drain_requested() const noexcept = 0;
  [[nodiscard]] virtual std::stop_token stop_token() const noexcept = 0;
  /// Notes that the run ends before its work is done, because of a drain.
  virtual void yield() const noexcept = 0;
};

/// One run of one item, as its body sees it. Lives until the body has returned, or until its coroutine has ended. Any thread that
/// the body starts and waits for may call all functions. Views are valid as long as the context.
class item_context {
public:
  /// Called by the executor. References outlive this object. Without `threads`, coroutines block in place.
  item_context(const item_facts& facts, const item_right& right, job_log& log, task_threads* threads = nullptr);
  item_context(const item_context&) = delete;
  item_context& operator=(const item_context&) = delete;

  /// Returns the name of the job.
  [[nodiscard]] const std::string& job() const noexcept { return facts_.job; }
  /// Returns ElasticJob's name of this run: `<job>@-@<item>@-@READY|FAILOVER@-@<ip>@-@<pid>@-@<run>`.
  [[nodiscard]] std::string_view task_id() const noexcept { return facts_.task_id; }
  /// Returns the item, from 0 on.
  [[nodiscard]] std::int32_t item() const noexcept { return facts_.item; }
  /// Returns the number of items of the job.
  [[nodiscard]] std::int32_t total() const noexcept { return facts_.total; }
  /// Returns 1 for the first run of an item in a fire; each takeover after the loss of a host adds one.
  [[nodiscard]] std::int32_t attempt() const noexcept { return facts_.attempt; }
  [[nodiscard]] run_source source() const noexcept { return facts_.source; }
  /// Returns the parameter of the job or of the manual trigger; may be empty.
  [[nodiscard]] std::string_view job_param() const noexcept { return facts_.job_param; }
  /// Returns the parameter of this item; unset if it has none.
  [[nodiscard]] std::optional<std::string_view> item_param() const noexcept { return facts_.item_param; }

  /// Returns a number that grows with each grant of the item: use it in conditional writes to other systems.
  [[nodiscard]] std::int64_t fence() const noexcept { return facts_.fence; }
  /// Returns false once the lease of this run is over: another host may run the item. Check it right before an external write.
  [[nodiscard]] bool still_mine() const noexcept { return right_.still_mine(); }

  /// Returns the token that requests a stop: the run was cancelled, its lease is over, or the process ends. A run that ignores a
  /// cancel is reported as failed. Callbacks of this token must not block.
  [[nodiscard]] std::stop_token stop_token() const noexcept { return right_.stop_token(); }
  [[nodiscard]] bool stop_requested() const noexcept { return right_.stop_token().stop_requested(); }
  /// Returns true once the run is asked to end at the next good moment, because the item moves to another host.
  [[nodiscard]] bool drain_requested() const noexcept { return right_.drain_requested(); }
  /// Returns true for a stream: a run that goes on until there is nothing more to do.
  [[nodiscard]] bool streaming() const noexcept { return facts_.streaming; }
  /// Says that this stream ends although there is more to do, after a drain: another host goes on with the item. Return after it.
  void yield() noexcept { right_.yield(); }
  /// Waits for the duration. Returns false at once if a stop is requested.
  bool wait_for(std::chrono::nanoseconds duration) const;

  /// For coroutines: as `job_context::sleep_for`. The result is false if a stop is requested.
  [[nodiscard]] sleep_awaiter sleep_for(std::chrono::nanoseconds duration) const {
    return {threads_, duration, right_.stop_token()};
  }
  /// For coroutines: as `job_context::run_blocking`.
  template <class Function>
  [[nodiscard]] blocking_awaiter<Function> run_blocking(Function&& work) const {
    return {threads_, std::forward<Function>(work)};
  }

  /// Returns the log of this run.
  [[nodiscard]] job_log& log() noexcept { return log_; }
  void log(std::string_view text, const code_place& where = std::source_location::current()) { log_.line(text, where); }

  /// Returns ElasticJob's ShardingContext of this run as one line of JSON.
  [[nodiscard]] std::string json() const;

private:
  const item_facts& facts_;
  const item_right& right_;
  job_log& log_;
  task_threads* const threads_;
};

} // namespace ringmaster::executor::elastic
