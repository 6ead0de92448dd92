#include "core/alarm/alarm.hpp"

#include <algorithm>

#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

std::string_view without_blank_ends(std::string_view text) noexcept {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ')
    text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ')
    text.remove_suffix(1);
  return text;
}

/// Returns how specifically a rule names the job; negative if it does not apply.
int closeness(const alarm_rule& rule, std::string_view app_name, std::string_view job_key) noexcept {
  if (!rule.group.empty() && rule.group != app_name)
    return -1;
  if (!rule.job.empty() && rule.job != job_key)
    return -1;
  return (rule.group.empty() ? 0 : 1) + (rule.job.empty() ? 0 : 2);
}

void add_once(std::vector<std::string>& to, std::string_view address) {
  if (!address.empty() && std::find(to.begin(), to.end(), address) == to.end())
    to.emplace_back(address);
}

} // namespace

std::string_view stored_name(alarm_attempts value) noexcept {
  switch (value) {
  case alarm_attempts::every_attempt: return "every_attempt";
  case alarm_attempts::last_attempt: return "last_attempt";
  }
  return {};
}

std::optional<alarm_attempts> find_alarm_attempts(std::string_view name) noexcept {
  for (const auto value : {alarm_attempts::every_attempt, alarm_attempts::last_attempt})
    if (stored_name(value) == name)
      return value;
  return std::nullopt;
}

const alarm_rule* rule_for(std::span<const alarm_rule> rules, std::string_view app_name, std::string_view job_key) noexcept {
  const alarm_rule* best = nullptr;
  int best_closeness = -1;
  for (const auto& rule : rules) {
    const int how = closeness(rule, app_name, job_key);
    if (how < 0 || how < best_closeness || (how == best_closeness && best->key < rule.key))
      continue;
    best = &rule;
    best_closeness = how;
  }
  return best;
}

bool needs_alarm(std::string_view alarm_email, const alarm_rule* rule, bool will_be_retried) noexcept {
  const bool anybody = !is_blank(alarm_email) || (rule && (!rule->channels.empty() || !rule->mail_to.empty()));
  return anybody && !(rule && rule->on == alarm_attempts::last_attempt && will_be_retried);
}

bool needs_alarm(std::string_view alarm_email, const alarm_rule* rule, elastic::item_alarm kind) noexcept {
  return needs_alarm(alarm_email, rule, false) &&
         (!rule || rule->kinds.empty() || std::find(rule->kinds.begin(), rule->kinds.end(), kind) != rule->kinds.end());
}

std::vector<std::string> mail_addresses(std::string_view alarm_email, const alarm_rule* rule) {
  std::vector<std::string> out;
  while (!alarm_email.empty()) {
    const auto comma = alarm_email.find(',');
    add_once(out, without_blank_ends(alarm_email.substr(0, comma)));
    alarm_email.remove_prefix(comma == std::string_view::npos ? alarm_email.size() : comma + 1);
  }
  if (rule)
    for (const auto& address : rule->mail_to)
      add_once(out, without_blank_ends(address));
  return out;
}

std::string item_alarms_text(std::span<const elastic::item_alarm> kinds) {
  std::string out;
  for (const auto kind : kinds)
    out.append(out.empty() ? "" : ",").append(stored_name(kind));
  return out;
}

std::vector<elastic::item_alarm> read_item_alarms(std::string_view text) {
  std::vector<elastic::item_alarm> out;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    if (const auto kind = elastic::find_item_alarm(text.substr(0, comma)))
      out.push_back(*kind);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

std::string join_lines(std::span<const std::string> texts) {
  std::string out;
  for (const auto& text : texts)
    out.append(out.empty() ? "" : "\n").append(text);
  return out;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end != 0)
      out.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

} // namespace ringmaster::core
