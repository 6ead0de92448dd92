#include "storage/mysql/schema/examine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include <mysql/mysqld_error.h>

#include "storage/rules/job_defects.hpp"
#include "storage/mysql/cluster/schedule_lock.hpp"
#include "storage/mysql/driver/durability.hpp"
#include "storage/mysql/driver/schema_read.hpp"
#include "storage/mysql/schema/grants.hpp"
#include "storage/mysql/schema/schema_checks.hpp"
#include "storage/rows/datetime_text.hpp"
#include "storage/rows/job_row.hpp"
#include "storage/rows/data_checks.hpp"
#include "storage/rows/run_troubles.hpp"

namespace ringmaster::storage::mysql {

namespace {

using namespace std::chrono_literals;
using level = database_finding::level;

/// Maximum age of a fresh heartbeat: XXL sends one every 30 s, and a registration expires after 90 s.
constexpr auto fresh = 90s;
constexpr auto clock_limit = 1s;
/// Time zones differ by multiples of a quarter of an hour.
constexpr auto zone_step = 15min;
/// Maximum time between a job's instant and the time in its log row: queues, probes, a pass of the scheduler.
constexpr auto zone_noise = 2min;
/// Number of runs whose times are checked.
constexpr std::int64_t newest_runs = 10'000;
/// Time zones differ by at most 26 hours.
constexpr std::int64_t quarters_max = 4 * 26;

core::time_point system_now() { return std::chrono::floor<core::milliseconds>(std::chrono::system_clock::now()); }

std::string seconds_text(core::milliseconds time) {
  const auto tenths = std::abs(time.count()) / 100;
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " s";
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& one : words)
    out += (out.empty() ? "" : ", ") + one;
  return out;
}

class examination {
public:
  examination(connection& db, const schema_facts& facts, const store_options& options, const std::function<bool()>& go_on)
    : db_{db}, facts_{facts}, shape_{shape_of(facts)}, dates_{options.database_zone}, options_{options}, go_on_{go_on} {}

  std::vector<database_finding> run() {
    run_all({&examination::check_clock, &examination::check_rights, &examination::check_durability});
    if (check_schema() == schema_verdict::kind::usable)
      run_all({&examination::check_lock_row, &examination::check_traps, &examination::check_tokens, &examination::check_zone,
               &examination::check_java_admins, &examination::check_jobs, &examination::check_rows,
               &examination::check_troubles});
    return std::move(out_);
  }

private:
  void run_all(std::initializer_list<void (examination::*)()> checks) {
    for (const auto check : checks) {
      if (go_on_ && !go_on_())
        return;
      (this->*check)();
    }
  }

  void check_durability() { add(examine_durability(db_)); }
  void check_traps() { add(schema_checks(db_, facts_)); }

  void add(std::vector<database_finding>&& found) { std::move(found.begin(), found.end(), std::back_inserter(out_)); }

  void say(level how, std::string what, std::string detail, std::string remedy = {}) {
    out_.push_back({how, std::move(what), std::move(detail), std::move(remedy)});
  }

  schema_verdict::kind check_schema() {
    const auto verdict = classify(facts_);
    if (verdict.how == schema_verdict::kind::unusable)
      say(level::failure, "tables", verdict.text);
    else if (verdict.half_migrated)
      say(level::failure, "tables", verdict.text, "finish it with `ringmaster migrate --xxl`");
    else
      say(level::fine, "tables", verdict.how == schema_verdict::kind::fresh ? "none yet" : "XXL-JOB's, " + verdict.text);
    for (const auto& table : without_transactions(facts_))
      say(level::failure, "tables", table + ": this engine has no transactions", "`ringmaster migrate --xxl` moves it to InnoDB");
    return verdict.how;
  }

  void check_lock_row() {
    if (!facts_.lock_row)
      say(level::failure, "schedule_lock", "xxl_job_lock has no row schedule_lock: shared mode is impossible",
          "`ringmaster migrate --xxl` adds it");
  }

