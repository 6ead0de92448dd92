#pragma once

// The interface of a handler to its run.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <source_location>
#include <sstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/run/trigger_request.hpp"
#include "executor/awaiting.hpp"
#include "executor/job_log.hpp"

namespace ringmaster::executor {

[[nodiscard]] core::result<std::int64_t> parse_int64(std::string_view text);
[[nodiscard]] core::result<double> parse_double(std::string_view text);
[[nodiscard]] core::result<bool> parse_bool(std::string_view text);

/// Parses a whole text as a value: an integer of up to 64 bits, a `double` or `float` (decimal, no white space), a `bool`
/// (`true`, `false`, `1` or `0`), or any text. Errors: `invalid_argument` with the text.
template <class T>
[[nodiscard]] core::result<T> parse_value(std::string_view text) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string{text};
  } else if constexpr (std::is_same_v<T, bool>) {
    return parse_bool(text);
  } else if constexpr (std::is_floating_point_v<T>) {
    return parse_double(text).map([](double value) { return static_cast<T>(value); });
  } else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= sizeof(std::int64_t), "a number, a bool or a std::string");
    return parse_int64(text).and_then([text](std::int64_t value) -> core::result<T> {
      if (!std::in_range<T>(value))
        return core::fail(core::errc::invalid_argument, "\"" + std::string{text} + "\" is too large or too small");
      return static_cast<T>(value);
    });
  }
}

/// Returns the value of `name` in a parameter of the form `name=value other="with spaces"`. White space separates items; within
/// quotes, `\"` and `\\` are escapes for a quote and a backslash. Returns nullopt when the name is missing.
[[nodiscard]] std::optional<std::string> find_argument(std::string_view param, std::string_view name);

/// One run, as its handler sees it. Lives until the handler has returned, or until a coroutine has ended. All functions may be
/// called on any thread that the handler starts and waits for.
class job_context {
public:
  using stop_reason_source = std::function<std::string()>;

  /// Keeps references: the arguments must outlive the object. `threads`: the coroutine threads; null: sleeping and blocking calls
  /// block.
  job_context(const core::trigger_request& request, job_log& log, std::stop_token stop, const stop_reason_source& stop_reason,
              task_threads* threads = nullptr);
  job_context(const job_context&) = delete;
  job_context& operator=(const job_context&) = delete;

  /// Returns the request of the admin.
  [[nodiscard]] const core::trigger_request& request() const noexcept { return request_; }
  [[nodiscard]] core::job_id job() const noexcept { return request_.job; }
  /// Returns the admin's id of this run. A resent run has the same id, so it can be an idempotency key. As a number:
  /// `number(context.run())`.
  [[nodiscard]] core::log_id run() const noexcept { return request_.run; }
  /// Returns when the run was due, to the second.
  [[nodiscard]] core::time_point due() const noexcept { return request_.log_time; }
  /// Returns the job's parameter as the user wrote it; empty when there is none.
  [[nodiscard]] std::string_view param() const noexcept;
  /// Parses the whole parameter as a value.
  template <class T>
  [[nodiscard]] core::result<T> param_as() const {
    return parse_value<T>(param());
  }
  /// Returns the value of `name=…` in the parameter, or `otherwise` when it is missing. Errors: `invalid_argument` when the value
  /// has another type.
  template <class T>
  [[nodiscard]] core::result<T> argument(std::string_view name, std::type_identity_t<T> otherwise) const {
    const auto text = find_argument(param(), name);
    return text ? parse_value<T>(*text) : core::result<T>{std::move(otherwise)};
  }

  /// Returns the index of this part of a broadcast, from 0; 0 of 1 when the run is not a broadcast.
  [[nodiscard]] std::int32_t shard_index() const noexcept { return request_.shard_index; }
  [[nodiscard]] std::int32_t shard_total() const noexcept { return request_.shard_total; }
  /// Returns whether the item with this number belongs to this part: `number mod total`.
  [[nodiscard]] bool is_of_shard(std::int64_t number) const noexcept;

  /// Returns the token that requests a stop: the run was killed, took longer than the job's timeout, was replaced, or the process
  /// ends. A handler that ignores it is reported as stopped anyway, and its result is dropped.
  [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_; }
  [[nodiscard]] bool stop_requested() const noexcept { return stop_.stop_requested(); }
  /// Returns the reason of the stop; empty before a stop was requested.
  [[nodiscard]] std::string stop_reason() const;
  /// Waits for the duration. Returns false at once if a stop is requested.
  bool wait_for(std::chrono::nanoseconds duration) const;

  /// For coroutines, `co_await context.sleep_for(1s)`: like `wait_for`, without a thread. Resumes on one of the executor's
  /// coroutine threads, so a sleep of zero also moves a coroutine back to them.
  [[nodiscard]] sleep_awaiter sleep_for(std::chrono::nanoseconds duration) const { return {threads_, duration, stop_}; }
  /// For coroutines, `auto text = co_await context.run_blocking([&] { return read_all(file); });`: makes the call on a thread
  /// that may block, and returns or throws its result. A stop does not interrupt it. Resumes like `sleep_for`. Throws
  /// std::system_error when no thread is available. `work`: a named function is used in place, a temporary is moved.
  template <class Function>
  [[nodiscard]] blocking_awaiter<Function> run_blocking(Function&& work) const {
    return {threads_, std::forward<Function>(work)};
  }

  [[nodiscard]] job_log& log() noexcept { return log_; }
  void log(std::string_view text, const code_place& where = std::source_location::current()) { log_.line(text, where); }

  /// A line that is written when the full expression ends: `context.line() << done << " of " << all;`
  class log_stream {
  public:
    log_stream(job_log& log, const code_place& where) : log_{log}, where_{where} {}
    log_stream(const log_stream&) = delete;
    log_stream& operator=(const log_stream&) = delete;
    ~log_stream() { log_.line(text_.view(), where_); }

    /// Writes ids, such as `run()`, as numbers.
    template <class T>
    log_stream& operator<<(const T& value) {
      if constexpr (requires { text_ << value; })
        text_ << value;
      else
        text_ << core::number(value);
      return *this;
    }

  private:
    job_log& log_;
    code_place where_;
    std::ostringstream text_;
  };
  [[nodiscard]] log_stream line(const code_place& where = std::source_location::current()) { return {log_, where}; }

  /// Logs the progress, a fraction from 0 to 1 with an optional description: at most once a second, and at 1.
  void progress(double fraction, std::string_view what = {}, const code_place& where = std::source_location::current());

  /// Sets the result; the last call counts. Without a message the previous one stays. A run succeeds if the handler sets no
  /// result, and fails with the exception's text if it throws.
  void succeed(std::optional<std::string> message = {}) { set_result(200, std::move(message)); }
  void fail(std::optional<std::string> message = {}) { set_result(500, std::move(message)); }
  /// Sets any code: 200 is success, everything else failure. 0 and below mean that there is no result, which is also a failure.
  void set_result(std::int32_t code, std::optional<std::string> message = {});
  [[nodiscard]] core::run_outcome outcome() const;

private:
  const core::trigger_request& request_;
  job_log& log_;
  const std::stop_token stop_;
  const stop_reason_source& stop_reason_;
  task_threads* const threads_;
  mutable std::mutex guard_;
  core::run_outcome outcome_;
  std::chrono::steady_clock::time_point progress_told_{};
};

} // namespace ringmaster::executor
