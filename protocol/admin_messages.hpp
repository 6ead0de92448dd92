#pragma once

// Payloads of the catalogue's administration: what people ask for through the gateway. All stay inside the process. `by` is who
// asks; his right is checked where the work is done.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/access/api_key.hpp"
#include "core/access/principal.hpp"
#include "core/access/user.hpp"
#include "core/editing/audit.hpp"
#include "core/editing/group_draft.hpp"
#include "core/editing/job_draft.hpp"
#include "core/forecast/upcoming.hpp"
#include "core/maintenance/log_maintenance.hpp"
#include "core/page.hpp"
#include "core/run/run_search.hpp"
#include "protocol/actor_interfaces.hpp"

namespace ringmaster::protocol {

// -- passwords -------------------------------------------------------------------------------------------------------------

struct check_password {
  /// Empty: there is no such user. It takes as long.
  std::string stored;
  std::string given;
  /// How passwords are stored in this database.
  core::password_form form = core::password_form::argon2id;
};

struct password_verdict {
  bool right = false;
  /// Where the form is ours and the stored one is XXL's: a better one of the same password. Empty: it is fine as it is, or the
  /// password is wrong.
  std::string better;
  /// It is one that everybody knows (XXL-JOB's `123456`).
  bool known = false;
};

struct hash_password {
  std::string given;
  core::password_form form = core::password_form::argon2id;
};

struct hashed_password {
  std::string stored;
};

// -- users and sessions ----------------------------------------------------------------------------------------------------

struct sign_in {
  std::string name;
  std::string password;
  bool remember = false;
  std::string remote;
};

struct signed_in {
  /// What the cookie holds; told once.
  std::string session;
  core::principal who;
  /// He must choose another password before anything else.
  bool must_change_password = false;
  /// Behind it the session has ended in any case.
  core::milliseconds max_age{};
};

struct sign_out {
  std::string session;
};

/// Whose session it is.
struct identify {
  std::string session;
  /// Unknown sessions are counted by it.
  std::string remote = {};
};

struct identified {
  core::principal who;
  bool must_change_password = false;
};

struct user_query {
  core::user_search search;
  core::principal by;
};

/// One of them.
struct user_by_id {
  core::user_id id{};
  core::principal by;
};

struct user_found {
  core::user_card user;
};

struct user_page {
  core::page<core::user_card> page;
};

/// As typed. `id` of an existing user; nothing: a new one.
struct save_user {
  std::optional<core::user_id> id;
  std::string name;
  /// Empty: as it is.
  std::string password;
  bool admin = false;
  std::optional<std::vector<std::pair<core::group_id, core::group_right>>> rights;
  core::principal by;
  /// As in `core::user_draft`.
  bool keeps_finer = false;
  /// `core::edit_tag` of the user as he was read, as in `update_job`.
  std::string seen = {};
};

struct saved_user {
  core::user_id id{};
};

struct remove_user {
  core::user_id id{};
  core::principal by;
  /// As in `save_user`.
  std::string seen = {};
};

/// His own.
struct change_password {
  std::string old_password;
  std::string password;
  core::principal by;
};

struct audit_query {
  core::audit_search search;
  core::principal by;
};

struct audit_list {
  std::vector<core::audit_row> rows;
};

// -- API keys --------------------------------------------------------------------------------------------------------------

/// Whose key it is.
struct identify_key {
  std::string key;
  /// Failures are counted by it.
  std::string remote;
};

struct add_key {
  /// What for.
  std::string name;
  /// Nothing: of `by` himself.
  std::optional<core::user_id> user;
  std::optional<core::time_point> expires;
  core::principal by;
};

struct added_key {
  core::api_key_id id{};
  /// Told once.
  std::string key;
};

struct remove_key {
  core::api_key_id id{};
  core::principal by;
};

struct key_query {
  core::api_key_search search;
  core::principal by;
};

struct key_list {
  std::vector<core::api_key> rows;
};

// -- jobs ------------------------------------------------------------------------------------------------------------------

struct add_job {
  core::job_draft draft;
  core::principal by;
};

struct added_job {
  core::job_id id{};
};

struct update_job {
  core::job_id job{};
  core::job_draft draft;
  /// `core::edit_tag` of the job as it was read: only if that is what it still is. Empty: whatever it is.
  std::string seen;
  core::principal by;
};

struct save_source {
  core::job_id job{};
  std::string source;
  std::string remark;
  core::principal by;
};

struct job_query {
  core::job_id job{};
  core::principal by;
};

struct job_found {
  core::job_record job;
};

struct job_page_query {
  core::job_search search;
  core::principal by;
};

struct job_page {
  core::page<core::job_record> page;
};

struct source_query {
  core::job_id job{};
  core::principal by;
};

struct source_list {
  std::vector<core::source_version> versions;
};

/// Firings from `search.from` on, as `core::upcoming` gives them.
struct forecast_query {
  std::optional<core::group_id> group;
  std::optional<core::job_id> job;
  core::upcoming_search search;
  core::principal by;
};

struct forecast_found {
  core::upcoming_page page;
};

struct intent_query {
  core::intent_id intent{};
  core::principal by;
};

/// What came of a run by hand so far.
struct intent_found {
  /// Nobody has claimed it yet.
  bool waiting = false;
  /// One, or one a shard.
  std::vector<core::log_id> runs;
};

// -- groups ----------------------------------------------------------------------------------------------------------------

/// `id` of an existing group; nothing: a new one.
struct save_group {
  std::optional<core::group_id> id;
  core::group_draft draft;
  core::principal by;
  /// `core::edit_tag` of the group as it was read, as in `update_job`.
  std::string seen = {};
};

struct saved_group {
  core::group_id id{};
};

struct remove_group {
  core::group_id id{};
  core::principal by;
  /// As in `save_group`.
  std::string seen = {};
};

struct group_query {
  core::group_id id{};
  core::principal by;
};

struct group_page_query {
  core::group_search search;
  core::principal by;
};

/// All that he may see.
struct visible_groups_query {
  core::principal by;
};

struct group_page {
  core::page<core::group_record> page;
};

// -- runs ------------------------------------------------------------------------------------------------------------------

struct run_query {
  core::log_id run{};
  core::principal by;
};

struct run_found {
  core::log_row run;
};

struct run_page_query {
  core::run_search search;
  core::principal by;
};

struct run_page {
  core::page<core::log_row> page;
};

struct run_log_query {
  core::log_id run{};
  std::int32_t from_line = 1;
  core::principal by;
  /// Of all shards of the run's broadcast, whole, each under a line of its own. `from_line` counts for nothing.
  bool merged = false;
};

/// A part of what a run wrote, as its executor has it, or as we do.
struct run_log {
  core::log_row run;
  std::int32_t from_line = 0;
  std::int32_t to_line = 0;
  std::string content;
  bool end = false;
  /// No executor was asked: all of it was kept here.
  bool kept = false;
};

/// A part that its asker does not have yet. Nothing new: held back until there is, until the run ended, or for `wait`.
struct follow_log {
  run_log_query query;
  std::chrono::milliseconds wait{0};
  /// He has that part already. Any thread.
  std::function<bool(const run_log& part)> is_known;
  /// False once he has gone. Any thread.
  std::function<bool()> is_awaited;
};

/// Ends the job's work on the executor of this run: the executor knows no other way.
struct kill_run {
  core::log_id run{};
  core::principal by;
};

struct run_killed {
  /// What the executor said.
  std::string message;
};

struct clear_runs {
  core::clear_search search;
  core::principal by;
};

struct runs_cleared {
  std::size_t removed = 0;
};

/// Days of the report from `from` to before `to`.
struct report_query {
  core::time_point from{};
  core::time_point to{};
};

struct day_reports {
  std::vector<core::day_report> days;
};

} // namespace ringmaster::protocol
