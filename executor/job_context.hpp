#pragma once

// What a handler has while it runs.

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

/// Reads a whole text as a value: a whole number of up to 64 bits, a `double` or a `float` (decimal, no white space), a `bool`
/// (`true`, `false`, `1` or `0`), or any text. Errors: `invalid_argument` naming the text.
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

/// The value of `name` in a parameter of the form `name=value other="with spaces"`: items stand apart by white space; within
/// quotes `\"` and `\\` stand for themselves. Nothing when the name is not there.
[[nodiscard]] std::optional<std::string> find_argument(std::string_view param, std::string_view name);

/// One run, as its handler sees it. Lives until the handler has returned, a coroutine until it has ended. All functions may be
/// called from any thread that the handler starts and waits for.
class job_context {
public:
  using stop_reason_source = std::function<std::string()>;

  /// Nothing of the arguments is copied: they outlive it. `threads`: of coroutines; null: what they wait for blocks.
  job_context(const core::trigger_request& request, job_log& log, std::stop_token stop, const stop_reason_source& stop_reason,
              task_threads* threads = nullptr);
  job_context(const job_context&) = delete;
  job_context& operator=(const job_context&) = delete;

  /// As the admin sent it.
  [[nodiscard]] const core::trigger_request& request() const noexcept { return request_; }
  [[nodiscard]] core::job_id job() const noexcept { return request_.job; }
  /// The admin's id of this run; the same for a run that is sent once more, so it can be the key of what must happen once. As a
  /// number: `number(context.run())`.
  [[nodiscard]] core::log_id run() const noexcept { return request_.run; }
  /// When the run was due, to the second.
  [[nodiscard]] core::time_point due() const noexcept { return request_.log_time; }
  /// The job's parameter as people wrote it; empty when there is none.
  [[nodiscard]] std::string_view param() const noexcept;
  /// The whole parameter as a value.
  template <class T>
  [[nodiscard]] core::result<T> param_as() const {
    return parse_value<T>(param());
  }
  /// The value of `name=…` in the parameter; `otherwise` when it is not there. Errors: `invalid_argument` when it is not such a
  /// value.
  template <class T>
  [[nodiscard]] core::result<T> argument(std::string_view name, std::type_identity_t<T> otherwise) const {
    const auto text = find_argument(param(), name);
    return text ? parse_value<T>(*text) : core::result<T>{std::move(otherwise)};
  }

  /// Which part of a broadcast this is, from 0; 0 of 1 when it is none.
  [[nodiscard]] std::int32_t shard_index() const noexcept { return request_.shard_index; }
  [[nodiscard]] std::int32_t shard_total() const noexcept { return request_.shard_total; }
  /// Whether the item with this number is of this part: `number mod total`.
  [[nodiscard]] bool is_of_shard(std::int64_t number) const noexcept;

  /// Asks to stop: the run was killed, took longer than the job allows, was replaced, or the process ends. Who does not listen is
  /// reported as stopped all the same, and goes on for nothing.
  [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_; }
  [[nodiscard]] bool stop_requested() const noexcept { return stop_.stop_requested(); }
  /// Why; empty while nobody asked.
  [[nodiscard]] std::string stop_reason() const;
  /// Waits so long. False: it was asked to stop meanwhile, and returns at once.
  bool wait_for(std::chrono::nanoseconds duration) const;

  /// For coroutines, `co_await context.sleep_for(1s)`: as `wait_for`, without a thread. Goes on in one of the executor's threads
  /// for coroutines, so a sleep of no time comes back to them from elsewhere.
  [[nodiscard]] sleep_awaiter sleep_for(std::chrono::nanoseconds duration) const { return {threads_, duration, stop_}; }
  /// For coroutines, `auto text = co_await context.run_blocking([&] { return read_all(file); });`: the call is made on a thread
  /// that may block, a stop does not interrupt it; returns or throws what it does. Goes on as `sleep_for`. Throws
  /// std::system_error when no thread can be had. `work`: a function with a name is used where it is, another one is moved.
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

    /// Ids, as of `run()`, are their numbers.
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

  /// How much is done, from 0 to 1, and of what: a line of the log, at most once a second and when all is done.
  void progress(double fraction, std::string_view what = {}, const code_place& where = std::source_location::current());

  /// The result; the last call counts. A message that is not given leaves the one before. A run whose handler says nothing
  /// succeeds, one whose handler throws fails with what was thrown.
  void succeed(std::optional<std::string> message = {}) { set_result(200, std::move(message)); }
  void fail(std::optional<std::string> message = {}) { set_result(500, std::move(message)); }
  /// Any code: 200 is success, everything else failure; 0 and below mean that there is no result, a failure, too.
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
