#pragma once

// One connection to a MySQL or MariaDB server: session settings, prepared statements, transactions, repetition after a deadlock.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mysql/mysql.h>

#include "core/result.hpp"
#include "storage/mysql/driver/sql.hpp"
#include "storage/mysql/driver/statement.hpp"
#include "storage/mysql/driver/url.hpp"

namespace ringmaster::storage::mysql {

struct connection_settings {
  address where;
  std::chrono::milliseconds connect_timeout{3000};
  std::chrono::milliseconds statement_timeout{5000};
};

/// The server's abilities with rows that another transaction holds.
struct lock_skills {
  /// `SKIP LOCKED`: MariaDB 10.6, MySQL 8.
  bool skip = false;
  /// Statements can be set not to wait at all: MariaDB 10.3. MySQL waits at least a second.
  bool wait_zero = false;
  /// `FOR SHARE` is MySQL's shared lock that can skip locked rows; MariaDB has only `LOCK IN SHARE MODE`.
  bool for_share = false;
};

/// Returns the skills for the text of `VERSION()`: `10.11.6-MariaDB-1`, `8.0.36`.
[[nodiscard]] lock_skills skills_of(std::string_view version) noexcept;

/// A connection that opens on first use and reopens after a loss. Used by one thread at a time. `execute`, `query`, `prepare` and
/// `start_over` throw `driver_error` and are called only inside a body given to `transact` or `read`, which turn it into an error
/// value.
class connection {
public:
  explicit connection(connection_settings settings);
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// Sets a function that is called with each new connection before its first use; it may throw `driver_error`. It is not called
  /// for a connection that is already open.
  void on_open(std::function<void()> hook) { on_open_ = std::move(hook); }

  /// Sets the column names for statements prepared from now on; already prepared ones stay. For the hook of `on_open`.
  void name_columns(const column_names& names) noexcept { names_ = names; }

  /// Runs `body`, which returns a `core::result`, as one transaction: commits when the result has a value, otherwise rolls back.
  /// Repeats the whole body a few times after a deadlock or a lock wait; repeats it once after a connection that was found dead
  /// at the start, or on a new connection because the schema has changed. Errors: those of `body`; `driver_error::to_error`;
  /// `unavailable` whenever the commit failed: nothing was kept, or its answer was lost.
  template <class Body>
  auto transact(Body&& body) -> std::invoke_result_t<Body&> {
    return attempt([&] {
      wait_for_locks(true);
      return in_transaction(body);
    });
  }

  /// Does the same for a body whose statements do not wait for rows that another transaction holds, where the server supports it
  /// (`lock_skills::wait_zero`): they fail at once with an error that is `lock_held`.
  template <class Body>
  auto transact_without_waiting(Body&& body) -> std::invoke_result_t<Body&> {
    return attempt([&] {
      wait_for_locks(false);
      return in_transaction(body);
    });
  }

  /// Runs `body` without a transaction: each statement stands alone and must be harmless when repeated.
  template <class Body>
  auto read(Body&& body) -> std::invoke_result_t<Body&> {
    return attempt([&] {
      wait_for_locks(true);
      return body();
    });
  }

  /// Makes the following statements inside `transact_without_waiting` wait for locks. Needed before each SKIP LOCKED: with a wait
  /// of zero MariaDB rejects the COMMIT after it.
  void allow_waiting() { wait_for_locks(true); }

  /// Rolls back the transaction and begins it again.
  void start_over();

  /// Does the same after a failed statement, which is not used again.
  void start_over_behind_failure();

  template <class... Values>
  std::uint64_t execute(sql text, Values&&... values) {
    return with(prepare(text), std::forward<Values>(values)...).run();
  }

  /// Runs an INSERT of one row and returns its id.
  template <class Id, class... Values>
  Id insert(sql text, Values&&... values) {
    auto& prepared = with(prepare(text), std::forward<Values>(values)...);
    prepared.run();
    return static_cast<Id>(prepared.first_id());
  }

  template <class... Values>
  rows query(sql text, Values&&... values) {
    return with(prepare(text), std::forward<Values>(values)...).select();
  }

  /// Returns the statement for `rows` rows, prepared once per connection.
  statement& prepare(sql text, std::size_t rows = 1);

  /// Runs a text unchanged, without parameters: for migrations and session settings.
  void command(const std::string& text);

  /// Returns the server's number of the open connection; 0 when there is none.
  [[nodiscard]] std::int64_t id() const noexcept;

  /// Returns the distance between two ids of one INSERT.
  [[nodiscard]] std::int64_t id_step() const noexcept { return id_step_; }

  /// Returns the abilities of the connected server.
  [[nodiscard]] const lock_skills& skills() const noexcept { return skills_; }

  [[nodiscard]] const connection_settings& settings() const noexcept { return settings_; }

private:
  struct close {
    void operator()(MYSQL* handle) const { mysql_close(handle); }
  };

  template <class... Values>
  static statement& with(statement& prepared, Values&&... values) {
    (prepared.add(std::forward<Values>(values)), ...);
    return prepared;
  }

  template <class Body>
  auto in_transaction(Body& body) -> std::invoke_result_t<Body&> {
    command("START TRANSACTION");
    auto out = body();
    if (out)
      commit();
    else
      command("ROLLBACK");
    return out;
  }

  template <class Body>
  auto attempt(Body&& body) -> std::invoke_result_t<Body&> {
    for (int round = 1;; ++round) {
      try {
        open();
        return body();
      } catch (const driver_error& failure) {
        if (!recover(failure, round))
          return tl::unexpected{failure.to_error()};
      } catch (const std::bad_alloc&) {
        drop();
        return core::fail(core::errc::unavailable, "out of memory");
      } catch (...) {
        drop(); // otherwise the next transaction would commit the writes of this one
        throw;
      }
    }
  }

  void open();
  void connect();
  void set_up_session();
  void drop() noexcept;
  void commit();
  /// Sets the lock wait of the session if it differs: a worker that only claims sets it once per connection.
  void wait_for_locks(bool wanted);
  /// Returns whether the body has to run again; waits a moment before it returns true.
  [[nodiscard]] bool recover(const driver_error& failure, int round);

  connection_settings settings_;
  std::function<void()> on_open_;
  column_names names_;
  std::unique_ptr<MYSQL, close> handle_;
  std::map<std::pair<sql, std::size_t>, statement> statements_;
  std::minstd_rand jitter_{std::random_device{}()};
  std::int64_t id_step_ = 1;
  lock_skills skills_;
  bool waits_ = true;
  /// Whether the server has answered since the last `open`: if not, a lost connection was dead before the call.
  bool answered_ = false;
};

} // namespace ringmaster::storage::mysql
