#include "apps/job_text.hpp"

#include <array>
#include <cctype>
#include <cstdio>

#include "apps/report.hpp"
#include "apps/table_text.hpp"
#include "core/execution_state.hpp"
#include "core/result_text.hpp"
#include "core/text.hpp"
#include "core/trigger_text.hpp"

namespace ringmaster::apps {

namespace {

using fields = std::vector<std::pair<std::string, std::string>>;

constexpr std::int32_t timed_out = 502;

std::string text_or(const std::optional<core::time_point>& t, const core::zone& where) { return t ? local_text(*t, where) : "-"; }

template <class T>
nlohmann::json value_or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

/// In native mode it is made of the row when somebody reads it; a Java admin wrote its own.
std::string trigger_html(const core::log_row& row) {
  auto note = core::decode_trigger_note(row.trigger_msg);
  if (!note)
    return row.trigger_msg;
  core::trigger_story story;
  story.address = row.executor_address;
  story.handler = row.executor_handler;
  story.param = row.executor_param;
  story.code = row.trigger_code;
  if (row.executor_address.empty())
    story.route_note = note->message;
  story.note = *note;
  return core::trigger_text(story, core::language::en, core::trigger_tail::remark);
}

} // namespace

nlohmann::json ms_or_null(const std::optional<core::time_point>& t) {
  return t ? nlohmann::json(core::to_ms(*t)) : nlohmann::json();
}

std::string local_text(core::time_point t, const core::zone& where) {
  auto text = where.format(t);
  if (const auto ms = (t - core::cut_to_second(t)).count(); ms != 0) {
    std::array<char, 8> tail{};
    std::snprintf(tail.data(), tail.size(), ".%03d", static_cast<int>(ms));
    text += tail.data();
  }
  return text;
}

std::string schedule_text(const core::job_card& card) {
  const auto& spec = *card.spec;
  if (spec.timing.interval_ms)
    return "every " + std::to_string(*spec.timing.interval_ms) + " ms";
  switch (spec.schedule) {
  case core::schedule_type::cron: return one_line(spec.schedule_conf);
  case core::schedule_type::fixed_rate: return "every " + one_line(spec.schedule_conf) + " s";
  case core::schedule_type::none:
  case core::schedule_type::unknown: break;
  }
  return card.schedule_type == "NONE" ? "none" : one_line(card.schedule_type + ' ' + spec.schedule_conf);
}

std::string state_of(const core::log_row& row) {
  if (row.handle_code == core::success_code)
    return "succeeded";
  if (row.handle_code == timed_out)
    return "timed out";
  if (row.handle_code != 0)
    return "failed";
  return row.trigger_code == 0 ? "waiting" : row.trigger_code == core::success_code ? "sent" : "not sent";
}

nlohmann::json to_json(const core::job_card& card) {
  const auto& spec = *card.spec;
  const auto& timing = spec.timing;
  return {
    {"id", core::number(spec.id)},
    {"group", card.group},
    {"key", card.key.empty() ? nlohmann::json() : nlohmann::json(card.key)},
    {"source", card.source.empty() ? nlohmann::json() : nlohmann::json(card.source)},
    {"name", card.name},
    {"author", card.author},
    {"alarm_email", card.alarm_email},
    {"running", card.running},
    {"next_ms", ms_or_null(card.next)},
    {"last_ms", core::to_ms(card.last) == 0 ? nlohmann::json() : nlohmann::json(core::to_ms(card.last))},
    {"schedule_type", card.schedule_type},
    {"schedule", spec.schedule_conf},
    {"time_zone", timing.time_zone.empty() ? nlohmann::json() : nlohmann::json(timing.time_zone)},
    {"interval_ms", value_or_null(timing.interval_ms)},
    {"start_at_ms", ms_or_null(timing.start_at)},
    {"end_at_ms", ms_or_null(timing.end_at)},
    {"jitter_ms", value_or_null(timing.jitter_ms)},
    {"misfire", core::stored_name(spec.misfire)},
    {"route", core::stored_name(spec.route)},
    {"block", core::stored_name(spec.block)},
    {"on_unknown", core::stored_name(spec.on_unknown)},
    {"glue_type", spec.glue_type},
    {"handler", spec.handler},
    {"params", spec.param},
    {"timeout_s", spec.timeout_s},
    {"retry", spec.retry_count},
    {"children", spec.child_jobs},
  };
}

nlohmann::json to_json(const core::log_row& row) {
  return {
    {"id", core::number(row.id)},
    {"job", core::number(row.job)},
    {"state", state_of(row)},
    {"trigger_ms", core::to_ms(row.trigger_time)},
    {"trigger_code", row.trigger_code},
    {"trigger_text", plain_text(trigger_html(row))},
    {"handle_ms", row.handle_code == 0 ? nlohmann::json() : ms_or_null(row.handle_time)},
    {"handle_code", row.handle_code},
    {"handle_msg", row.handle_code == 0 ? "" : std::string{core::result_text(row.handle_msg, core::language::en)}},
    {"address", row.executor_address},
    {"handler", row.executor_handler},
    {"param", row.executor_param},
    {"shard", row.executor_sharding_param},
    {"retries_left", row.fail_retry_count},
  };
}

std::string dumped(const nlohmann::json& document) {
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

std::string jobs_table(const std::vector<core::job_card>& cards, const core::zone& where) {
  std::vector<std::vector<std::string>> rows{{"ID", "JOB", "NAME", "SCHEDULE", "STATE", "NEXT (" + where.name() + ")"}};
  for (const auto& card : cards)
    rows.push_back({std::to_string(core::number(card.spec->id)), card.group + '/' + (card.key.empty() ? "-" : card.key),
                    one_line(std::string{core::cut_characters(card.name, 40)}), schedule_text(card),
                    card.running ? "running" : "stopped", text_or(card.next, where)});
  return table_text(rows);
}

std::string runs_table(const std::vector<core::log_row>& rows, const core::zone& where) {
  std::vector<std::vector<std::string>> lines{{"RUN", "JOB", "TRIGGERED (" + where.name() + ")", "STATE", "SHARD", "EXECUTOR"}};
  for (const auto& row : rows)
    lines.push_back({std::to_string(core::number(row.id)), std::to_string(core::number(row.job)),
                     local_text(row.trigger_time, where), state_of(row),
                     row.executor_sharding_param.empty() ? "-" : one_line(row.executor_sharding_param),
                     row.executor_address.empty() ? "-" : one_line(row.executor_address)});
  return table_text(lines);
}

std::string describe(const core::job_card& card, const core::zone& where) {
  const auto& spec = *card.spec;
  const auto& timing = spec.timing;
  fields all{
    {"id", std::to_string(core::number(spec.id))}, {"job", one_line(core::title_of(card))}, {"name", one_line(card.name)}};
  auto add = [&all](const char* name, std::string value) {
    if (!value.empty())
      all.emplace_back(name, one_line(std::move(value)));
  };
  auto instant = [&](const char* name, const auto& t) { add(name, t ? local_text(*t, where) : ""); };
  add("source", card.source);
  add("author", card.author);
  add("schedule", schedule_text(card));
  add("time zone", timing.time_zone);
  instant("start", timing.start_at);
  instant("end", timing.end_at);
  add("jitter", timing.jitter_ms ? std::to_string(*timing.jitter_ms) + " ms" : "");
  add("state", card.running ? "running" : "stopped");
  add("next", text_or(card.next, where) + (card.next ? " " + where.name() : ""));
  add("last", core::to_ms(card.last) == 0 ? "-" : local_text(card.last, where));
  add("handler", spec.handler);
  add("params", spec.param);
  add("route", std::string{core::stored_name(spec.route)});
  add("block", std::string{core::stored_name(spec.block)});
  add("misfire", std::string{core::stored_name(spec.misfire)});
  add("on_unknown", std::string{core::stored_name(spec.on_unknown)});
  add("timeout", spec.timeout_s > 0 ? std::to_string(spec.timeout_s) + " s" : "none");
  add("retry", std::to_string(spec.retry_count));
  add("children", spec.child_jobs);
  return fields_text(all);
}

std::string describe(const core::log_row& row, const core::zone& where) {
  fields all{{"run", std::to_string(core::number(row.id))},
             {"job", std::to_string(core::number(row.job))},
             {"state", state_of(row)},
             {"triggered", local_text(row.trigger_time, where) + ' ' + where.name()},
             {"executor", row.executor_address.empty() ? "-" : one_line(row.executor_address)},
             {"handler", one_line(row.executor_handler)},
             {"param", one_line(row.executor_param)}};
  if (!row.executor_sharding_param.empty())
    all.emplace_back("shard", one_line(row.executor_sharding_param));
  all.emplace_back("retries left", std::to_string(row.fail_retry_count));
  all.emplace_back("trigger code", std::to_string(row.trigger_code));
  if (row.handle_code != 0) {
    all.emplace_back("result code", std::to_string(row.handle_code));
    if (row.handle_time)
      all.emplace_back("finished", local_text(*row.handle_time, where) + ' ' + where.name());
    all.emplace_back("result", plain_text(core::result_text(row.handle_msg, core::language::en)));
  }
  all.emplace_back("trigger", plain_text(trigger_html(row)));
  return fields_text(all);
}

std::string plain_text(std::string_view html) {
  static constexpr std::pair<std::string_view, char> entities[] = {
    {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&amp;", '&'}};
  std::string text;
  while (!html.empty()) {
    if (html.front() == '<') {
      // A lone `<`, or the closing brackets of XXL's headings, are text.
      const auto end = html.find('>');
      const bool tag =
        end != std::string_view::npos && html.size() > 1 && (std::isalpha(static_cast<unsigned char>(html[1])) || html[1] == '/');
      if (tag) {
        if (html.starts_with("<br"))
          text += '\n';
        html.remove_prefix(end + 1);
        continue;
      }
    }
    std::size_t taken = 1;
    char c = html.front();
    for (const auto& [name, meaning] : entities)
      if (html.starts_with(name)) {
        c = meaning;
        taken = name.size();
        break;
      }
    const auto byte = static_cast<unsigned char>(c);
    text += (byte < ' ' && c != '\n') || byte == 0x7F ? ' ' : c;
    html.remove_prefix(taken);
  }
  return core::valid_utf8(text);
}

} // namespace ringmaster::apps
