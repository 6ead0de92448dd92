#pragma once

// A submitted job. Every value stays as it was sent, so that errors are reported in XXL's words and order.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/access/principal.hpp"
#include "core/ids.hpp"
#include "core/job/job_options.hpp"
#include "core/page.hpp"
#include "core/result.hpp"
#include "core/run/run_search.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// A submitted job with XXL's stored names. An absent text differs from an empty one only where XXL distinguishes them.
struct job_draft {
  group_id group{};
  std::string name;
  std::string author;
  std::string alarm_email;
  std::string schedule_type;
  std::optional<std::string> schedule_conf;
  std::string misfire;
  std::string route;
  std::string block;
  std::string handler;
  std::string param;
  std::int32_t timeout_s = 0;
  std::int32_t retry_count = 0;
  /// Comma list of ids.
  std::string children;
  /// The next three are used only for a new job.
  std::string glue_type;
  std::string glue_source;
  std::string glue_remark;
  /// Options that XXL's forms do not have; unset: unchanged.
  std::optional<job_options> options = {};
};

enum class draft_use : std::uint8_t { add, update };

/// Facts from the store about the objects that a draft names, read in the transaction that writes the draft.
struct draft_facts {
  bool group_exists = false;
  /// Used for an update.
  bool job_exists = true;
  job_id job{};
  /// The jobs of `numbers_in(draft.children)` that exist, with their groups.
  std::vector<std::pair<job_id, group_id>> children = {};
  /// Requires that the job fires again. False for an update of a running job whose schedule is unchanged.
  bool must_fire_again = false;
};

/// Returns true for kinds whose source is stored with the job and run by the executor: all but BEAN. False for an unknown name.
[[nodiscard]] bool is_script(std::string_view glue_type) noexcept;

/// Returns the numeric items of a comma list, in order. Skips items that are not positive 32-bit numbers, and text beyond the
/// width of the list's column.
[[nodiscard]] std::vector<job_id> numbers_in(std::string_view children);

/// Returns the first error in the order of XXL admin §8.6, with its refusal. The caller checks `editor` in the draft's group
/// first; this function checks the permissions in the groups of the children. Then it checks that no text is longer than its
/// column and that a running job fires again after `now`. Errors: `invalid_argument`, `forbidden`, `not_found` (the job).
[[nodiscard]] result<void> check(const job_draft& draft, draft_use use, const draft_facts& facts, const principal& by,
                                 const zone& where, time_point now);

/// User who stopped a job that would otherwise run, and the time.
struct manual_stop {
  std::string by;
  time_point at{};
  friend bool operator==(const manual_stop&, const manual_stop&) = default;
};

/// All columns of one job, for lists and pages.
struct job_record : job_options {
  job_id id{};
  group_id group{};
  std::string name;
  std::optional<time_point> added;
  std::optional<time_point> updated;
  std::string author;
  std::string alarm_email;
  /// Stored names; they may be unknown to this release.
  std::string schedule_type;
  std::string schedule_conf;
  std::string misfire;
  std::string route;
  std::string handler;
  std::string param;
  std::string block;
  std::int32_t timeout_s = 0;
  std::int32_t retry_count = 0;
  std::string glue_type;
  std::string glue_source;
  std::string glue_remark;
  std::optional<time_point> glue_updated;
  std::string children;
  bool running = false;
  /// Set for a job that does not run because a user stopped it.
  std::optional<manual_stop> stopped = {};
  /// The last instant that was sent; the epoch if there is none.
  time_point last{};
  time_point next{};
  /// Set for declared jobs.
  std::string key = {};
  std::string source = {};
  /// The last instant that was missed and dropped; the epoch when there is none.
  time_point missed{};
  /// Number of its last edit; increases with each edit.
  std::int64_t revision = 0;
};

/// Order of a list of jobs. Among equals the id decides, in the same direction.
enum class job_order : std::uint8_t {
  /// Newest id first.
  newest,
  name,
  /// Next time; jobs without one come last in either direction.
  next,
  /// Last planned instant that was sent; none is the earliest.
  last,
  /// Last edit, by its revision.
  updated,
  /// Lowest id first; for lists of any length.
  oldest
};

/// The last row before a page of an ordered list: its value and its id.
struct job_place {
  std::string text = {};
  std::int64_t number = 0;
  job_id job{};
  friend bool operator==(const job_place&, const job_place&) = default;
};

/// Filter of a page of jobs; newest id first, or in another order.
struct job_search {
  std::optional<group_id> group = {};
  /// For a user who is not an administrator: only jobs of these groups.
  std::optional<std::vector<group_id>> visible = {};
  std::optional<bool> running = {};
  /// Substrings; empty: any.
  std::string name_part = {};
  std::string handler_part = {};
  std::string author_part = {};
  page_window window = {};
  /// Several groups in place of `group`; empty: `group` counts.
  std::vector<group_id> groups = {};
  /// Only these jobs; other conditions do not count then.
  std::vector<job_id> ids = {};
  /// The id, or part of the name, handler, author or key; empty: any.
  std::string text = {};
  /// Stored names; empty: any.
  std::string schedule_type = {};
  std::string glue_type = {};
  /// Whether a file declares the job.
  std::optional<bool> declared = {};
  /// Source that declares the job; empty: any.
  std::string source = {};
  job_order order = job_order::newest;
  bool descending = false;
  /// For an order other than `newest`: only rows after this one. `window.offset` does not count then.
  std::optional<job_place> after = {};
  /// Only jobs whose last run (`job_facts::last_run`) has one of these statuses; empty: any.
  std::vector<run_status> last_statuses = {};
};

/// One row of `xxl_job_logglue`.
struct source_version {
  std::int64_t id = 0;
  job_id job{};
  std::string glue_type;
  std::string source;
  std::string remark;
  std::optional<time_point> added;
  std::optional<time_point> updated;
  /// Length of the source in bytes, also when its text was not read.
  std::size_t bytes = 0;
};

/// Selects versions of a script.
struct source_search {
  job_id job{};
  /// `source_version::id`; unset: all versions.
  std::optional<std::int64_t> version = {};
  /// False: the versions come without their texts.
  bool bodies = true;
};

/// Versions of a script, newest first.
struct source_history {
  /// `source_tag` of the job's present source, which need not be among the versions.
  std::string tag;
  std::vector<source_version> versions;
};

/// Maximum number of stored sources per job.
inline constexpr std::size_t source_versions_max = 30;

} // namespace ringmaster::core
