#pragma once

// One store's connection, as the roles of this room see it. Each backend implements it.

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/access/user.hpp"
#include "core/cluster/cluster_mode.hpp"
#include "core/result.hpp"
#include "core/rules/alarm_plan.hpp"
#include "core/rules/column_limits.hpp"
#include "core/run/run.hpp"
#include "core/zone/zone.hpp"
#include "storage/admin/sql_dialect.hpp"
#include "storage/admin/edited_schedule.hpp"
#include "storage/admin/sql_value.hpp"
#include "storage/rows/datetime_text.hpp"
#include "storage/rows/job_paging.hpp"
#include "storage/rows/run_paging.hpp"

namespace ringmaster::storage {

/// Facts about XXL's tables that statements ask for.
struct xxl_facts {
  core::column_limits limits = {};
  /// Java admins keep sign-ins in `xxl_job_user.token`.
  bool user_token = false;
  /// `xxl_job_group.access_token`.
  bool group_token = false;
  /// Ringmaster's own tables exist.
  bool own_tables = true;
  /// `xxl_job_log_report.update_time`.
  bool report_update_time = true;
};

/// A connection that runs the same statements on either database. Used by one thread at a time.
///
/// Statements run only inside a body given to `read`, `read_together`, `snapshot`, `change` or `edit`. After a failed statement
/// the body continues without rows (SQLite) or is left by the driver's exception (MySQL). Either way the call returns the failure
/// as an error, and nothing is stored. MySQL may run a body again, from the beginning.
class admin_session {
public:
  admin_session() = default;
  virtual ~admin_session() = default;
  admin_session(const admin_session&) = delete;
  admin_session& operator=(const admin_session&) = delete;

  /// Runs `body`, which returns a `core::result`, for statements that only read. MySQL: each stands alone, without a transaction.
  /// SQLite: one read transaction. Errors, as of the others: those of `body`, and those of the database.
  template <class Body>
  auto read(Body&& body) -> std::invoke_result_t<Body&> {
    return carry_out(work::read, body);
  }

  /// Does the same in one transaction on either database.
  template <class Body>
  auto read_together(Body&& body) -> std::invoke_result_t<Body&> {
    return carry_out(work::read_together, body);
  }

  /// Runs `body`, which only reads, at one moment of the database: it sees no change that others commit meanwhile.
  template <class Body>
  auto snapshot(Body&& body) -> std::invoke_result_t<Body&> {
    return carry_out(work::snapshot, body);
  }

  /// Runs `ask`, which reads, inside a snapshot that calls code of others: a failure is an error here, and again the result of
  /// the snapshot. Errors: `unavailable`.
  [[nodiscard]] virtual core::result<void> attempt(const std::function<void()>& ask) = 0;

  /// Runs `body` for one statement that changes rows and is harmless when repeated.
  template <class Body>
  auto change(Body&& body) -> std::invoke_result_t<Body&> {
    return carry_out(work::change, body);
  }

  /// Runs `body` as one transaction: commits when its result has a value, otherwise rolls back.
  template <class Body>
  auto edit(Body&& body) -> std::invoke_result_t<Body&> {
    return carry_out(work::edit, body);
  }

  /// Runs a SELECT.
  template <class... Values>
  [[nodiscard]] sql_rows query(sql_text text, const Values&... values) {
    return select(text, std::array<sql_value, sizeof...(Values)>{value_of(values)...});
  }

  /// Returns whether a SELECT finds a row.
  template <class... Values>
  [[nodiscard]] bool finds(sql_text text, const Values&... values) {
    return query(text, values...).next();
  }

  /// Does the same with a list of values.
  [[nodiscard]] sql_rows query_with(sql_text text, std::span<const sql_value> values) { return select(text, values); }

  /// Runs any other statement and returns the number of changed rows.
  template <class... Values>
  std::uint64_t execute(sql_text text, const Values&... values) {
    return run(text, std::array<sql_value, sizeof...(Values)>{value_of(values)...}).rows;
  }

