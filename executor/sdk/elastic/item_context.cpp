#include "executor/sdk/elastic/item_context.hpp"

#include <future>
#include <memory>

#include "core/elastic/context_json.hpp"
#include "core/text/text.hpp"

namespace ringmaster::executor::elastic {

namespace {

core::result<void> save_and_wait(const item_right& right, std::string&& value) {
  // The caller of `done` may still use the promise when this thread goes on.
  const auto told = std::make_shared<std::promise<core::result<void>>>();
  auto outcome = told->get_future();
  right.save_cursor(std::move(value), [told](core::result<void> saved) { told->set_value(std::move(saved)); });
  return outcome.get();
}

} // namespace

bool cursor_awaiter::await_ready() {
  if (!threads_)
    result_ = save_and_wait(right_, std::move(value_));
  return !threads_;
}

void cursor_awaiter::await_suspend(std::coroutine_handle<> who) {
  // After the call this object may already be destroyed.
  right_.save_cursor(std::move(value_), [this, who, threads = threads_](core::result<void> saved) {
    result_ = std::move(saved);
    resume_in(*threads, who);
  });
}

core::result<void> item_context::save_cursor(std::string value) const { return save_and_wait(right_, std::move(value)); }

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
