#pragma once

// Error handlers that notify users from this process: property `error.notify = host` of the job.

#include <memory>
#include <string>
#include <vector>

#include "executor/elastic/job_errors.hpp"
#include "protocol/logger.hpp"

namespace ringmaster::executor {

/// Returns EMAIL, WECHAT, DINGTALK and WEBHOOK. They send to the hosts of `targets` only, each a host or host:port, and one
/// message of a job in a minute: a failure within it is counted in the next message. A message is tried once, and its fate is
/// logged. They share one thread, which begins with the first message.
[[nodiscard]] elastic::error_handler_factories notifying_handlers(std::vector<std::string> targets, protocol::logger log);

} // namespace ringmaster::executor
