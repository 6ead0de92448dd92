#pragma once

// The audit log: one row of `rm_audit` per change, written in the transaction of the change.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/editing/audit_line.hpp"
#include "core/ids.hpp"
#include "core/page.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

enum class audit_action : std::uint8_t {
  add, update, remove, start, stop, trigger, kill, clear, source, sign_in, password, apply,
  /// Only for elastic jobs, their items and hosts.
  enable, disable, shutdown, drain, cancel, restart
};
enum class audit_object : std::uint8_t {
  job, group, run, user, api_key, source, alarm,
  /// A setting of the configuration that a reload applied. Has no id.
  setting,
  elastic_job,
  /// A server of elastic jobs. Has no id.
  elastic_host
};

/// Returns the stored and displayed name, e.g. `update`, `job`.
[[nodiscard]] std::string_view stored_name(audit_action) noexcept;
[[nodiscard]] std::string_view stored_name(audit_object) noexcept;
[[nodiscard]] std::optional<audit_action> find_audit_action(std::string_view name) noexcept;
[[nodiscard]] std::optional<audit_object> find_audit_object(std::string_view name) noexcept;

/// One change.
struct audit_row {
  std::int64_t id = 0;
  time_point at{};
  user_id user{};
  std::string user_name;
  /// Remote address of the request; empty for commands of this machine.
  std::string remote = {};
  audit_action action = audit_action::update;
  audit_object object = audit_object::job;
  std::int64_t object_id = 0;
  std::string object_name = {};
  /// `name: "before" -> "after"`, one line per changed field; never a secret.
  std::string changes = {};
  /// `stored_fields` of the change. Unset if `changes` tells all values, and in rows of former releases.
  std::optional<std::string> field_values = {};
};

/// A job or a group, whose changes its viewers may see.
using audited_object = std::variant<job_id, group_id>;

/// Filter of a list of changes. The list is newest first, so that the next page ends before the last id.
struct audit_search {
  /// Unset or empty: any user.
  std::optional<std::string> user_name = {};
  std::optional<audit_object> object = {};
  std::optional<std::int64_t> object_id = {};
  std::optional<audit_action> action = {};
  /// Both inclusive.
  std::optional<time_point> from = {};
  std::optional<time_point> to = {};
  /// Part of the object's name or of a line, compared without case; empty: any.
  std::string text_part = {};
  std::optional<std::int64_t> before = {};
  std::size_t limit = 100;
};

/// Maximum length of `audit_search::text_part`.
inline constexpr std::size_t audit_part_bytes = 256;

/// The newest changes of one job.
struct job_edits {
  /// Newest first.
  std::vector<audit_row> rows = {};
  /// All later changes are there. Unset: the audit log is empty.
  std::optional<time_point> complete_from = {};
};

} // namespace ringmaster::core
