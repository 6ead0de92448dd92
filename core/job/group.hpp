#pragma once

// Executor groups and registrations.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/columns.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// Where a group's addresses come from: `xxl_job_group.address_type`.
enum class address_type : std::uint8_t { automatic = 0, manual = 1 };

struct group {
  group_id id{};
  std::string app_name;
  std::string title;
  address_type type = address_type::automatic;
  /// In stored order; for an automatic group, sorted ascending as text.
  std::vector<std::string> addresses;
  /// What its executors show in place of the token of all (XXL admin §8.11), and what they showed before and may until then.
  /// Empty: none. Secrets: never in a log or a reply to who is no administrator.
  std::string access_token = {};
  std::string previous_token = {};
  time_point previous_until = {};
};

/// Which token an executor shows: that of all, or that of its group, as it is or was; `former`: that of all, as it was.
enum class token_kind : std::uint8_t { common, group, previous, former };

/// A group's token, in characters. Visible ASCII.
inline constexpr std::size_t group_token_chars_min = 8;
inline constexpr std::size_t group_token_chars_max = 50;
/// How long the token that was replaced still works: executors take the new one in when they are deployed. Who must shut a token
/// out at once replaces it twice.
inline constexpr std::chrono::hours group_token_overlap{24};

[[nodiscard]] bool is_group_token(std::string_view text) noexcept;

/// Why a registration cannot be a row (a value is empty, too long or not UTF-8), by XXL's names of its values; empty when it can.
/// Whoever takes registrations from outside asks: one such row would keep all others of its transaction out.
[[nodiscard]] std::string misfit_of(std::string_view registry_group, std::string_view app_name, std::string_view address);

/// How many of the addresses, from the first on, `address_list` holds with a comma between two.
[[nodiscard]] inline std::size_t addresses_that_fit(const std::vector<std::string>& addresses) noexcept {
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (; count < addresses.size(); ++count) {
    bytes += addresses[count].size() + (count == 0 ? 0 : 1);
    if (bytes > text_bytes)
      break;
  }
  return count;
}

/// One row of `xxl_job_registry`: (group, key, value) is its identity, exact text, trailing slash significant.
struct registration {
  std::string registry_group;
  std::string app_name;
  std::string address;
  /// When it was last renewed.
  time_point seen{};
  /// Token that its executor showed last where its group has another one: the common one or the group's former one.
  std::optional<token_kind> shown = {};

  [[nodiscard]] bool same_identity(const registration& other) const noexcept {
    return registry_group == other.registry_group && app_name == other.app_name && address == other.address;
  }
};

/// What the registry tells the store in one call: rows to insert or renew, rows to delete, group lists to write.
struct registry_batch {
  std::vector<registration> renewed;
  std::vector<registration> removed;
  /// Automatic groups whose address list changed; only address_list and update_time are written.
  std::vector<group> changed_groups;
  /// Rows to delete if their stored time still is this one, to the second: nobody has renewed them since.
  std::vector<registration> dead;
  /// What executors showed (`shown`); without it, nothing is stored any more.
  std::vector<registration> tokens;
};

/// Everything the registry needs to know about the store's side, read together.
struct registry_state {
  std::vector<group> groups;
  std::vector<registration> registrations;
  /// Tokens shown from addresses that have no registration any more.
  std::vector<registration> left_tokens = {};
};

} // namespace ringmaster::core
