#include "core/rules/job_draft_rules.hpp"

#include <algorithm>

#include "core/cluster/cluster_mode.hpp"
#include "core/columns.hpp"
#include "core/editing/edit_tag.hpp"
#include "core/editing/group_draft.hpp"
#include "core/rules/job_columns.hpp"
#include "core/rules/job_edit_rules.hpp"
#include "core/schedule/last_instant.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::size_t remark_chars_min = 4;
constexpr std::size_t remark_chars_max = 100;
/// Width of `glue_remark`.
constexpr std::size_t remark_column_chars = 128;

tl::unexpected<error> too_long(std::string_view field) {
  return refuse(errc::invalid_argument, refusal::too_long, std::string{field} + " is longer than its column", std::string{field});
}

result<void> check_source_text(std::string_view source) {
  if (source.size() > source_bytes)
    return refuse(errc::invalid_argument, refusal::too_long,
                  "glueSource is longer than " + std::to_string(source_bytes) + " bytes", "glueSource");
  if (valid_utf8(source) != source)
    return fail(errc::invalid_argument, "glueSource is not valid UTF-8");
  return {};
}

/// Checks widths, with the names of XXL's forms, which users see.
result<void> check_widths(const job_record& row, const column_limits& limits) {
  struct width {
    std::string_view name;
    const std::string& text;
    std::size_t chars;
  };
  const width widths[] = {
    {"jobDesc", row.name, job_name_chars},
    {"author", row.author, author_chars},
    {"alarmEmail", row.alarm_email, alarm_email_chars},
    {"scheduleConf", row.schedule_conf, schedule_conf_chars},
    {"executorHandler", row.handler, handler_chars},
    {"childJobId", row.children, child_jobs_chars},
    {"glueRemark", row.glue_remark, remark_column_chars},
  };
  for (const auto& [name, text, chars] : widths) {
    if (valid_utf8(text) != text)
      return fail(errc::invalid_argument, std::string{name} + " is not valid UTF-8");
    if (!fits(text, chars))
      return too_long(name);
  }
  for (const auto& field : job_option_fields()) {
    const auto value = field.get(row);
    const auto text = text_of(value);
    if (valid_utf8(text) != text)
      return fail(errc::invalid_argument, std::string{field.name} + " is not valid UTF-8");
    if (!fits_column(field, value))
      return too_long(field.name);
  }
  if (valid_utf8(row.param) != row.param)
    return fail(errc::invalid_argument, "executorParam is not valid UTF-8");
  if (!check_param(row.param, limits))
    return too_long("executorParam");
  return {};
}

job_columns columns_of(const job_record& row) {
  job_columns out;
  out.name = row.name;
  out.author = row.author;
  out.alarm_email = row.alarm_email;
  out.schedule_type = row.schedule_type;
  out.schedule_conf = row.schedule_conf;
  out.misfire = row.misfire;
  out.route = row.route;
  out.block = row.block;
  out.handler = row.handler;
  out.params = row.param;
  out.glue_type = row.glue_type;
  out.timeout_s = row.timeout_s;
  out.retry_count = row.retry_count;
  static_cast<job_options&>(out) = row;
  return out;
}

std::vector<audit_line> changes_of(const job_record& before, const job_record& after) {
  auto out = differences(columns_of(before), columns_of(after));
  if (before.group != after.group)
    out.push_back("group: " + std::to_string(number(before.group)) + " -> " + std::to_string(number(after.group)));
  if (before.children != after.children)
    out.push_back(difference("children", before.children, after.children));
  return out;
}

/// Takes the values of a draft that both kinds of edit write.
void take(const job_draft& draft, job_record& row) {
  row.group = draft.group;
  row.name = draft.name;
  row.author = draft.author;
  row.alarm_email = draft.alarm_email;
  row.schedule_type = draft.schedule_type;
  row.schedule_conf = draft.schedule_conf.value_or("");
  row.misfire = draft.misfire;
  row.route = draft.route;
  row.block = draft.block;
  row.handler = trimmed(draft.handler);
  row.param = draft.param;
  row.timeout_s = draft.timeout_s;
  row.retry_count = draft.retry_count;
  row.children = draft.children;
  if (draft.options)
    static_cast<job_options&>(row) = *draft.options;
}

