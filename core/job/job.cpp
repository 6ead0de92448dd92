#include "core/job/job.hpp"

#include <array>
#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

template <class Enum, std::size_t Size>
using name_table = std::array<std::pair<std::string_view, Enum>, Size>;

constexpr name_table<schedule_type, 3> schedule_types = {{
  {"NONE", schedule_type::none},
  {"CRON", schedule_type::cron},
  {"FIX_RATE", schedule_type::fixed_rate},
}};

constexpr name_table<misfire_policy, 2> misfire_policies = {{
  {"DO_NOTHING", misfire_policy::do_nothing},
  {"FIRE_ONCE_NOW", misfire_policy::fire_once_now},
}};

constexpr name_table<route_strategy, 10> route_strategies = {{
  {"FIRST", route_strategy::first},
  {"LAST", route_strategy::last},
  {"ROUND", route_strategy::round},
  {"RANDOM", route_strategy::random},
  {"CONSISTENT_HASH", route_strategy::consistent_hash},
  {"LEAST_FREQUENTLY_USED", route_strategy::least_frequently_used},
  {"LEAST_RECENTLY_USED", route_strategy::least_recently_used},
  {"FAILOVER", route_strategy::failover},
  {"BUSYOVER", route_strategy::busyover},
  {"SHARDING_BROADCAST", route_strategy::sharding_broadcast},
}};

constexpr name_table<block_strategy, 3> block_strategies = {{
  {"SERIAL_EXECUTION", block_strategy::serial_execution},
  {"DISCARD_LATER", block_strategy::discard_later},
  {"COVER_EARLY", block_strategy::cover_early},
}};

constexpr name_table<unknown_policy, 3> unknown_policies = {{
  {"ask", unknown_policy::ask},
  {"skip", unknown_policy::skip},
  {"resend", unknown_policy::resend},
}};

template <class Enum, std::size_t Size>
std::string_view name_in(const name_table<Enum, Size>& table, Enum value) noexcept {
  for (const auto& [name, each] : table)
    if (each == value)
      return name;
  return {};
}

template <class Enum, std::size_t Size>
std::optional<Enum> find_in(const name_table<Enum, Size>& table, std::string_view wanted) noexcept {
  for (const auto& [name, each] : table)
    if (name == wanted)
      return each;
  return std::nullopt;
}

} // namespace

std::string_view stored_name(schedule_type value) noexcept { return name_in(schedule_types, value); }
std::string_view stored_name(misfire_policy value) noexcept { return name_in(misfire_policies, value); }
std::string_view stored_name(route_strategy value) noexcept { return name_in(route_strategies, value); }
std::string_view stored_name(block_strategy value) noexcept { return name_in(block_strategies, value); }
std::string_view stored_name(unknown_policy value) noexcept { return name_in(unknown_policies, value); }

std::optional<schedule_type> find_schedule_type(std::string_view name) noexcept { return find_in(schedule_types, name); }
std::optional<misfire_policy> find_misfire_policy(std::string_view name) noexcept { return find_in(misfire_policies, name); }
std::optional<route_strategy> find_route_strategy(std::string_view name) noexcept { return find_in(route_strategies, name); }
std::optional<block_strategy> find_block_strategy(std::string_view name) noexcept { return find_in(block_strategies, name); }
std::optional<unknown_policy> find_unknown_policy(std::string_view name) noexcept { return find_in(unknown_policies, name); }

std::vector<job_id> child_ids(const job& parent) {
  std::vector<job_id> children;
  std::string_view rest = parent.child_jobs;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const auto number = parse_int32(rest.substr(0, comma));
    if (number && *number > 0 && job_id{*number} != parent.id)
      children.push_back(job_id{*number});
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return children;
}

} // namespace ringmaster::core
