#pragma once

// The interface of a body to its item run: one run of one item of an elastic job.

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "core/elastic/props.hpp"
#include "core/elastic/run_cause.hpp"
#include "core/result.hpp"
#include "executor/awaiting.hpp"
#include "executor/job_log.hpp"

namespace ringmaster::executor::elastic {

using core::elastic::run_source;

/// Longest wait of `item_context::save_cursor`.
inline constexpr std::chrono::seconds save_limit{30};

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
  /// The cursor that earlier runs of the item have stored; unset: none.
  std::optional<std::string> cursor;
  /// Properties of the job.
  core::elastic::job_props props;
};

/// The lease of one run: another process, such as the supervisor of a program, can see its end by itself.
struct item_lease {
  /// Start by CLOCK_BOOTTIME, in nanoseconds, in memory that forks share. Each extension changes it. Never null.
  std::shared_ptr<const std::atomic<std::int64_t>> from;
  std::chrono::nanoseconds length{0};
};

/// Right of one item run to go on, and what became of it. Implemented by the executor. Any thread.
class item_right {
public:
  virtual ~item_right() = default;
  /// Returns false once the lease of the run is over.
  [[nodiscard]] virtual bool still_mine() const noexcept = 0;
  [[nodiscard]] virtual bool drain_requested() const noexcept = 0;
  [[nodiscard]] virtual std::stop_token stop_token() const noexcept = 0;
  /// Returns the token that orders a program's end at once. It may follow the request of a stop.
  [[nodiscard]] virtual std::stop_token kill_token() const noexcept = 0;
  /// Notes that the run ends before its work is done, because of a drain.
  virtual void yield() const noexcept = 0;
  /// Passes a cursor on to be stored. `done` is called once, on any thread, perhaps before this returns; it must not block.
  /// Errors: those of `item_context::save_cursor`.
  virtual void save_cursor(std::string value, std::function<void(core::result<void>)> done) const = 0;
  [[nodiscard]] virtual item_lease lease() const noexcept = 0;
  /// Tells the nodes which process runs a program of this run.
  virtual void report_program(std::int64_t supervisor) const = 0;
};

/// A save of a cursor. Resumes on a thread of `task_threads`; without them it blocks.
class [[nodiscard("write co_await")]] cursor_awaiter {
public:
  cursor_awaiter(task_threads * threads, const item_right& right, std::string value)
    : threads_{threads}, right_{right}, value_{std::move(value)} {}
  cursor_awaiter(const cursor_awaiter&) = delete;
  cursor_awaiter& operator=(const cursor_awaiter&) = delete;

  [[nodiscard]] bool await_ready();
  void await_suspend(std::coroutine_handle<> who);
  [[nodiscard]] core::result<void> await_resume() { return std::move(result_); }

private:
  task_threads* threads_;
  const item_right& right_;
  std::string value_;
  core::result<void> result_;
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

  /// Returns the properties of the job: `core::elastic::prop_text` and its neighbours read them.
  [[nodiscard]] const core::elastic::job_props& props() const noexcept { return facts_.props; }

  /// Returns a number that grows with each grant of the item: use it in conditional writes to other systems.
  [[nodiscard]] std::int64_t fence() const noexcept { return facts_.fence; }
  /// Returns false once the lease of this run is over: another host may run the item. Check it right before an external write.
  [[nodiscard]] bool still_mine() const noexcept { return right_.still_mine(); }

  /// For types that run programs: the token that orders the end at once, also after a stop that gave the program time. Callbacks
  /// must not block.
  [[nodiscard]] std::stop_token kill_token() const noexcept { return right_.kill_token(); }
  /// For types that run programs: the lease of this run.
  [[nodiscard]] item_lease lease() const noexcept { return right_.lease(); }
  /// For types that run programs: tells the nodes the process that ends only when nothing of the program is left. After the death
  /// of this executor another host gets the item once that process has ended, too.
  void report_program(std::int64_t supervisor) const { right_.report_program(supervisor); }

  /// Returns the cursor that the runs of this item before this one have stored; unset: none. It stays the same during the run.
  [[nodiscard]] std::optional<std::string_view> cursor() const noexcept { return facts_.cursor; }
  /// Stores the position of the item, any bytes, for its next run: of the next fire, of a takeover, of a stream that moves.
  /// Blocks until this value or a newer one of this run is stored. Errors: `fenced` if another host may run the item, so that its
  /// value counts; `too_large` beyond 64 KiB; `unavailable` if no node has stored it within `save_limit`, or the run has ended:
  /// it may be stored later.
  [[nodiscard]] core::result<void> save_cursor(std::string value) const;
  /// For coroutines: as `save_cursor`, but it needs no thread while it waits.
  [[nodiscard]] cursor_awaiter async_save_cursor(std::string value) const { return {threads_, right_, std::move(value)}; }

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