  /// Does the same with a list of values.
  std::uint64_t execute_with(sql_text text, std::span<const sql_value> values) { return run(text, values).rows; }

  /// Runs an INSERT of one row and returns its id.
  template <class Id, class... Values>
  [[nodiscard]] Id insert(sql_text text, const Values&... values) {
    const auto added = run(text, std::array<sql_value, sizeof...(Values)>{value_of(values)...});
    return Id{static_cast<std::underlying_type_t<Id>>(added.id)};
  }

  /// Does the same with a list of values.
  template <class Id>
  [[nodiscard]] Id insert_with(sql_text text, std::span<const sql_value> values) {
    return Id{static_cast<std::underlying_type_t<Id>>(run(text, values).id)};
  }

  /// Runs a SELECT that finds rows by `IN ({?,})` and calls `take` with each. MySQL: in lists of ids. SQLite: id by id.
  template <class Id, class Take>
  void query_in(sql_text text, const std::vector<Id>& ids, Take take) {
    select_in(text, numbers(std::span<const Id>{ids}), take);
  }

  /// Runs statements with `IN ({?,})` for the same ids, all of them for a list or an id before the next, and returns the number
  /// of rows that the first one has changed.
  template <class Id>
  std::size_t execute_in(std::initializer_list<sql_text> texts, std::span<const Id> ids) {
    return run_in({texts.begin(), texts.size()}, numbers(ids));
  }

  /// Runs a SELECT that finds rows by keys of `width` values each, and calls `take` with each row. MySQL: in lists, so a part in
  /// braces is repeated. SQLite: key by key.
  template <class Take>
  void query_rows(sql_text text, std::span<const sql_value> keys, std::size_t width, Take take) {
    if (!keys.empty())
      select_rows(text, keys, width, take);
  }

  /// Runs an INSERT or DELETE of rows with `width` values each, in the same way. Returns the numbers that the database gave to
  /// the rows, in their order.
  std::vector<std::int64_t> execute_rows(sql_text text, std::span<const sql_value> values, std::size_t width) {
    return values.empty() ? std::vector<std::int64_t>{} : run_rows(text, values, width);
  }

  /// Runs an UPDATE of rows by their ids, with `width` own values each, in the order of its `$set_by_id`. Returns the number of
  /// changed rows.
  std::size_t update_rows(sql_text text, std::span<const std::int64_t> ids, std::span<const sql_value> values,
                          std::size_t width) {
    return ids.empty() ? 0 : set_rows(text, ids, values, width);
  }

  /// Checks that `owner` is the stored incarnation of its node, and that no fence commits before this transaction (T1). Errors:
  /// `fenced`.
  [[nodiscard]] virtual core::result<void> check_current(const core::node_incarnation& owner) = 0;

  /// Runs `write` and returns `taken` if a row violates a unique key: a Java admin that adds a row at the same time does not take
  /// our locks. SQLite, where no other program writes in between, returns `internal` then.
  template <class Write>
  auto unless_taken(const core::error& taken, Write&& write) -> std::invoke_result_t<Write&> {
    std::optional<std::invoke_result_t<Write&>> out;
    return write_once([] { return false; }, [&] { out.emplace(write()); }) ? std::move(*out) : tl::unexpected{taken};
  }

  /// Runs `write` unless its row exists, and returns whether it did. MySQL: notices it by the violated key. SQLite: asks `exists`
  /// first.
  [[nodiscard]] virtual bool write_once(const std::function<bool()>& exists, const std::function<void()>& write) = 0;

  /// Blocks other edits of users until the end of the transaction, so that edits run one after another.
  virtual void hold_edits() = 0;

  /// Begins an edit of jobs or groups: takes the locks of every edit until the end of the transaction, and returns the mode,
  /// which stays. SQLite: nothing, it is always in native mode. Errors: `unsupported` for a database whose mode is unknown.
  [[nodiscard]] virtual core::result<core::cluster_mode> begin_edit() = 0;