  void check_clock() {
    const auto before = system_now();
    auto row = db_.query("SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)");
    if (!row.next())
      return;
    const auto there = row.time_ms(0);
    const auto after = system_now();
    const auto off = there < before ? there - before : there > after ? there - after : 0ms;
    if (std::chrono::abs(off) > clock_limit)
      say(level::failure, "clock",
          "the database's clock is " + seconds_text(off) + (off > 0ms ? " ahead of" : " behind") + " this machine's",
          "synchronize the clocks of both machines, e.g. with NTP");
    else
      say(level::fine, "clock", "agrees with the database");
  }

  void check_rights() {
    std::vector<std::string> grants;
    auto row = db_.query("SHOW GRANTS");
    while (row.next())
      grants.push_back(row.string(0));
    auto name = db_.query("SELECT DATABASE()");
    const auto missing = missing_privileges(grants, name.next() ? name.text(0) : "");
    if (!missing)
      return say(level::fine, "privileges", "granted by roles or for single tables: not checked");
    if (!missing->to_serve.empty())
      say(level::failure, "privileges", "missing on this database: " + listed(missing->to_serve),
          "grant them to the account of database.url");
    if (!missing->to_change_tables.empty())
      say(level::warning, "privileges", listed(missing->to_change_tables)
                                          + " missing on this database: `ringmaster migrate` needs an account that has them, and "
                                            "old runs are removed one by one instead of by partitions of the log");
    if (missing->to_serve.empty() && missing->to_change_tables.empty())
      say(level::fine, "privileges", "complete");
  }

  void check_tokens() {
    if (!shape_.group_token)
      return;
    auto row = db_.query("SELECT app_name FROM xxl_job_group WHERE access_token = 'default_token' ORDER BY id LIMIT 1");
    if (row.next())
      say(level::failure, "executor token", "group " + row.string(0)
                                              + " has the token that XXL-JOB ships (default_token), which is publicly known",
          "give the group and its executors another token");
  }

