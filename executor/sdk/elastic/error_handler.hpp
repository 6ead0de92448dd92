#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/elastic/elastic_ids.hpp"
#include "core/elastic/props.hpp"
#include "core/result.hpp"

namespace ringmaster::executor::elastic {

/// Properties of a job, by name. Those of your own parts have names that begin with `custom.`.
using core::elastic::job_props;

/// An item run that has failed.
struct item_failure {
  /// Name of the job, with its namespace.
  std::string job;
  core::elastic::elastic_job_id job_id{};
  core::elastic::item_run_id run{};
  /// `<job>@-@<item>@-@READY|FAILOVER@-@<ip>@-@<pid>@-@<run>`.
  std::string task_id;
  /// -1, -2: the call of the once-listeners before all items, after all items.
  std::int32_t item = 0;
  /// Number of items of the job.
  std::int32_t total = 1;
  /// 1 for the first run; each takeover adds one.
  std::int32_t attempt = 1;
  /// Text of the exception.
  std::string text;
};

/// Consequence of a failure for the other items of the same fire in this process.
enum class error_verdict : std::uint8_t {
  /// None.
  proceed,
  /// Items that have not begun are cancelled. Those that run go on.
  abort,
};

/// Handler of the failed items of one job in one process. Each job has an object of its own, which is made again when the name or
/// the props of the job change. Its calls follow each other, on threads that may block.
struct error_handler {
  virtual ~error_handler() = default;
  /// Takes the properties of the job, before the first failure. An error makes each failure say so.
  virtual core::result<void> configure(const job_props& props) {
    (void)props;
    return {};
  }
  /// Handles one failure. The run ends after it, as failed in any case: a call that hangs holds the item. Not called for a run
  /// that was cancelled or lost its lease.
  virtual error_verdict handle(const item_failure& failure) = 0;
};

using error_handler_factory = std::function<std::shared_ptr<error_handler>()>;

} // namespace ringmaster::executor::elastic
