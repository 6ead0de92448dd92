#pragma once

// An executor group as an administrator writes it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/group.hpp"
#include "core/page.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// As it was sent.
struct group_draft {
  std::string app_name;
  std::string title;
  /// 0 automatic; anything else manual.
  std::int32_t type = 0;
  /// Comma list; only of a manual group.
  std::string address_list;
  /// A token of its own for its executors; empty: as it is.
  std::string access_token = {};
};

/// What is wrong first, in the order of XXL admin §8.9. Beyond XXL: each address must be one that can be called, and no text may
/// be longer than its column. Errors: `invalid_argument` with its refusal.
[[nodiscard]] result<void> check(const group_draft& draft);

/// Trimmed, without blank ones, once each, in the order of the list.
[[nodiscard]] std::vector<std::string> addresses_in(std::string_view address_list);

/// A hit of XXL's pattern for script in typed text (XXL admin §8.9), or a `<` or `>`.
[[nodiscard]] bool looks_like_script(std::string_view text);

/// A row of `xxl_job_group`.
struct group_record {
  core::group group;
  std::optional<time_point> updated;
  /// Of a declared group.
  std::string source = {};
};

struct group_search {
  /// Parts; empty: any.
  std::string app_name_part = {};
  std::string title_part = {};
  page_window window = {};
};

} // namespace ringmaster::core