  /// Compares the local time in the log with the job's time in milliseconds. Manual runs and retries have other times, so most of
  /// the jobs must be off by the same quarters of an hour, and none be right.
  void check_zone() {
    std::set<std::int64_t> jobs;
    std::map<std::int64_t, std::size_t> by_steps;
    auto row = db_.query(
      "SELECT l.job_id, l.trigger_time, i.trigger_last_time FROM (SELECT id, job_id, trigger_time FROM xxl_job_log"
      " ORDER BY id DESC LIMIT 500) l JOIN xxl_job_info i ON i.id = l.job_id WHERE i.trigger_last_time > 0"
      " ORDER BY l.id DESC");
    while (row.next()) {
      const auto ran = dates_.read(row.text(1));
      if (ran && jobs.insert(row.number(0)).second)
        if (const auto steps = quarters(*ran - row.time_ms(2)))
          ++by_steps[*steps];
    }
    const auto most = std::max_element(by_steps.begin(), by_steps.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (by_steps.contains(0) || most == by_steps.end() || most->second * 2 < jobs.size())
      return;
    say(level::failure, "database zone",
        "the last runs are dated " + std::to_string(std::abs(most->first) * zone_step.count()) + " minutes " +
          (most->first > 0 ? "after" : "before") + " their instants: DATETIME columns are not in " +
          options_.database_zone.name(),
        "set database.time_zone to the value of serverTimezone");
  }

  /// Returns the difference in quarters of an hour; empty when it is not a difference of time zones.
  static std::optional<std::int64_t> quarters(core::milliseconds off) {
    constexpr auto step = core::milliseconds{zone_step};
    const auto steps = std::lround(static_cast<double>(off.count()) / static_cast<double>(step.count()));
    if (std::abs(steps) > quarters_max || std::chrono::abs(off - steps * step) > zone_noise)
      return std::nullopt;
    return steps;
  }

  bool a_node_is_up() {
    return facts_.table("rm_node") && db_.query("SELECT 1 FROM rm_node WHERE state = 'up' LIMIT 1").next();
  }

  /// Returns true when no transaction holds the lock.
  bool lock_is_free() {
    db_.command("START TRANSACTION");
    try {
      (void) db_.query("SELECT lock_name FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE").next();
    } catch (const driver_error& failure) {
      db_.command("ROLLBACK");
      if (failure.number() != ER_LOCK_WAIT_TIMEOUT)
        throw;
      return false;
    }
    db_.command("ROLLBACK");
    return true;
  }

  /// Returns the mode; without a mode row, the one that the migration will write.
  core::result<core::cluster_mode> mode() {
    if (facts_.table("rm_mode"))
      return read_mode(db_).map([](const auto& read) { return read.mode; });
    const bool made = facts_.table("rm_migration")
                      && db_.query("SELECT 1 FROM rm_migration WHERE name = 'xxl_tables'").next();
    return made ? core::cluster_mode::native : core::cluster_mode::shared;
  }

  void check_java_admins() {
    const auto present = mode();
    if (!present)
      return say(level::failure, "mode", present.error().context);
    if (*present == core::cluster_mode::native)
      return check_rivals();
    if (!lock_is_free())
      return say(level::warning, "Java admins", "schedule_lock has been held for a second: no scheduler plans in the meantime");
    const auto seen = a_node_is_up() ? std::nullopt : heartbeats();
    say(level::fine, "Java admins", seen ? *seen + ", as shared mode allows" : "schedule_lock is free");
  }

  /// Checks native mode: no other program may plan. The leader holds the lock.
  void check_rivals() {
    const bool up = a_node_is_up();
    if (auto waiting = foreign_waiter())
      return say(level::failure, "Java admins",
                 "connection " + *waiting + " waits for schedule_lock: a Java admin runs on this database, which is in native"
                   " mode", "stop it");
    if (!lock_is_free())
      return say(up ? level::fine : level::failure, "Java admins",
                 up ? "a node holds schedule_lock: a Java admin cannot plan"
                    : "schedule_lock has been held for a second: a Java admin plans on this database");
    if (up)
      return say(level::warning, "Java admins", "no node holds schedule_lock (yet): a Java admin could plan");
    const auto seen = heartbeats();
    say(seen ? level::failure : level::fine, "Java admins", seen ? *seen : "none detected", seen ? "stop it" : "");
  }

  /// Returns the id of a connection that waits for the lock and belongs to no node of ours, this connection aside. Sees only what
  /// the privileges allow.
  std::optional<std::string> foreign_waiter() {
    auto found = db_.query("SELECT p.ID FROM information_schema.PROCESSLIST p WHERE p.DB = DATABASE() AND p.ID <> CONNECTION_ID()"
                           " AND p.INFO LIKE '%xxl_job_lock%' AND p.INFO LIKE '%schedule_lock%' AND NOT EXISTS (SELECT 1"
                           " FROM rm_node n WHERE n.state = 'up' AND FIND_IN_SET(p.ID, n.connections)) LIMIT 1");
    return found.next() ? std::optional{found.string(0)} : std::nullopt;
  }

  /// Returns a recent change by another program in XXL's tables, while no node of ours is up.
  std::optional<std::string> heartbeats() {
    constexpr const char* meaning = " ago while no Ringmaster node is up: a Java admin seems to run";
    const auto now = system_now();
    auto row = db_.query("SELECT MAX(update_time) FROM xxl_job_registry");
    const auto beat = row.next() ? dates_.read(row.text(0)) : std::nullopt;
    if (beat && now - *beat < fresh && *beat - now < fresh)
      return "an executor was registered " + seconds_text(now - *beat) + meaning;
    auto planned = db_.query("SELECT COALESCE(MAX(trigger_last_time), 0) FROM xxl_job_info WHERE trigger_status = 1");
    if (planned.next() && now - planned.time_ms(0) < fresh && planned.time_ms(0) - now < fresh)
      return "a job was planned " + seconds_text(now - planned.time_ms(0)) + meaning;
    return std::nullopt;
  }

  void check_jobs() {
    defect_report report{options_.schedule_zone};
    auto row = has_options()
                 ? db_.query("SELECT i.id, i.trigger_status, i.schedule_type, i.schedule_conf, e.time_zone, e.interval_ms,"
                             " e.start_at, e.end_at, e.jitter_ms FROM xxl_job_info i LEFT JOIN rm_job_ext e ON e.job = i.id"
                             " ORDER BY i.id")
                 : db_.query("SELECT id, trigger_status, schedule_type, schedule_conf, NULL, NULL, NULL, NULL, NULL"
                             " FROM xxl_job_info ORDER BY id");
    while (row.next())
      report.add({row.number(0), row.number(1), row.string(2), row.optional_string(3), options_at(row, 4U)});
    out_.push_back(report.finding());
  }

  void check_rows() {
    data_check_report report;
    auto groups = db_.query("SELECT id, app_name, address_type, address_list FROM xxl_job_group ORDER BY id");
    while (groups.next())
      report.add(group_values{groups.number(0), groups.string(1), groups.number(2), groups.optional_string(3)});
    auto jobs = db_.query("SELECT id, job_group, trigger_status = 1, executor_route_strategy, executor_block_strategy,"
                          " misfire_strategy, glue_type, executor_handler, child_jobid, executor_timeout FROM xxl_job_info"
                          " ORDER BY id");
    while (jobs.next())
      report.add(job_values{jobs.number(0), jobs.number(1), jobs.number(2) != 0, jobs.optional_string(3), jobs.optional_string(4),
                            jobs.optional_string(5), jobs.optional_string(6), jobs.optional_string(7), jobs.optional_string(8),
                            jobs.number(9)});
    auto registrations = db_.query("SELECT registry_group, registry_key, registry_value FROM xxl_job_registry ORDER BY id");
    while (registrations.next())
      report.add_registration(registrations.text(0), registrations.text(1), registrations.text(2));
    auto runs = db_.query("SELECT COUNT(*) FROM (SELECT trigger_time FROM xxl_job_log ORDER BY id DESC LIMIT ?) l"
                          " WHERE trigger_time IS NULL", newest_runs);
    if (runs.next())
      report.add_timeless(runs.number(0));
    out_.push_back(report.finding());
  }

  void check_troubles() {
    if (!facts_.table("rm_failed_run"))
      return;
    run_troubles found;
    auto given_up = db_.query("SELECT COUNT(*), COALESCE(MAX(l.id), 0) FROM (SELECT log_id FROM rm_failed_run"
                              " ORDER BY log_id DESC LIMIT ?) f JOIN xxl_job_log l ON l.id = f.log_id WHERE l.alarm_status = 3",
                              troubled_runs);
    if (given_up.next()) {
      found.alarms_given_up = given_up.number(0);
      found.newest_given_up = given_up.number(1);
    }
    auto refusing = db_.query("SELECT DISTINCT l.executor_address FROM (SELECT log_id FROM rm_failed_run ORDER BY log_id DESC"
                              " LIMIT ?) f JOIN xxl_job_log l ON l.id = f.log_id WHERE l.trigger_code = 500"
                              " AND l.trigger_msg LIKE ? ORDER BY 1 LIMIT 5", troubled_runs, token_refused_pattern);
    while (refusing.next())
      found.refusing.push_back(refusing.string(0));
    for (auto& one : findings_of(found))
      out_.push_back(std::move(one));
  }

  /// False before `migrate` has added them.
  bool has_options() {
    return db_
      .query("SELECT 1 FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'rm_job_ext'"
             " AND COLUMN_NAME = 'jitter_ms'")
      .next();
  }

  connection& db_;
  const schema_facts& facts_;
  const schema_shape shape_;
  datetime_text dates_;
  const store_options& options_;
  const std::function<bool()>& go_on_;
  std::vector<database_finding> out_;
};

} // namespace

std::vector<database_finding> examine(connection& db, const schema_facts& facts, const store_options& options,
                                      const std::function<bool()>& go_on) {
  return examination{db, facts, options, go_on}.run();
}

} // namespace ringmaster::storage::mysql
