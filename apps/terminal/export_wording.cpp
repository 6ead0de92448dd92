#include "apps/terminal/export_wording.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "config/declared/declared_file.hpp"
#include "config/declared/declared_writer.hpp"
#include "core/alarm/alarm.hpp"
#include "core/text/mail_text.hpp"
#include "core/text/text.hpp"

namespace ringmaster::apps {

namespace {

constexpr const char* parsed_as = "export";
/// Longest key made from a name; leaves room for a suffix such as `-2147483647`.
constexpr std::size_t key_chars_max = 100;

/// Converts the text columns of a row to valid text.
class text_check {
public:
  explicit text_check(std::vector<std::string>& notes) : notes_{notes} {}

  std::string operator()(const char* what, const std::string& stored) {
    auto text = core::valid_utf8(stored);
    if (text != stored)
      notes_.push_back(std::string{what} + " contained invalid UTF-8, which was replaced");
    return text;
  }

private:
  std::vector<std::string>& notes_;
};

template <class Enum>
void read_name(const char* what, const std::string& stored, std::optional<Enum> (*find)(std::string_view), Enum& to,
               std::vector<std::string>& obstacles) {
  if (const auto value = find(stored))
    to = *value;
  else
    obstacles.push_back(std::string{what} + ": " + config::quoted_text(stored) + " is unknown");
}

/// Returns the list without invalid addresses, because applying a file with one fails.
std::string valid_addresses(const std::string& list, std::vector<std::string>& notes) {
  std::string out;
  bool all_valid = true;
  for (const auto& address : core::mail_addresses(list, nullptr))
    if (core::is_mail_address(address)) {
      out.append(out.empty() ? "" : ", ").append(address);
    } else {
      all_valid = false;
      notes.push_back("alarm_email: \"" + address + "\" is omitted: invalid e-mail address");
    }
  return all_valid ? list : out;
}

std::int32_t not_negative(const char* what, std::int32_t stored, std::vector<std::string>& notes) {
  if (stored < 0)
    notes.push_back(std::string{what} + " " + std::to_string(stored) + " is exported as 0, with the same meaning");
  return std::max(stored, 0);
}

void read_schedule(const core::job_record& row, job_wording& out) {
  auto& job = out.job;
  static_cast<core::job_options&>(job) = row;
  job.timing.time_zone = core::valid_utf8(row.timing.time_zone);
  job.description = core::valid_utf8(row.description);
  if (job.timing.jitter_ms == 0)
    job.timing.jitter_ms.reset();
  read_name("schedule_type", row.schedule_type, &core::find_schedule_type, job.schedule, out.obstacles);
  if (job.schedule == core::schedule_type::none)
    return;
  job.schedule_conf = text_check{out.notes}("schedule", row.schedule_conf);
  if (job.schedule != core::schedule_type::fixed_rate)
    return;
  if (job.timing.interval_ms)
    job.schedule_conf = core::rate_text_of(*job.timing.interval_ms);
  else if (const auto seconds = core::parse_int32(job.schedule_conf); seconds && *seconds > 0)
    job.schedule_conf = std::to_string(*seconds);
  else
    out.obstacles.push_back("schedule: " + config::quoted_text(row.schedule_conf) + " is not a number of seconds");
}

/// Reads whether the job is enabled. A job whose schedule never fires again becomes disabled, because applying would reject it.
void read_state(const core::job_record& row, core::schedule_rules& rules, core::time_point now, job_wording& out) {
  auto& job = out.job;
  if (job.schedule == core::schedule_type::none)
    return;
  job.enabled = row.running;
  if (!row.running)
    return;
  const auto rule = rules.of(job.schedule, job.schedule_conf, job.timing);
  if (!rule || (*rule)->next(now, row.id))
    return;
  job.enabled = false;
  out.notes.emplace_back("enabled in the database, but its schedule never fires again");
}

/// Returns the lines of the reader's error without the position, which refers to a text that is not shown.
std::vector<std::string> lines_of(const core::error& error) {
  std::vector<std::string> out;
  for (std::string_view rest = error.context; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    auto line = rest.substr(0, end);
    if (const auto colon = line.find(": "); line.starts_with(parsed_as) && colon != std::string_view::npos)
      line.remove_prefix(colon + 2);
    out.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

/// Returns an obstacle unless the declared text reads back as the object it was written from. `same(set)` compares them.
template <class Declared, class Same>
std::vector<std::string> obstacles_in(const Declared& declared, Same same) {
  const auto read = config::parse_declared(config::declared_text(declared), parsed_as, "");
  if (!read)
    return lines_of(read.error());
  return same(*read) ? std::vector<std::string>{} : std::vector<std::string>{"a declared file cannot express it exactly"};
}

} // namespace

group_wording wording_of(const storage::exported_group& row) {
  group_wording out;
  text_check text{out.notes};
  out.group.app_name = text("app_name", row.app_name);
  out.group.title = text("title", row.title);
  if (core::is_blank(out.group.title))
    out.group.title = out.group.app_name;
  if (row.type == core::address_type::automatic)
    return out;
  out.group.addresses.emplace();
  const auto addresses = text("addresses", row.addresses);
  for (std::string_view rest = addresses; !rest.empty();)
    if (const auto item = core::trimmed(core::take_item(rest)); !item.empty())
      out.group.addresses->emplace_back(item);
  return out;
}

job_wording wording_of(const core::job_record& row, const std::string& group, const std::string& key,
                       core::schedule_rules& rules, core::time_point now) {
  job_wording out;
  text_check text{out.notes};
  auto& job = out.job;
  job.group = group;
  job.key = key;
  job.name = text("name", row.name);
  if (core::is_blank(job.name))
    job.name = key;
  job.author = text("author", row.author);
  job.alarm_email = valid_addresses(text("alarm_email", row.alarm_email), out.notes);
  job.handler = text("handler", row.handler);
  job.params = text("params", row.param);
  job.glue_type = text("glue_type", row.glue_type);
  read_schedule(row, out);
  read_name("route", row.route, &core::find_route_strategy, job.route, out.obstacles);
  read_name("block", row.block, &core::find_block_strategy, job.block, out.obstacles);
  read_name("misfire", row.misfire, &core::find_misfire_policy, job.misfire, out.obstacles);
  job.names_misfire = job.schedule != core::schedule_type::none;
  job.timeout_s = not_negative("timeout", row.timeout_s, out.notes);
  job.retry_count = not_negative("retry", row.retry_count, out.notes);
  read_state(row, rules, now, out);
  if (core::is_script(row.glue_type))
    out.notes.emplace_back("its script is not in this file");
  return out;
}

elastic_wording wording_of(const core::elastic::elastic_job_row& row, const std::string& group, core::schedule_rules& rules,
                           core::time_point now) {
  elastic_wording out{{group, row.what, row.status == core::elastic::job_status::on}};
  out.job.what.group = {};
  const auto& options = row.what.options;
  if (row.status == core::elastic::job_status::shut_down)
    out.notes.emplace_back("shut down in the database");
  const auto rule = rules.of(options.schedule, options.schedule_conf, options.timing);
  const bool never_fires = rule && !(*rule)->next(now, core::job_id{core::number(row.id)});
  if (out.job.enabled && options.schedule != core::schedule_type::none && never_fires) {
    out.job.enabled = false;
    out.notes.emplace_back("enabled in the database, but its schedule never fires again");
  }
  return out;
}

std::vector<std::string> obstacles_of(const core::declared_elastic_job& job) {
  return obstacles_in(job, [&](const core::declared_set& read) {
    return read.elastic_jobs.size() == 1 && core::content_hash(read.elastic_jobs[0]) == core::content_hash(job);
  });
}

std::vector<std::string> obstacles_of(const core::declared_group& group) {
  return obstacles_in(group, [&](const core::declared_set& read) {
    return read.groups.size() == 1 && read.groups[0].app_name == group.app_name && read.groups[0].title == group.title
           && read.groups[0].addresses == group.addresses;
  });
}

std::vector<std::string> obstacles_of(const core::declared_job& job) {
  return obstacles_in(job, [&](const core::declared_set& read) {
    return read.jobs.size() == 1 && core::content_hash(read.jobs[0]) == core::content_hash(job);
  });
}

std::vector<std::string> obstacles_of(const core::declared_alarm& alarm) {
  return obstacles_in(alarm, [&](const core::declared_set& read) {
    return read.alarms.size() == 1 && read.alarms[0].rule == alarm.rule;
  });
}

std::string commented_table(const std::string& who, const std::string& table, const std::vector<std::string>& notes,
                            const std::vector<std::string>& obstacles, const std::function<void(const std::string&)>& remark) {
  std::string text = "\n";
  const auto say = [&](const std::string& line) {
    const auto comment = config::comment_text(line);
    text += comment;
    if (remark)
      remark(comment.substr(2, comment.size() - 3));
  };
  for (const auto& why : obstacles)
    say(who + " cannot be declared: " + why);
  for (const auto& note : notes)
    say(who + ": " + note);
  return text += obstacles.empty() ? table : config::comment_text(table);
}

std::string key_from_name(std::string_view name, core::job_id job) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) || c == '_' || c == '.'))
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  out.resize(std::min(out.size(), key_chars_max));
  while (out.ends_with('-'))
    out.pop_back();
  return out.size() >= 2 ? out : "job-" + std::to_string(core::number(job));
}

} // namespace ringmaster::apps
