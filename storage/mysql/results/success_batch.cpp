#include "storage/mysql/results/success_batch.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "core/run/execution_state.hpp"
#include "core/text/text.hpp"
#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/row_texts.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Minimum number of runs with the same message for which a constant UPDATE is cheaper than a CASE.
constexpr std::size_t alike_news_min = 10;

std::string message_of(const core::run_update& update) {
  return storable(core::cut_utf16(update.callback->message, core::message_units_max));
}

std::optional<success_kind> plain(const core::run_update& update) {
  const bool trigger = update.trigger && update.trigger->code == core::success_code && update.trigger->message.empty();
  const bool callback = update.callback && update.callback->code == core::success_code;
  if ((update.trigger && !trigger) || (update.callback && (!callback || update.callback->only_of)))
    return std::nullopt;
  if (callback && update.callback->log_time != core::time_point{})
    return trigger || !update.others.empty() ? std::nullopt : std::optional{success_kind::dated};
  return trigger && callback ? success_kind::both : trigger ? success_kind::trigger : success_kind::callback;
}

statement& statement_for(session& own, const plain_group& group, std::size_t rows, bool shared) {
  constexpr const char* update = "UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET ";
  // In shared mode the claim left the end of its text open: closed in place, if it is there.
  constexpr const char* in_bytes =
    "UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET trigger_msg = " RINGMASTER_CLOSED_IN_BYTES "?) ELSE trigger_msg END, ";
  constexpr const char* in_place =
    "UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET trigger_msg = " RINGMASTER_CLOSED_IN_PLACE "?) ELSE trigger_msg END, ";
  constexpr const char* answered = "trigger_code = 200 WHERE id IN ({?,}) AND trigger_code = 0";
  constexpr const char* both_alike = "trigger_code = 200, handle_time = ?, handle_code = 200, handle_msg = ?"
                                     " WHERE id IN ({?,}) AND trigger_code = 0 AND handle_code = 0";
  constexpr const char* both_unlike = "trigger_code = 200, handle_time = ?, handle_code = 200,"
                                      " handle_msg = CASE id {WHEN ? THEN ? }END WHERE id IN ({?,}) AND trigger_code = 0"
                                      " AND handle_code = 0";
  constexpr const char* as_dated = " WHERE id IN ({?,}) AND handle_code = 0 AND trigger_code IN (0, 200)"
                                   " AND trigger_time = CAST(CASE id {WHEN ? THEN ? }END AS DATETIME)";
  const auto closing = [&](sql without, sql bytes, sql characters) -> statement& {
    return own.db.prepare(!shared ? without : own.shape.log_in_utf8 ? bytes : characters, rows);
  };
  switch (group.kind) {
  case success_kind::trigger: return closing({update, answered}, {in_bytes, answered}, {in_place, answered});
  case success_kind::both:
    if (group.alike)
      return closing({update, both_alike}, {in_bytes, both_alike}, {in_place, both_alike});
    return closing({update, both_unlike}, {in_bytes, both_unlike}, {in_place, both_unlike});
  case success_kind::dated:
    if (group.alike)
      return own.db.prepare({"UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET handle_time = ?, handle_code = 200,"
                             " handle_msg = ?", as_dated}, rows);
    return own.db.prepare({"UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET handle_time = ?, handle_code = 200,"
                           " handle_msg = CASE id {WHEN ? THEN ? }END", as_dated}, rows);
  case success_kind::callback: break;
  }
  // Not after a failed trigger, because such a row leaves the list of failed runs.
  if (group.alike)
    return own.db.prepare({update, "handle_time = ?, handle_code = 200, handle_msg = ?"
                               " WHERE id IN ({?,}) AND handle_code = 0 AND trigger_code IN (0, 200)"}, rows);
  return own.db.prepare({update, "handle_time = ?, handle_code = 200, handle_msg = CASE id {WHEN ? THEN ? }END"
                             " WHERE id IN ({?,}) AND handle_code = 0 AND trigger_code IN (0, 200)"}, rows);
}

} // namespace

sorted_updates sort_out(const std::vector<core::run_update>& updates) {
  sorted_updates out;
  std::map<std::pair<success_kind, std::string_view>, std::vector<const core::run_update*>> by_message;
  for (const auto& one : updates)
    if (const auto kind = plain(one))
      by_message[{*kind, one.callback ? std::string_view{one.callback->message} : std::string_view{}}].push_back(&one);
    else
      out.others.push_back(&one);
  std::map<success_kind, plain_group> rest;
  for (auto& [key, runs] : by_message) {
    if (runs.size() >= alike_news_min || key.first == success_kind::trigger) {
      out.plain.push_back({key.first, true, std::move(runs)});
      continue;
    }
    auto& unlike = rest.try_emplace(key.first, plain_group{key.first, false, {}}).first->second.runs;
    unlike.insert(unlike.end(), runs.begin(), runs.end());
  }
  for (auto& [kind, group] : rest) {
    std::sort(group.runs.begin(), group.runs.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
    out.plain.push_back(std::move(group));
  }
  return out;
}

std::uint64_t write(session& own, const plain_group& group, std::string_view handle_time, bool shared) {
  const auto open = core::pending_end(own.texts.tail), closed = core::success_end(own.texts.tail);
  std::uint64_t changed = 0;
  const auto bytes_of = [&](std::size_t i) {
    return group.alike ? 0 : std::min(group.runs[i]->callback->message.size(), 4 * core::message_units_max);
  };
  const auto cut = [&](std::size_t size) { return padded_chunks(size, group.alike ? rows_max : case_rows_max); };
  for (const auto part : chunks_within_bytes(group.runs.size(), bytes_of, cut)) {
    auto& some = statement_for(own, group, part.rows, shared);
    if (shared && (group.kind == success_kind::both || group.kind == success_kind::trigger))
      some.add(open).add(open).add(open).add(closed);
    if (group.kind != success_kind::trigger) {
      some.add(handle_time);
      if (group.alike)
        some.add(message_of(*group.runs.front()));
      for (std::size_t i = 0; i < part.rows && !group.alike; ++i)
        some.add(group.runs[part.at(i)]->id).add(message_of(*group.runs[part.at(i)]));
    }
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(group.runs[part.at(i)]->id);
    for (std::size_t i = 0; i < part.rows && group.kind == success_kind::dated; ++i)
      some.add(group.runs[part.at(i)]->id).add(std::string{own.dates.of(group.runs[part.at(i)]->callback->log_time)});
    changed += some.run();
  }
  return changed;
}

} // namespace ringmaster::storage::mysql
