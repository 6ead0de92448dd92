#pragma once

// An executor group as an administrator submits it.

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

/// A submitted group, with every value as it was sent.
struct group_draft {
  std::string app_name;
  std::string title;
  /// 0 automatic; anything else manual.
  std::int32_t type = 0;
  /// Comma list; only for a manual group.
  std::string address_list;
  /// Token for the executors of this group; empty: unchanged.
  std::string access_token = {};
};

/// Returns the first error in the order of XXL admin §8.9. Stricter than XXL: each address must be valid, and no text may be
/// longer than its column. Errors: `invalid_argument` with its refusal.
[[nodiscard]] result<void> check(const group_draft& draft);

/// Returns the trimmed, non-blank, distinct addresses in the order of the list.
[[nodiscard]] std::vector<std::string> addresses_in(std::string_view address_list);

/// Returns true if the text matches XXL's script pattern (XXL admin §8.9) or contains `<` or `>`.
[[nodiscard]] bool looks_like_script(std::string_view text);

/// A row of `xxl_job_group`.
struct group_record {
  core::group group;
  std::optional<time_point> updated;
  /// Source of a declared group.
  std::string source = {};
};

struct group_search {
  /// Substrings; empty: any.
  std::string app_name_part = {};
  std::string title_part = {};
  page_window window = {};
};

} // namespace ringmaster::core
