#pragma once

// Payloads of the catalogue's administration: users' requests through the gateway. All stay inside the process. `by` is the
// caller; the actor that does the work checks the caller's permission.

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/access/api_key.hpp"
#include "core/access/principal.hpp"
#include "core/access/session.hpp"
#include "core/access/user.hpp"
#include "core/access/user_activity.hpp"
#include "core/alarm/alarm_channel.hpp"
#include "core/editing/audit.hpp"
#include "core/editing/group_draft.hpp"
#include "core/editing/group_find.hpp"
#include "core/editing/job_draft.hpp"
#include "core/editing/job_list.hpp"
#include "core/forecast/upcoming.hpp"
#include "core/job/executor.hpp"
#include "core/maintenance/log_maintenance.hpp"
#include "core/page.hpp"
#include "core/rules/alarm_plan.hpp"
#include "core/run/run_origin.hpp"
#include "core/run/run_search.hpp"
#include "protocol/actor_interfaces.hpp"
#include "protocol/log_messages.hpp"
#include "protocol/user_messages.hpp"

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
  /// Time at which the session ends unless it is used before.
  core::time_point expires{};
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
  /// Time at which the session, or the API key, ends; later uses may extend a session. Unset: never.
  std::optional<core::time_point> expires = {};
};

/// Lists open sessions: the caller's, or for an administrator those of all users.
struct session_query {
  /// The actor sets `max_age`.
  core::session_search search;
  /// Value of the cookie with which the caller is signed in; empty: none, an API key.
  std::string current;
  core::principal by;
};

struct session_page {
  core::page<core::open_session> page;
  /// Session of the caller's cookie.
  std::optional<core::session_id> current;
};

/// Ends one session.
struct end_session {
  core::session_id session{};
  core::principal by;
};

struct user_query {
  core::user_search search;
  core::principal by;
  /// True: the answer has the users' activity, too.
  bool with_activity = false;
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
  /// Activity of each user of the page; empty unless it was requested. The actor clears `known_password` where such passwords are
  /// allowed.
  std::vector<core::user_activity> activity = {};
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

/// Asks for the changes of one job or group.
struct changes_query {
  core::audited_object object;
  /// Only `before` and `limit` count.
  core::audit_search window;
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

// -- executors -------------------------------------------------------------------------------------------------------------

/// Lists executors of the groups that the caller may see.
struct executors_query {
  core::executor_search search;
  core::principal by;
  /// True: the answer has the numbers of executors in place of rows.
  bool by_group = false;
  /// True: the rows are the live registrations whose app name no group has, for administrators. Of the search only the window
  /// counts.
  bool without_group = false;
};

struct executor_list {
  core::page<core::known_executor> page;
  std::vector<core::executor_count> counts = {};
  /// Registrations without a group are counted for administrators only.
  core::executor_totals totals = {};
};

// -- channels of alarms ----------------------------------------------------------------------------------------------------

/// Lists the configured channels, for administrators.
struct channels_query {
  core::principal by;
};

struct channel_list {
  std::vector<core::alarm_channel> channels;
};

/// Sends a test message through a channel, for administrators.
struct test_channel {
  std::string channel;
  /// Address for mail; empty: the sender's address. Empty for a webhook.
  std::string recipient;
  core::principal by;
};

/// Lists the stored rules of declared files, for administrators.
struct alarm_rules_query {
  core::principal by;
};

struct alarm_rules {
  std::vector<core::held_alarm> rows;
};

struct channel_tested {
  bool delivered = false;
  /// Why the message was not delivered; empty otherwise.
  std::string detail;
  core::milliseconds took{};
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
  /// `core::source_tag` of the source as it was read: the source is stored only if it still matches. Unset: no check.
  std::optional<std::string> seen = {};
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
  /// True: the answer has the jobs' facts, too.
  bool with_facts = false;
};

struct job_page {
  core::page<core::job_record> page;
  /// Facts of each job of the page; empty unless they were requested.
  std::vector<core::job_facts> facts = {};
  /// Rows follow after the page; only with facts.
  bool more = false;
};

struct source_query {
  core::source_search search;
  core::principal by;
};

struct source_list {
  core::source_history history;
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

/// Asks for the groups that the caller may see.
struct visible_groups_query {
  core::principal by;
  core::group_find find = {};
  /// Part of the groups that were found.
  core::page_window window = {0, std::numeric_limits<std::size_t>::max()};
  /// True: the answer has the groups' figures, too.
  bool with_figures = false;
};

struct group_page {
  core::page<core::group_record> page;
  /// Figures of each group of the page; empty unless they were requested.
  std::vector<core::group_figures> figures = {};
};

// -- runs ------------------------------------------------------------------------------------------------------------------

struct run_query {
  core::log_id run{};
  core::principal by;
};

struct run_found {
  core::log_row run;
  core::run_names names = {};
};

/// Asks for the runs around one run.
struct related_query {
  core::log_id run{};
  core::principal by;
};

struct related_found {
  core::related_runs related;
  core::run_names names;
};

struct run_page_query {
  core::run_search search;
  core::principal by;
};

struct run_page {
  core::run_list page;
  core::run_names names = {};
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

/// Asks for the report of the days from `from` to before `to`. With `counted`, for counts of the log itself.
struct report_query {
  core::time_point from{};
  core::time_point to{};
  std::optional<core::report_search> counted = {};
  core::principal by = {};
};

struct day_reports {
  std::vector<core::day_report> days;
};

} // namespace ringmaster::protocol
