#include "config/declared/alarm_table.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "config/text/table_fields.hpp"
#include "core/alarm/mail_text.hpp"
#include "core/columns.hpp"

namespace ringmaster::config {

namespace {

using namespace std::string_view_literals;

constexpr std::array alarm_keys{"key"sv, "group"sv, "job"sv, "channels"sv, "mail_to"sv, "on"sv, "dedup"sv, "recovered"sv};
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
  if (const auto seconds = in.seconds("dedup"); seconds && *seconds <= dedup_s_max)
    rule.dedup = std::chrono::seconds{*seconds};
  else if (seconds)
    in.refuse("dedup", "longer than a day");
  rule.recovered = in.flag("recovered", false);
  return out;
}

} // namespace ringmaster::config
