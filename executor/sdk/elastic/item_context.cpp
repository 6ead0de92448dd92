#include "executor/sdk/elastic/item_context.hpp"

#include "core/elastic/context_json.hpp"
#include "core/text/text.hpp"

namespace ringmaster::executor::elastic {

item_context::item_context(const item_facts& facts, const item_right& right, job_log& log, task_threads* threads)
  : facts_{facts}, right_{right}, log_{log}, threads_{threads} {}

bool item_context::wait_for(std::chrono::nanoseconds duration) const {
  sleep_awaiter sleep{nullptr, duration, right_.stop_token()};
  (void)sleep.await_ready();
  return sleep.await_resume();
}

std::string item_context::json() const {
  // Parameters come from a database, which may hold any bytes.
  const auto job_param = core::valid_utf8(facts_.job_param);
  const auto item_param = core::valid_utf8(facts_.item_param.value_or(""));
  core::elastic::item_context_fields fields;
  fields.job = facts_.job;
  fields.task_id = facts_.task_id;
  fields.total = facts_.total;
  fields.job_param = job_param;
  fields.item = facts_.item;
  if (facts_.item_param)
    fields.item_param = item_param;
  return core::elastic::context_json(fields);
}

} // namespace ringmaster::executor::elastic