bool same_schedule(const job_record& a, const job_record& b) {
  return a.schedule_type == b.schedule_type && a.schedule_conf == b.schedule_conf && a.timing == b.timing;
}

result<void> check_held(const job_record& held, const principal& by) {
  if (auto may = check_right(by, group_right::editor, held.group); !may)
    return may;
  if (!held.key.empty())
    return tl::unexpected{is_declared(held.id, held.source)};
  return {};
}

/// Returns the next time of a running job whose schedule counts from `from`. The caller has checked a job that must fire.
result<time_point> next_of(const job_record& row, time_point from, const zone& schedule_zone) {
  schedule_rules rules{schedule_zone};
  const auto type = find_schedule_type(row.schedule_type).value_or(schedule_type::none);
  const auto rule = rules.of(type, row.schedule_conf, row.timing);
  const auto next = rule ? (*rule)->next(from, row.id) : std::nullopt;
  if (next)
    return *next;
  return refuse(errc::invalid_argument, refusal::schedule_type_illegal,
                rule ? "the schedule never fires (again)" : rule.error().context);
}

} // namespace

result<job_writing> write_new(job_draft draft, const edit_scene& scene) {
  if (auto may = check_right(scene.by, group_right::editor, draft.group); !may)
    return tl::unexpected{may.error()};
  if (auto sound = check(draft, draft_use::add, scene.facts, scene.by, scene.schedule_zone, scene.from); !sound)
    return tl::unexpected{sound.error()};
  job_writing out;
  take(draft, out.row);
  out.row.glue_type = draft.glue_type;
  out.row.glue_source = std::move(draft.glue_source);
  // A script with carriage returns does not run.
  if (draft.glue_type == "GLUE_SHELL")
    std::erase(out.row.glue_source, '\r');
  out.row.glue_remark = draft.glue_remark;
  if (auto fits = check_widths(out.row, scene.limits); !fits)
    return tl::unexpected{fits.error()};
  if (auto sound = check_source_text(out.row.glue_source); !sound)
    return tl::unexpected{sound.error()};
  if (scene.shared)
    if (auto known = check_shared(out.row.timing); !known)
      return tl::unexpected{known.error()};
  out.options_changed = static_cast<const job_options&>(out.row) != job_options{};
  out.changes = changes_of({}, out.row);
  return out;
}

result<job_writing> write_update(const std::optional<job_record>& held, job_draft draft, std::string_view seen,
                                 edit_scene scene) {
  if (held)
    if (auto may = check_held(*held, scene.by); !may)
      return tl::unexpected{may.error()};
  if (auto may = check_right(scene.by, group_right::editor, draft.group); !may)
    return tl::unexpected{may.error()};
  scene.facts.job_exists = held.has_value();
  job_writing out{held.value_or(job_record{}), false, false, {}};
  take(draft, out.row);
  // A draft without options is checked with the stored schedule: a form of XXL cannot change the rest.
  if (!draft.options)
    draft.options = job_options{.timing = out.row.timing};
  out.rescheduled = held && (scene.foreign_schedule || !same_schedule(*held, out.row));
  const bool plans = out.rescheduled && held->running;
  scene.facts.must_fire_again = plans;
  scene.from = search_from(scene.from, out.row.last);
  if (auto sound = check(draft, draft_use::update, scene.facts, scene.by, scene.schedule_zone, scene.from); !sound)
    return tl::unexpected{sound.error()};
  if (auto fits = check_widths(out.row, scene.limits); !fits)
    return tl::unexpected{fits.error()};
  // After all checks that fail in any case (RFC 9110 §13.2.1).
  if (auto as_seen = check_seen(held, held->id, seen); !as_seen)
    return tl::unexpected{as_seen.error()};
  out.options_changed = static_cast<const job_options&>(out.row) != *held;
  if (scene.shared && (plans || out.row.timing != held->timing))
    if (auto known = check_shared(out.row.timing); !known)
      return tl::unexpected{known.error()};
  if (plans) {
    const auto next = next_of(out.row, scene.from, scene.schedule_zone);
    if (!next)
      return tl::unexpected{next.error()};
    out.row.next = *next;
  }
  out.changes = changes_of(*held, out.row);
  return out;
}

