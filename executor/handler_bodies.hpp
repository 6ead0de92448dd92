#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "actors/executor/bodies.hpp"
#include "executor/handlers.hpp"
#include "executor/job_log.hpp"

namespace ringmaster::executor {

/// Opens the log of a run; never null: where no file can be made, what is written is lost.
using log_opener = std::function<std::unique_ptr<job_log>(const core::trigger_request&)>;

/// Finds handlers by name, and hands what is no `BEAN` to `others`.
class handler_bodies final : public actors::body_source {
public:
  /// `others`: null answers that the type is not valid.
  handler_bodies(const handlers& known, const log_opener& open, std::unique_ptr<actors::body_source> others);

  core::result<std::shared_ptr<const actors::run_body>> find(const core::trigger_request& request,
                                                             const std::shared_ptr<const actors::run_body>& held) override;

private:
  const std::map<std::string, std::shared_ptr<const actors::run_body>, std::less<>> bodies_;
  const std::unique_ptr<actors::body_source> others_;
};

} // namespace ringmaster::executor
