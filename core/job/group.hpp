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

/// Origin of a group's addresses: `xxl_job_group.address_type`.
enum class address_type : std::uint8_t { automatic = 0, manual = 1 };

struct group {
  group_id id{};
  std::string app_name;
  std::string title;
  address_type type = address_type::automatic;
  /// In stored order; for an automatic group, sorted ascending as text.
  std::vector<std::string> addresses;
  /// Token that its executors present in place of the common one (XXL admin §8.11), the previous token, and the time until which
  /// that one is accepted. Empty: none. Secrets: never in a log, nor in a reply to a user who is not an administrator.
  std::string access_token = {};
  std::string previous_token = {};
  time_point previous_until = {};
};

/// Token that an executor presents: the common one or its group's, current or previous; `former` is the previous common one.
enum class token_kind : std::uint8_t { common, group, previous, former };

/// Length of a group's token in characters. Visible ASCII.
inline constexpr std::size_t group_token_chars_min = 8;
inline constexpr std::size_t group_token_chars_max = 50;
/// Time for which a replaced token still works: executors get the new one with their next deployment. To revoke a token at once,
/// replace it twice.
inline constexpr std::chrono::hours group_token_overlap{24};

[[nodiscard]] bool is_group_token(std::string_view text) noexcept;

/// Returns why a registration cannot be stored (a value is empty, too long or not UTF-8), with XXL's names of the values; empty
/// if it can. Callers check external registrations with it, because one invalid row would roll back all others of its
/// transaction.
[[nodiscard]] std::string misfit_of(std::string_view registry_group, std::string_view app_name, std::string_view address);

/// Returns how many of the addresses, from the first on, fit into `address_list`, separated by commas.
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
  /// Time of the last renewal.
  time_point seen{};
  /// Token that its executor presented last, if its group has another one: the common token or the group's former one.
  std::optional<token_kind> shown = {};

  [[nodiscard]] bool same_identity(const registration& other) const noexcept {
    return registry_group == other.registry_group && app_name == other.app_name && address == other.address;
  }
};

/// One write of the registry to the store: rows to insert or renew, rows to delete, group lists to write.
struct registry_batch {
  std::vector<registration> renewed;
  std::vector<registration> removed;
  /// Automatic groups whose address list changed; only address_list and update_time are written.
  std::vector<group> changed_groups;
  /// Rows to delete if their stored time is still the given one, compared to the second: then they were not renewed since.
  std::vector<registration> dead;
  /// Tokens that executors presented (`shown`); a row without one removes the stored entry.
  std::vector<registration> tokens;
};

/// State of the store that the registry needs, from one read.
struct registry_state {
  std::vector<group> groups;
  std::vector<registration> registrations;
  /// Tokens presented from addresses that are not registered any more.
  std::vector<registration> left_tokens = {};
};

} // namespace ringmaster::core
