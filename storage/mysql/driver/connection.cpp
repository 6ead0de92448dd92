#include "storage/mysql/driver/connection.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <thread>

#include <mysql/mysqld_error.h>

namespace ringmaster::storage::mysql {

namespace {

constexpr int rounds_max = 4;

unsigned whole_seconds(std::chrono::milliseconds time) {
  return static_cast<unsigned>(std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(time).count()));
}

/// Initialises the library once, because that is not thread-safe.
void set_up_library() {
  [[maybe_unused]] static const int once = mysql_library_init(0, nullptr, nullptr);
}

[[noreturn]] void raise(MYSQL* handle) { throw driver_error{mysql_errno(handle), mysql_sqlstate(handle), mysql_error(handle)}; }

} // namespace

lock_skills skills_of(std::string_view version) noexcept {
  int major = 0;
  int minor = 0;
  const auto* end = version.data() + version.size();
  if (const auto dot = std::from_chars(version.data(), end, major).ptr; dot != end && *dot == '.')
    std::from_chars(dot + 1, end, minor);
  const auto at_least = [&](int wanted_major, int wanted_minor) {
    return major > wanted_major || (major == wanted_major && minor >= wanted_minor);
  };
  if (version.find("MariaDB") == std::string_view::npos)
    return {.skip = at_least(8, 0), .wait_zero = false, .for_share = true};
  return {.skip = at_least(10, 6), .wait_zero = at_least(10, 3), .for_share = false};
}

connection::connection(connection_settings settings) : settings_{std::move(settings)} { set_up_library(); }

std::int64_t connection::id() const noexcept { return handle_ ? static_cast<std::int64_t>(mysql_thread_id(handle_.get())) : 0; }

void connection::open() {
  answered_ = !handle_; // a connection opened now cannot have been dead before the call
  if (handle_)
    return;
  try {
    connect();
    set_up_session();
    if (on_open_)
      on_open_();
  } catch (...) {
    drop();
    throw;
  }
}

void connection::connect() {
  handle_.reset(mysql_init(nullptr));
  if (!handle_)
    throw std::bad_alloc{};
  const auto& where = settings_.where;
  const auto connect = whole_seconds(settings_.connect_timeout);
  const auto statement = whole_seconds(settings_.statement_timeout) + 1; // the server's own limit, if it has one, ends first
  const unsigned off = 0;
  const unsigned protocol = where.socket.empty() ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET;
  mysql_options(handle_.get(), MYSQL_OPT_CONNECT_TIMEOUT, &connect);
  mysql_options(handle_.get(), MYSQL_OPT_READ_TIMEOUT, &statement);
  mysql_options(handle_.get(), MYSQL_OPT_WRITE_TIMEOUT, &statement);
  mysql_options(handle_.get(), MYSQL_OPT_LOCAL_INFILE, &off);
  mysql_options(handle_.get(), MYSQL_OPT_PROTOCOL, &protocol);
  mysql_options(handle_.get(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
  const auto* host = where.socket.empty() ? where.host.c_str() : nullptr;
  const auto* socket = where.socket.empty() ? nullptr : where.socket.c_str();
  if (mysql_real_connect(handle_.get(), host, where.user.c_str(), where.password.c_str(), where.database.c_str(), where.port,
                         socket, 0) == nullptr)
    raise(handle_.get());
}

void connection::set_up_session() {
  // Values that do not fit a column are errors, never cut. Times are formatted here, so the session's zone has no effect.
  command("SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', autocommit = 1,"
          " innodb_lock_wait_timeout = 1");
  command("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  // A client that freezes in the middle of a write must not keep its row locks. MySQL does not know these two settings.
  const std::int64_t limit = settings_.statement_timeout.count();
  std::array<char, 64> statement_time{};
  std::snprintf(statement_time.data(), statement_time.size(), "SET SESSION max_statement_time = %ld.%03ld", limit / 1000,
                limit % 1000);
  for (const char* setting : {"SET SESSION idle_write_transaction_timeout = 1", static_cast<const char*>(statement_time.data())})
    if (mysql_query(handle_.get(), setting) != 0 && mysql_errno(handle_.get()) != ER_UNKNOWN_SYSTEM_VARIABLE)
      raise(handle_.get());
  waits_ = true;
  auto server = query("SELECT @@auto_increment_increment, VERSION()");
  const bool known = server.next();
  id_step_ = known ? server.number(0) : 1;
  skills_ = skills_of(known ? server.text(1) : std::string_view{});
}

void connection::wait_for_locks(bool wanted) {
  if (waits_ == wanted || !skills_.wait_zero)
    return;
  command(wanted ? "SET SESSION innodb_lock_wait_timeout = 1" : "SET SESSION innodb_lock_wait_timeout = 0");
  waits_ = wanted;
}

void connection::drop() noexcept {
  statements_.clear(); // before the handle: each tells the server that it closes
  handle_.reset();
}

void connection::command(const std::string& text) {
  if (mysql_real_query(handle_.get(), text.data(), text.size()) != 0)
    raise(handle_.get());
  answered_ = true;
}

statement& connection::prepare(sql text, std::size_t rows) {
  const std::pair key{text, rows};
  auto found = statements_.find(key);
  if (found == statements_.end()) {
    found = statements_.try_emplace(key, handle_.get(), text.expand(rows, names_)).first;
    answered_ = true;
  }
  return found->second;
}

void connection::commit() {
  try {
    command("COMMIT");
  } catch (const driver_error& failure) {
    throw failure.of_commit();
  }
}

void connection::start_over() {
  command("ROLLBACK");
  command("START TRANSACTION");
}

void connection::start_over_behind_failure() {
  statements_.clear(); // as in `recover`
  start_over();
}

bool connection::recover(const driver_error& failure, int round) {
  if (failure.connection_lost()) {
    const bool was_dead = handle_ && !answered_;
    drop();
    return was_dead && round == 1;
  }
  if (!handle_)
    return false;
  if (failure.column_unknown()) {
    drop(); // another process is upgrading the schema: the next connection reads it again
    return round == 1;
  }
  // An error after the first rows of an answer leaves a prepared statement in a state in which the client library would wait for
  // more rows.
  statements_.clear();
  if (mysql_rollback(handle_.get()) != 0) {
    drop();
    return false;
  }
  if (!failure.worth_repeating() || round >= rounds_max)
    return false;
  std::uniform_int_distribution<int> wait{1, 5 << round};
  std::this_thread::sleep_for(std::chrono::milliseconds{wait(jitter_)});
  return true;
}

} // namespace ringmaster::storage::mysql
