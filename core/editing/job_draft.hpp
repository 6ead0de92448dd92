#pragma once

// A job as somebody writes it: every value as it was sent, so that what is wrong with it can be said in XXL's words and order.

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
#include "core/time.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// XXL's stored names where it has names. An absent text is kept apart from an empty one only where XXL does.
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
  /// These three only of a new job.
  std::string glue_type;
  std::string glue_source;
  std::string glue_remark;
  /// What XXL's forms do not know; nothing: as it is.
  std::optional<job_options> options = {};
};

enum class draft_use : std::uint8_t { add, update };

/// What the store knows about the objects that a draft names, read in the transaction that keeps it.
struct draft_facts {
  bool group_exists = false;
  /// Of an update.
  bool job_exists = true;
  job_id job{};
  /// Those of `numbers_in(draft.children)` that exist, with their groups.
  std::vector<std::pair<job_id, group_id>> children = {};
  /// Of an update of a running job: when nothing was changed about its schedule, whether it fires again is not asked.
  bool must_fire_again = false;
};

/// One of the kinds whose source is kept with the job and run by the executor: all but BEAN. False for an unknown name.
[[nodiscard]] bool is_script(std::string_view glue_type) noexcept;

/// The numeric items of a comma list, in order; what is no positive 32-bit number is left out, and what lies behind the width of
/// the list's column.
[[nodiscard]] std::vector<job_id> numbers_in(std::string_view children);

/// What is wrong first, in the order of XXL admin §8.6, with its refusal. Rights: `editor` in the draft's group comes before all
/// of it and is not asked here; those in the groups of the children are. Behind all of it: no text is longer than its column,
/// and a running job fires again after `now`. Errors: `invalid_argument`, `forbidden`, `not_found` (the job).
[[nodiscard]] result<void> check(const job_draft& draft, draft_use use, const draft_facts& facts, const principal& by,
                                 const zone& where, time_point now);

/// Who stopped a job that would run else, and when.
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
  /// Stored names, also those that nobody knows.
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
  /// Of a job that does not run because a user stopped it.
  std::optional<manual_stop> stopped = {};
  /// The last instant that was sent; the epoch when there is none.
  time_point last{};
  time_point next{};
  /// Of declared jobs.
  std::string key = {};
  std::string source = {};
  /// The last instant that was missed and dropped; the epoch when there is none.
  time_point missed{};
  /// The number of its last edit; rises with each.
  std::int64_t revision = 0;
};

/// Which jobs a page has; newest id first.
struct job_search {
  std::optional<group_id> group = {};
  /// Of who is no admin: only jobs of these groups.
  std::optional<std::vector<group_id>> visible = {};
  std::optional<bool> running = {};
  /// Parts; empty: any.
  std::string name_part = {};
  std::string handler_part = {};
  std::string author_part = {};
  page_window window = {};
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
};

/// How many of a job's sources are kept.
inline constexpr std::size_t source_versions_max = 30;

} // namespace ringmaster::core
