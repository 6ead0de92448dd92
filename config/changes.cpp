#include "config/changes.hpp"

#include <algorithm>
#include <array>

#include "config/keys.hpp"

namespace ringmaster::config {

namespace {

using namespace std::string_view_literals;

constexpr std::array reloaded_sections{"mail."sv, "deploy."sv};
constexpr std::array reloaded_settings{"log.level"sv, "security.access_token"sv, "security.former_access_token"sv,
                                       "security.former_access_token_until"sv, "elastic.error_targets"sv};

bool is_reloaded(std::string_view name) {
  return std::any_of(reloaded_sections.begin(), reloaded_sections.end(), [&](auto each) { return name.starts_with(each); })
         || std::find(reloaded_settings.begin(), reloaded_settings.end(), name) != reloaded_settings.end();
}

bool is_same(const setting& which, settings& before, settings& after) {
  return std::visit([&](auto reach) { return reach(before) == reach(after); }, which.where);
}

} // namespace

changed_settings changes_of(const settings& before, const settings& after) {
  auto one = before;
  auto other = after;
  changed_settings out;
  for (const auto& which : all_settings())
    if (!is_same(which, one, other))
      (is_reloaded(which.name) ? out.reloaded : out.waiting).emplace_back(which.name);
  if (before.webhooks != after.webhooks)
    out.reloaded.emplace_back("webhook");
  return out;
}

} // namespace ringmaster::config
