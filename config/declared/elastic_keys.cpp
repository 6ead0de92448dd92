#include "config/declared/elastic_keys.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace ringmaster::config {

namespace {

using namespace std::string_view_literals;

/// Keys that are not options, and second names of options.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> other_elastic_keys{{
  {"group", ""},
  {"name", "jobName"},
  {"namespace", ""},
  {"total", "shardingTotalCount"},
  {"handler", "elasticJobClass"},
  {"type", "elasticJobType"},
  {"enabled", ""},
  {"disabled", ""},
  {"cron", ""},
  {"monitor_execution", "monitorExecution"},
  {"reconcile", "reconcileIntervalMinutes"},
  {"overwrite", ""},
  {"props", ""},
  {"pool", "jobExecutorServiceHandlerType"},
  {"once_listeners", ""},
  {"retry", ""},
  {"calendar", ""},
  {"delay", ""},
  {"at", ""},
}};

/// Take a key out when nodes and hosts do what it says.
constexpr std::array later_elastic_keys{"retry"sv, "delay"sv, "calendar"sv, "at"sv};

/// Returns `shardingTotalCount` as `sharding-total-count`.
std::string with_hyphens(std::string_view camel) {
  std::string out;
  for (const unsigned char c : camel) {
    if (std::isupper(c) != 0)
      out += '-';
    out += static_cast<char>(std::tolower(c));
  }
  return out;
}

void add_spelling(std::vector<elastic_key>& keys, std::string_view name, std::string_view alias) {
  auto at = std::find_if(keys.begin(), keys.end(), [&](const elastic_key& key) { return key.name == name; });
  if (at == keys.end())
    at = keys.insert(keys.end(), {name, {std::string{name}}});
  if (alias.empty())
    return;
  for (auto& each : {std::string{alias}, with_hyphens(alias)})
    if (std::find(at->spellings.begin(), at->spellings.end(), each) == at->spellings.end())
      at->spellings.push_back(each);
}

} // namespace

std::span<const elastic_key> elastic_keys() {
  static const auto all = [] {
    std::vector<elastic_key> out;
    // The type follows from the schedule, and the alias of its text is a key of its own here.
    for (const auto& field : core::elastic::elastic_fields)
      if (field.name != "schedule_type")
        add_spelling(out, field.name, field.name == "schedule" ? std::string_view{} : field.alias);
    for (const auto& [name, alias] : other_elastic_keys)
      add_spelling(out, name, alias);
    return out;
  }();
  return all;
}

bool is_later_elastic_key(std::string_view name) noexcept {
  return std::find(later_elastic_keys.begin(), later_elastic_keys.end(), name) != later_elastic_keys.end();
}

bool is_elastic_duration(const core::elastic::elastic_field& field) noexcept {
  return field.kind == core::option_kind::number && field.column.ends_with("_ms") && !field.name.ends_with("_ms");
}

} // namespace ringmaster::config
