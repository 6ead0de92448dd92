#include "config/declared/declared_table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "config/text/table_fields.hpp"
#include "core/text/mail_text.hpp"
#include "core/columns.hpp"
#include "core/cron/cron.hpp"
#include "core/text/text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::config {

namespace {

using namespace std::string_view_literals;

constexpr std::array group_keys{"app_name"sv, "title"sv, "addresses"sv};
constexpr std::array job_keys{"group"sv,   "key"sv,      "name"sv,    "author"sv,    "alarm_email"sv, "schedule"sv,
                              "handler"sv, "params"sv,   "route"sv,   "block"sv,     "misfire"sv,     "timeout"sv,
                              "retry"sv,   "children"sv, "enabled"sv, "glue_type"sv};
constexpr std::array later_job_keys{"retry_backoff"sv, "deadline_ms"sv, "concurrency_key"sv,
                                    "glue_source"sv,   "glue_remark"sv};
constexpr std::array schedule_keys{"cron"sv, "rate"sv};
constexpr std::array later_schedule_keys{"delay"sv, "at"sv};

/// Returns the keys of a job: those that XXL's table has columns for, and its options.
const std::vector<std::string_view>& all_job_keys() {
  static const auto all = [] {
    std::vector<std::string_view> out{job_keys.begin(), job_keys.end()};
    for (const auto& field : core::job_option_fields())
      out.push_back(field.name);
    return out;
  }();
  return all;
}

// The shortest app name that the Java admin takes.
constexpr std::size_t app_name_chars_min = 4;
/// Limit of the group name in a job. An invalid name is reported once, at its group, and a missing group when the set is applied.
constexpr text_limit group_name_limit{1, std::numeric_limits<std::size_t>::max()};
constexpr text_limit app_name_limit{app_name_chars_min, core::app_name_chars}, title_limit{0, core::title_chars},
    job_name_limit{0, core::job_name_chars}, author_limit{0, core::author_chars}, email_limit{0, core::alarm_email_chars},
    handler_limit{1, core::handler_chars}, cron_limit{1, core::schedule_conf_chars}, job_key_limit{1, core::job_key_chars},
    params_limit{0, core::text_bytes}, glue_type_limit{0, core::glue_type_chars};

bool is_usable_address(std::string_view text) {
  const auto url = core::split_url(text);
  return url.is_http() && !url.is_scheme_only() && text.size() <= core::address_chars &&
         text.find_first_of(",<> \t\r\n"sv) == std::string_view::npos;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

void read_rate(table_fields& in, core::declared_job& job) {
  job.schedule = core::schedule_type::fixed_rate;
  const auto rate = in.seconds("rate");
  if (rate == 0)
    in.refuse("rate", "must be at least one second");
  job.schedule_conf = std::to_string(rate.value_or(0));
}

} // namespace

void read_cron(table_fields& in, core::declared_job& job) {
  job.schedule = core::schedule_type::cron;
  job.schedule_conf = in.text("cron", cron_limit);
  if (job.schedule_conf.empty())
    return;
  if (const auto parsed = core::cron_expression::parse(job.schedule_conf); !parsed)
    in.refuse("cron", "invalid cron expression \"" + job.schedule_conf + "\": " + parsed.error().context);
}

void read_schedule(table_fields& in, core::declared_job& job) {
  const toml::node* given = in.node("schedule");
  if (!given)
    return;
  if (const auto* text = given->as_string(); text && upper(text->get()) == core::stored_name(core::schedule_type::none))
    return;
  const toml::table* table = given->as_table();
  if (!table)
    return in.refuse("schedule", R"(expected { cron = "…" }, { rate = "5s" } or "none")");
  table_fields inner{*table, in.found()};
  inner.check_names(schedule_keys, later_schedule_keys);
  const bool cron = inner.node("cron"), rate = inner.node("rate");
  if (cron && rate)
    in.refuse("schedule", "cron and rate exclude each other");
  else if (cron)
    read_cron(inner, job);
  else if (rate)
    read_rate(inner, job);
  else if (table->empty())
    in.refuse("schedule", R"(expected { cron = "…" }, { rate = "5s" } or "none")");
}

namespace {

void read_children(table_fields& in, core::declared_job& job) {
  for (const std::string& text : in.texts("children").value_or(std::vector<std::string>{})) {
    const auto slash = text.rfind('/');
    const bool own_group = slash == std::string::npos;
    std::pair<std::string, std::string> child{own_group ? "" : text.substr(0, slash), own_group ? text : text.substr(slash + 1)};
    if (child.second.empty() || (!own_group && child.first.empty()))
      in.refuse("children", "invalid job \"" + text + R"("; expected "key" or "group/key")");
    else if (child.second == job.key && (own_group || child.first == job.group))
      in.refuse("children", "a job cannot be its own child");
    else if (std::find(job.children.begin(), job.children.end(), child) != job.children.end())
      in.refuse("children", "duplicate child \"" + text + "\"");
    else
      job.children.push_back(std::move(child));
  }
}

void read_glue_type(table_fields& in, core::declared_job& job) {
  const std::string type = upper(in.text("glue_type", glue_type_limit, job.glue_type));
  if (type.starts_with("GLUE_"))
    in.refuse("glue_type", type + ": not supported by this release; only BEAN jobs can be declared");
  else if (type != job.glue_type)
    in.refuse("glue_type", "\"" + type + "\" is unknown; expected BEAN");
}

void check_resend(table_fields& in, const core::declared_job& job) {
  if (job.on_unknown == core::unknown_policy::resend && job.block == core::block_strategy::cover_early)
    in.refuse("on_unknown", "resend cannot be used with block = \"cover_early\", where the second copy would kill the first; "
                            "write on_unknown = \"ask\" or \"skip\", or another block");
}

} // namespace

core::declared_group read_group(const toml::table& table, problems& found) {
  table_fields in{table, found};
  in.check_names(group_keys, {});
  core::declared_group group;
  group.where = in.place();
  group.app_name = in.text("app_name", app_name_limit);
  if (group.app_name.find_first_of("<>") != std::string::npos)
    in.refuse("app_name", "must not contain < or >");
  group.title = in.text("title", title_limit);
  if (core::is_blank(group.title))
    group.title = group.app_name;
  group.addresses = in.texts("addresses");
  if (group.addresses && group.addresses->empty())
    in.refuse("addresses", "the list is empty; omit addresses to use the executors that register");
  for (const auto& address : group.addresses.value_or(std::vector<std::string>{}))
    if (!is_usable_address(address))
      in.refuse("addresses", "invalid address \"" + address + "\"; expected http://host:port/ or https://host:port/, at most 255 "
                             "characters, without a comma");
  return group;
}

core::declared_job read_job(const toml::table& table, problems& found) {
  table_fields in{table, found};
  in.check_names(all_job_keys(), later_job_keys);
  core::declared_job job;
  job.where = in.place();
  job.group = in.text("group", group_name_limit);
  job.key = in.text("key", job_key_limit);
  if (!is_key(job.key))
    in.refuse("key", "\"" + job.key + "\" is not valid; expected letters, digits, '-', '_' and '.'");
  job.name = in.text("name", job_name_limit);
  if (core::is_blank(job.name))
    job.name = job.key;
  job.author = in.text("author", author_limit);
  job.alarm_email = in.text("alarm_email", email_limit);
  const bool fits = core::fits(job.alarm_email, core::alarm_email_chars); // otherwise the length was reported already
  for (const auto& address : core::mail_addresses(job.alarm_email, nullptr))
    if (fits && !core::is_mail_address(address))
      in.refuse("alarm_email", "invalid e-mail address \"" + address + "\" (job " + job.group + '/' + job.key + ")");
  job.handler = in.text("handler", handler_limit);
  job.params = in.text("params", params_limit);
  if (job.params.size() > params_limit.max)
    in.refuse("params", "more than " + std::to_string(params_limit.max) + " bytes");
  job.route = in.choice("route", job.route, &core::find_route_strategy, &std::toupper);
  job.block = in.choice("block", job.block, &core::find_block_strategy, &std::toupper);
  job.names_misfire = in.node("misfire") != nullptr;
  job.misfire = in.choice("misfire", job.misfire, &core::find_misfire_policy, &std::toupper);
  job.timeout_s = in.seconds("timeout").value_or(0);
  job.retry_count = static_cast<std::int32_t>(in.number("retry", 0, 1000, 0));
  job.enabled = in.flag("enabled", true);
  read_schedule(in, job);
  read_options(in, job);
  read_children(in, job);
  read_glue_type(in, job);
  check_resend(in, job);
  return job;
}

namespace {

using namespace std::string_view_literals;

constexpr std::array alarm_keys{"key"sv, "group"sv, "job"sv,   "channels"sv, "mail_to"sv,
                                "on"sv,  "kinds"sv, "dedup"sv, "recovered"sv};
constexpr text_limit alarm_key_limit{1, core::job_key_chars}, matched_name_limit{0, std::numeric_limits<std::size_t>::max()};
constexpr std::int32_t dedup_s_max = 24 * 60 * 60;

void read_channels(table_fields& in, core::alarm_rule& rule) {
  rule.channels = in.texts("channels").value_or(std::vector<std::string>{});
  for (const auto& name : rule.channels)
    if (name == "mail")
      in.refuse("channels", "\"mail\" is not a webhook: e-mail goes to mail_to, and to the alarm_email of the job");
    else if (name.empty() || !is_key(name))
      in.refuse("channels", "\"" + name + "\" is not valid; expected names of webhooks of the configuration");
  rule.mail_to = in.texts("mail_to").value_or(std::vector<std::string>{});
  for (const auto& address : rule.mail_to)
    if (!core::is_mail_address(address))
      in.refuse("mail_to", "invalid e-mail address \"" + address + "\"");
}

} // namespace

core::declared_alarm read_alarm(const toml::table& table, problems& found) {
  table_fields in{table, found};
  in.check_names(alarm_keys, {});
  core::declared_alarm out;
  out.where = in.place();
  auto& rule = out.rule;
  rule.key = in.text("key", alarm_key_limit);
  if (!is_key(rule.key))
    in.refuse("key", "\"" + rule.key + "\" is not valid; expected letters, digits, '-', '_' and '.'");
  rule.group = in.text("group", matched_name_limit);
  rule.job = in.text("job", matched_name_limit);
  if (!rule.job.empty() && rule.group.empty())
    in.refuse("job", "needs the group of the job");
  read_channels(in, rule);
  rule.on = in.choice("on", rule.on, &core::find_alarm_attempts, &std::tolower);
  for (const auto& name : in.texts("kinds").value_or(std::vector<std::string>{}))
    if (const auto kind = core::elastic::find_item_alarm(name); !kind)
      in.refuse("kinds", "\"" + name + "\" is unknown; expected ej_fail, ej_late, ej_unowned or ej_takeovers");
    else if (std::find(rule.kinds.begin(), rule.kinds.end(), *kind) == rule.kinds.end())
      rule.kinds.push_back(*kind);
  if (const auto seconds = in.seconds("dedup"); seconds && *seconds <= dedup_s_max)
    rule.dedup = std::chrono::seconds{*seconds};
  else if (seconds)
    in.refuse("dedup", "longer than a day");
  rule.recovered = in.flag("recovered", false);
  return out;
}

} // namespace ringmaster::config
