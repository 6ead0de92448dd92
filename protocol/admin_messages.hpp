#pragma once

// Payloads of the catalogue's administration: users' requests through the gateway. All stay inside the process. `by` is the
// caller; the actor that does the work checks the caller's permission.

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
#include "core/run/log_piece.hpp"
#include "core/run/log_search.hpp"
#include "core/run/run_search.hpp"
#include "protocol/actor_interfaces.hpp"
#include "protocol/http.hpp"

namespace ringmaster::protocol {

// -- passwords -------------------------------------------------------------------------------------------------------------

struct check_password {
  /// Empty: no such user. The check then takes the same time.
  std::string stored;
  std::string given;
  /// Form in which passwords are stored in this database.
  core::password_form form = core::password_form::argon2id;
};

struct password_verdict {
  bool right = false;
  /// A better form of the same password, where the database uses our form and the stored one is XXL's. Empty: the stored form is
  /// good, or the password is wrong.
  std::string better;
  /// True for a publicly known password (XXL-JOB's `123456`).
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
  /// Value of the cookie; sent only this once.
  std::string session;
  core::principal who;
  /// The user must choose another password before anything else.
  bool must_change_password = false;
  /// The session ends after this time in any case.
  core::milliseconds max_age{};
};

struct sign_out {
  std::string session;
};

/// Asks for the user of a session.
struct identify {
  std::string session;
  /// Address under which unknown sessions are counted.
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

/// Asks for one user.
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

/// User as typed. `id` of an existing user; without a value: a new one.
struct save_user {
  std::optional<core::user_id> id;
  std::string name;
  /// Empty: unchanged.
  std::string password;
  bool admin = false;
  std::optional<std::vector<std::pair<core::group_id, core::group_right>>> rights;
  core::principal by;
  /// See `core::user_draft`.
  bool keeps_finer = false;
  /// `core::edit_tag` of the user as it was read, see `update_job`.
  std::string seen = {};
};

struct saved_user {
  core::user_id id{};
};

struct remove_user {
  core::user_id id{};
  core::principal by;
  /// See `save_user`.
  std::string seen = {};
};

/// Changes the caller's own password.
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

/// Asks for the user of an API key.
struct identify_key {
  std::string key;
  /// Address under which failures are counted.
  std::string remote;
};

struct add_key {
  /// Purpose of the key.
  std::string name;
  /// Without a value: the caller.
  std::optional<core::user_id> user;
  std::optional<core::time_point> expires;
  core::principal by;
};

struct added_key {
  core::api_key_id id{};
  /// Sent only this once.
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
  /// `core::edit_tag` of the job as it was read: the edit applies only if it still matches. Empty: no check.
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

/// Asks for firings from `search.from` on, as `core::upcoming` returns them.
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

/// Outcome of a manual run so far.
struct intent_found {
  /// The intent is not claimed yet.
  bool waiting = false;
  /// One run, or one for each shard.
  std::vector<core::log_id> runs;
};

// -- groups ----------------------------------------------------------------------------------------------------------------

/// Group to save: `id` of an existing group; without a value: a new one.
struct save_group {
  std::optional<core::group_id> id;
  core::group_draft draft;
  core::principal by;
  /// `core::edit_tag` of the group as it was read, see `update_job`.
  std::string seen = {};
};

struct saved_group {
  core::group_id id{};
};

struct remove_group {
  core::group_id id{};
  core::principal by;
  /// See `save_group`.
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

/// Asks for all groups that the caller may see.
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
  /// Merges the whole logs of all shards of the run's broadcast, each after a heading. `from_line` and `limits` are ignored.
  bool merged = false;
  core::piece_limits limits = {};
};

/// Part of a run's log, from its executor or from the kept log.
struct run_log {
  core::log_row run;
  std::int32_t from_line = 0;
  std::int32_t to_line = 0;
  std::string content;
  bool end = false;
  /// No executor was asked: the whole log is kept in the database.
  bool kept = false;
  /// There are lines after `to_line` already; never together with `end`.
  bool more = false;
  /// The last line is longer than a piece, and `content` has only its beginning.
  bool cut = false;
  /// Size of the whole log, and its lines, as far as they are written; empty: unknown.
  std::optional<std::int64_t> bytes = {};
  std::optional<std::int32_t> lines = {};
  /// Reason why the rest of the log is missing; empty: none.
  std::string partial_reason = {};
};

/// Reads a piece of the log of a run that an executor accepted, from this node's copy, and asks the executor for what the copy
/// lacks. The caller has checked the permission.
struct spool_read {
  core::log_row run;
  std::int32_t from_line = 1;
  core::piece_limits limits = {};
  /// Time after which the answer has what has arrived.
  std::chrono::milliseconds wait{0};
};

/// Searches the log of a run for at most a tenth of a second.
struct run_search_query {
  core::log_id run{};
  core::principal by;
  core::log_search search = {};
};

struct log_matches {
  std::vector<core::log_match> matches = {};
  /// Last line that was searched.
  std::int32_t scanned_to = 0;
  /// First line that was not searched yet; empty: none.
  std::optional<std::int32_t> next_line = {};
  /// Reason why the rest of the log is missing; empty: none.
  std::string partial_reason = {};
};

struct run_file_query {
  core::log_id run{};
  core::principal by;
};

/// The log of a run as a file.
struct run_file {
  core::log_id run{};
  std::uint64_t bytes = 0;
  /// The log will not grow, and is here to its end.
  bool end = false;
  std::string partial_reason = {};
  /// Returns a source of a part; called at most once, soon. Any thread.
  std::function<std::shared_ptr<http_body_source>(std::uint64_t offset, std::uint64_t bytes)> open = {};
};

/// Reads the log of a run to its present end, as `spool_read`, and opens the copy.
struct spool_open {
  core::log_row run;
  std::chrono::milliseconds wait{0};
};

/// Searches the log of a run, as `spool_read`.
struct spool_search {
  core::log_row run;
  core::log_search search = {};
  std::chrono::milliseconds wait{0};
};

/// INTERNAL: a source wants bytes of a copy.
struct spool_fill {
  core::log_id run{};
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  /// Takes exactly these bytes; an empty piece: they cannot be read any more.
  std::function<void(std::string&& piece)> give = {};
};

/// INTERNAL: bytes of the answer with this number have arrived.
struct spool_arrival {
  std::int64_t answer = 0;
};

/// Asks for a part that the reader does not have yet. Without news it is held back until there is some, until the run has ended,
/// or for `wait`.
struct follow_log {
  run_log_query query;
  std::chrono::milliseconds wait{0};
  /// Returns true when the reader already has that part. Any thread.
  std::function<bool(const run_log& part)> is_known;
  /// Returns false once the reader has gone. Any thread.
  std::function<bool()> is_awaited;
};

/// Ends the job's work on the executor of this run: executors offer no other way.
struct kill_run {
  core::log_id run{};
  core::principal by;
};

struct run_killed {
  /// Answer of the executor.
  std::string message;
};

struct clear_runs {
  core::clear_search search;
  core::principal by;
};

struct runs_cleared {
  std::size_t removed = 0;
};

/// Asks for the report of the days from `from` to before `to`.
struct report_query {
  core::time_point from{};
  core::time_point to{};
};

struct day_reports {
  std::vector<core::day_report> days;
};

} // namespace ringmaster::protocol
