#include "core/run/record_rules.hpp"

#include <algorithm>

#include "core/run/execution_state.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::int32_t failure = 500;

void write_trigger(run_write& write, const run_row& row, const run_update& update, bool owner_current) {
  const auto& trigger = *update.trigger;
  if (row.trigger_code != 0)
    return;
  bool failed = trigger.code != success_code;
  bool has_result = row.handle_code != 0 || write.handle_code;
  if (failed && !owner_current)
    return;
  if (failed && has_result) {
    write.trigger_code = success_code;
    return;
  }
  // 0 would leave the run unresolved indefinitely.
  write.trigger_code = trigger.code == 0 ? failure : trigger.code;
  write.trigger_message = cut_utf16(trigger.message, message_units_max);
  write.clear_retries = failed && trigger.delivery_unknown;
  write.trigger_stored = true;
}

void write_callback(run_write& write, const run_row& row, const callback& callback) {
  if (row.handle_code != 0)
    return;
  write.handle_code = stored_handle_code(callback.code);
  write.handle_message = cut_utf16(callback.message, message_units_max);
  write.callback_stored = true;
}

/// Returns the first callback that is valid for the run; null: none.
const callback* callback_for(const run_row& row, const run_update& update) {
  if (update.callback->may_be_of(row.group))
    return update.callback;
  const auto found =
    std::find_if(update.others.begin(), update.others.end(), [&row](const auto* each) { return each->may_be_of(row.group); });
  return found != update.others.end() ? *found : nullptr;
}

void add_callback(run_update& to, const callback* callback) {
  if (!callback)
    return;
  if (!to.callback) {
    to.callback = callback;
    return;
  }
  const auto speaks_alike = [callback](const auto* each) {
    return (!each->only_of || each->only_of == callback->only_of) && each->log_time == callback->log_time;
  };
  if (!speaks_alike(to.callback) && std::none_of(to.others.begin(), to.others.end(), speaks_alike))
    to.others.push_back(callback);
}

bool failed_trigger(std::int32_t code) noexcept { return code != 0 && code != success_code; }

} // namespace

std::vector<run_update> updates_of(const record_batch& batch) {
  std::vector<run_update> updates;
  updates.reserve(batch.triggers.size() + batch.callbacks.size());
  for (const auto& trigger : batch.triggers)
    updates.push_back({trigger.id, &trigger, nullptr, {}});
  for (const auto& callback : batch.callbacks)
    updates.push_back({callback.id, nullptr, &callback, {}});
  // Stable: the first of several stays first.
  std::stable_sort(updates.begin(), updates.end(), [](const run_update& a, const run_update& b) { return a.id < b.id; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < updates.size(); ++i) {
    if (updates[i].id != updates[last].id) {
      updates[++last] = std::move(updates[i]);
      continue;
    }
    if (!updates[last].trigger)
      updates[last].trigger = updates[i].trigger;
    add_callback(updates[last], updates[i].callback);
  }
  if (!updates.empty())
    updates.resize(last + 1);
  return updates;
}

std::optional<run_end> end_of(const run_write& write) noexcept {
  if (write.handle_code)
    return *write.handle_code == success_code ? run_end::succeeded : run_end::failed;
  if (write.trigger_code && *write.trigger_code != success_code)
    return run_end::not_sent;
  return std::nullopt;
}

run_write decide_write(const run_row& row, const run_update& update, bool owner_current) {
  run_write write;
  // The callback first: a run with a result was delivered, whatever the answer to its trigger.
  if (update.callback) {
    const auto* callback = callback_for(row, update);
    write.callback_foreign = !callback;
    if (callback)
      write_callback(write, row, *callback);
  }
  if (update.trigger)
    write_trigger(write, row, update, owner_current);
  bool new_trigger_failure = write.trigger_stored && failed_trigger(*write.trigger_code);
  bool new_failure = new_trigger_failure || (write.handle_code && *write.handle_code != success_code);
  bool new_success = write.handle_code && *write.handle_code == success_code;
  write.children = new_success;
  write.not_failed = new_success && failed_trigger(row.trigger_code);
  write.failed = new_failure;
  if (new_failure && row.alarm_status == 0) {
    write.mark_alarm = true;
    if (!write.clear_retries)
      write.retry_left = retries_after_failure(row.retries);
  }
  return write;
}

} // namespace ringmaster::core