  /// Returns the mode, which may change at once: for lists, inside a body. Errors: `unsupported` for a database whose mode is
  /// unknown.
  [[nodiscard]] virtual core::result<core::cluster_mode> mode() = 0;

  /// Returns the form in which new passwords are stored. Runs statements of its own, outside of any body.
  [[nodiscard]] virtual core::result<core::password_form> password_form() = 0;

  [[nodiscard]] virtual xxl_facts facts() const = 0;

  /// Returns whether Java admins may have written runs: in a database that XXL-JOB created, or that has ever been in shared mode.
  /// For use inside a body.
  [[nodiscard]] virtual bool may_have_java_runs() = 0;

  /// The codec of dates in XXL's columns.
  [[nodiscard]] virtual datetime_text& dates() = 0;

  /// The log along the indexes of this database. For use inside a body.
  [[nodiscard]] virtual run_paths& log_paths() = 0;

  /// Returns the jobs of some groups (empty optional: of all) that match a search, for use inside a body. The arguments must
  /// outlive the result.
  [[nodiscard]] virtual std::unique_ptr<job_paths> paths_of(const core::job_search& search,
                                                            const std::optional<std::vector<core::group_id>>& groups) = 0;

  /// Returns all rows of `rm_alarm`. For use inside a body.
  [[nodiscard]] virtual std::vector<core::held_alarm> alarm_rules() = 0;

  /// Locks and times of jobs. For use inside an edit.
  [[nodiscard]] virtual edited_schedule& schedule() = 0;

  [[nodiscard]] virtual const core::zone& schedule_zone() const = 0;

  /// Returns the runs of open claims in `range`, ascending.
  [[nodiscard]] virtual std::vector<core::log_id> held_runs(const core::log_range& range) = 0;

protected:
  enum class work : std::uint8_t { read, read_together, snapshot, change, edit };

  struct sql_change {
    /// Number of changed rows.
    std::uint64_t rows = 0;
    /// Id of the inserted row.
    std::int64_t id = 0;
  };

  [[nodiscard]] virtual core::result<void> begin(work what, const std::function<core::result<void>()>& body) = 0;
  [[nodiscard]] virtual sql_rows select(sql_text text, std::span<const sql_value> values) = 0;
  virtual sql_change run(sql_text text, std::span<const sql_value> values) = 0;
  virtual void select_in(sql_text text, std::span<const std::int64_t> ids,
                         const std::function<void(const sql_rows&)>& take) = 0;
  virtual std::size_t run_in(std::span<const sql_text> texts, std::span<const std::int64_t> ids) = 0;
  virtual void select_rows(sql_text text, std::span<const sql_value> keys, std::size_t width,
                           const std::function<void(const sql_rows&)>& take) = 0;
  virtual std::vector<std::int64_t> run_rows(sql_text text, std::span<const sql_value> values, std::size_t width) = 0;
  virtual std::size_t set_rows(sql_text text, std::span<const std::int64_t> ids, std::span<const sql_value> values,
                               std::size_t width) = 0;

private:
  template <class Id>
  static std::vector<std::int64_t> numbers(std::span<const Id> ids) {
    std::vector<std::int64_t> out;
    out.reserve(ids.size());
    for (const auto id : ids)
      out.push_back(core::number(id));
    return out;
  }

  template <class Body>
  auto carry_out(work what, Body& body) -> std::invoke_result_t<Body&> {
    std::optional<std::invoke_result_t<Body&>> out;
    auto done = begin(what, [&]() -> core::result<void> {
      out.emplace(body());
      return *out ? core::result<void>{} : tl::unexpected{out->error()};
    });
    if (!done)
      return tl::unexpected{std::move(done.error())};
    return std::move(*out);
  }
};

} // namespace ringmaster::storage