std::optional<job_record> planned_anew(const job_record& held, time_point from, const zone& schedule_zone) {
  if (!held.running)
    return std::nullopt;
  const auto next = next_of(held, search_from(from, held.last), schedule_zone);
  if (!next)
    return std::nullopt;
  auto out = held;
  out.next = *next;
  return out;
}

result<void> check_source(const std::optional<job_record>& held, job_id job, std::string_view source, std::string_view remark,
                          const std::optional<std::string_view>& seen, const principal& by) {
  const auto wrong = [](refusal why, std::string context) { return refuse(errc::invalid_argument, why, std::move(context)); };
  if (is_blank(source))
    return wrong(refusal::source_empty, "the source is empty");
  if (is_blank(remark))
    return wrong(refusal::remark_empty, "the remark is empty");
  if (const auto chars = count_characters(remark); chars < remark_chars_min || chars > remark_chars_max)
    return wrong(refusal::remark_length, "a remark must have 4 to 100 characters");
  if (looks_like_script(remark))
    return wrong(refusal::remark_illegal, "the remark looks like a script");
  if (valid_utf8(remark) != remark)
    return fail(errc::invalid_argument, "glueRemark is not valid UTF-8");
  if (auto fits = check_source_text(source); !fits)
    return fits;
  if (!held)
    return tl::unexpected{no_such_job(job)};
  if (auto may = check_held(*held, by); !may)
    return may;
  if (held->glue_type == "BEAN")
    return wrong(refusal::not_glue, "job " + std::to_string(number(job)) + " has no source of its own");
  // After all checks that fail in any case (RFC 9110 §13.2.1).
  return check_source_seen(*held, seen);
}

error no_such_version(job_id job, std::int64_t version) {
  return {errc::not_found,
          "job " + std::to_string(number(job)) + " has no version " + std::to_string(version) + " of its source"};
}

result<void> check_seen(const std::optional<job_record>& held, job_id job, std::string_view seen) {
  return held ? check_seen(*held, seen, "job " + std::to_string(number(job))) : result<void>{};
}

std::vector<audit_line> changes_of_removal(const job_record& held) { return changes_of(held, {}); }

std::vector<audit_line> source_change(const job_record& held, std::string_view source, std::string_view remark) {
  if (held.glue_source == source && held.glue_remark == remark)
    return {};
  return {"source: " + std::to_string(held.glue_source.size()) + " bytes -> " + std::to_string(source.size()) + " bytes",
          difference("remark", held.glue_remark, remark)};
}

result<void> check_read(const std::optional<job_record>& held, job_id job, const principal& by) {
  if (!held)
    return tl::unexpected{no_such_job(job)};
  return check_right(by, group_right::viewer, held->group);
}

result<std::optional<std::vector<group_id>>> groups_to_list(const std::optional<group_id>& wanted,
                                                            const std::optional<std::vector<group_id>>& visible,
                                                            const principal& by) {
  if (wanted)
    if (auto may = check_right(by, group_right::viewer, *wanted); !may)
      return tl::unexpected{may.error()};
  if (by.admin && !wanted)
    return visible;
  std::vector<group_id> out;
  if (wanted)
    out.push_back(*wanted);
  else
    for (const auto& [group, right] : by.rights)
      if (right >= group_right::viewer)
        out.push_back(group);
  if (visible)
    std::erase_if(out, [&](auto group) { return std::find(visible->begin(), visible->end(), group) == visible->end(); });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return std::optional{std::move(out)};
}

} // namespace ringmaster::core
