#pragma once

// Search over jobs, groups, runs and users at once, as the console's search box needs it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/access/user.hpp"
#include "core/ids.hpp"
#include "core/run/log_row.hpp"

namespace ringmaster::core {

/// Maximum number of objects of each kind in one answer.
inline constexpr std::size_t found_objects_max = 8;
/// Maximum number of characters of a searched text.
inline constexpr std::size_t searched_chars_max = 100;

struct object_search {
  /// Part of a name, handler, key or title, regardless of case; if it is a number, also the first digits of an id. Not empty.
  std::string text;
  /// Limit for each kind, at most `found_objects_max`.
  std::size_t limit = found_objects_max;
};

struct found_job {
  job_id id{};
  group_id group{};
  std::string name;
  std::string handler;
  /// Empty: not a declared job.
  std::string key;
};

struct found_group {
  group_id id{};
  std::string app_name;
  std::string title;
};

/// The best matches first: the same id, name, handler or key, then texts that begin with the searched one, then the others; among
/// equals the newest.
struct found_objects {
  std::vector<found_job> jobs = {};
  std::vector<found_group> groups = {};
  std::vector<log_row> runs = {};
  /// Empty for users who are not administrators.
  std::vector<user_card> users = {};
  /// A limit ended the search before all objects were looked at: older ones may be missing.
  bool truncated = false;
};

/// Returns how well `text` matches: 0 equal, 1 begins with it, 2 any other match; without case for ASCII letters.
[[nodiscard]] int match_rank(std::string_view searched, std::string_view text) noexcept;

/// Returns the ranges of the positive numbers up to `max` whose decimal digits begin with `digits`, the shortest numbers first.
/// None for a text that is not a number or begins with 0.
[[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> ids_beginning_with(std::string_view digits, std::int64_t max);

} // namespace ringmaster::core
