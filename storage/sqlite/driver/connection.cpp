#include "storage/sqlite/driver/connection.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sqlite3.h>
#include <unistd.h>
#include <utility>

#include "storage/folder_owner.hpp"

namespace ringmaster::storage::sqlite {

namespace {

// Often enough to notice a deadline, rarely enough to cost nothing.
constexpr int progress_operations = 100'000;

// WAL: readers never wait for the writer. FULL: a commit is on the disk when it returns. A checkpoint every 40 MB instead of
// every 4: each one writes the pages of all log rows since the last one, and most of them are the same few.
constexpr const char* settings = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=10000; "
                                 "PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY";

/// Creates a file that no other user may read. An existing file keeps its mode.
core::result<void> create_private(const std::string& file) {
  int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0 && errno != EEXIST)
    return core::fail(core::errc::unavailable, "cannot create the database " + file + ": " + std::strerror(errno));
  give_to_folder_owner(descriptor, file);
  if (descriptor >= 0)
    ::close(descriptor);
  return {};
}

} // namespace

statement::~statement() {
  if (cached_ == nullptr || cached_->uses != use_)
    return;
  sqlite3_reset(cached_->prepared);
  sqlite3_clear_bindings(cached_->prepared);
}

sqlite3_stmt* statement::own() const {
  if (cached_ == nullptr)
    return nullptr;
  if (cached_->uses == use_)
    return cached_->prepared;
  db_->fail({core::errc::internal, std::string{"a statement was used twice at once: "} + sqlite3_sql(cached_->prepared)});
  return nullptr;
}

void statement::rewind() {
  db_->deadline_.reset();
  if (cached_ == nullptr)
    return;
  use_ = ++cached_->uses;
  sqlite3_reset(cached_->prepared);
}

bool statement::step() {
  auto* const prepared = own();
  if (prepared == nullptr || db_->failed())
    return false;
  int code = sqlite3_step(prepared);
  if (code == SQLITE_ROW)
    return true;
  if (code != SQLITE_DONE)
    db_->note(code, sqlite3_sql(prepared));
  return false;
}

int statement::finish() {
  while (step()) {
  }
  auto* const prepared = own();
  if (prepared == nullptr || db_->failed())
    return 0;
  int changed = sqlite3_changes(db_->db_);
  sqlite3_reset(prepared);
  return changed;
}

bool statement::is_null(int column) const {
  auto* const prepared = own();
  return prepared == nullptr || sqlite3_column_type(prepared, column) == SQLITE_NULL;
}

std::int64_t statement::number(int column) const {
  auto* const prepared = own();
  return prepared == nullptr ? 0 : sqlite3_column_int64(prepared, column);
}

std::string_view statement::text(int column) const {
  auto* const prepared = own();
  if (prepared == nullptr)
    return {};
  // The order matters: sqlite3_column_blob keeps the bytes unchanged, and the length belongs to that form.
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(prepared, column));
  auto length = sqlite3_column_bytes(prepared, column);
  return bytes == nullptr ? std::string_view{} : std::string_view{bytes, static_cast<std::size_t>(length)};
}

std::optional<std::string> statement::optional_text(int column) const {
  return is_null(column) ? std::nullopt : std::optional{std::string{text(column)}};
}

void statement::bind(int index, std::int64_t value) {
  if (auto* const prepared = own())
    if (int code = sqlite3_bind_int64(prepared, index, value); code != SQLITE_OK)
      db_->note(code, "bind");
}

void statement::bind(int index, std::string_view value) {
  // An empty view may have no address, which would bind NULL.
  if (auto* const prepared = own())
    if (int code = sqlite3_bind_text64(prepared, index, value.data() == nullptr ? "" : value.data(), value.size(), SQLITE_STATIC,
                                       SQLITE_UTF8);
        code != SQLITE_OK)
      db_->note(code, "bind");
}

void statement::bind(int index, blob value) {
  if (auto* const prepared = own())
    if (int code = sqlite3_bind_blob64(prepared, index, value.bytes.data(), value.bytes.size(), SQLITE_STATIC);
        code != SQLITE_OK)
      db_->note(code, "bind");
}

void statement::bind(int index, std::nullopt_t) {
  if (auto* const prepared = own())
    sqlite3_bind_null(prepared, index);
}

core::result<std::unique_ptr<connection>> connection::open(const open_options& options) {
  if (options.create && !options.uri)
    if (auto created = create_private(options.file); !created)
      return tl::unexpected{created.error()};
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= (options.create ? SQLITE_OPEN_CREATE : 0) | (options.uri ? SQLITE_OPEN_URI : 0);
  sqlite3* db = nullptr;
  int code = sqlite3_open_v2(options.file.c_str(), &db, flags, nullptr);
  // Even a failed open returns a handle that must be closed.
  auto opened = std::unique_ptr<connection>{new connection{db, options}};
  if (code != SQLITE_OK)
    opened->note(code, "open");
  else if (!options.look)
    opened->execute(settings);
  if (auto outcome = opened->outcome(); !outcome)
    return tl::unexpected{outcome.error()};
  return opened;
}

connection::connection(sqlite3* db, const open_options& options)
  : db_{db}, file_{options.file}, statement_timeout_{options.statement_timeout} {
  if (db_ == nullptr)
    return;
  auto busy_ms = std::min<std::int64_t>(options.busy_timeout.count(), std::numeric_limits<int>::max());
  sqlite3_busy_timeout(db_, static_cast<int>(busy_ms));
  if (statement_timeout_.count() > 0)
    sqlite3_progress_handler(db_, progress_operations, &connection::on_progress, this);
}

connection::~connection() {
  for (const auto& [sql, cached] : prepared_)
    sqlite3_finalize(cached.prepared);
  sqlite3_close_v2(db_);
}

statement connection::prepare(const char* sql) {
  if (failed())
    return {*this, nullptr};
  auto& cached = prepared_[sql];
  if (cached.prepared == nullptr) {
    if (int code = sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &cached.prepared, nullptr); code != SQLITE_OK)
      note(code, sql);
    else if (cached.prepared == nullptr)
      fail({core::errc::internal, "the text of a statement is empty"});
  }
  return {*this, cached.prepared == nullptr ? nullptr : &cached};
}

void connection::execute(const char* sql) {
  deadline_.reset();
  if (!failed())
    if (int code = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK)
      note(code, sql);
}

std::int64_t connection::last_id() const { return failed() ? 0 : sqlite3_last_insert_rowid(db_); }

// Checks the path with one cheap system call: each write transaction makes one.
bool connection::has_moved() const noexcept {
  int moved = 0;
  return db_ != nullptr && sqlite3_file_control(db_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

void connection::fail(core::error error) {
  if (!failure_)
    failure_ = std::move(error);
}

core::result<void> connection::outcome() {
  if (!failure_)
    return {};
  auto failure = std::move(*failure_);
  failure_.reset();
  return tl::unexpected{std::move(failure)};
}

void connection::note(int code, const char* doing) {
  auto said = db_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db_);
  switch (code & 0xff) {
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return fail({core::errc::unavailable, "the database " + file_ + " is locked by another connection: " + said});
  case SQLITE_FULL: return fail(full());
  case SQLITE_INTERRUPT:
    return fail({core::errc::unavailable,
                 "the database " + file_ + " took longer than " + std::to_string(statement_timeout_.count()) + " ms"});
  case SQLITE_IOERR: return fail({core::errc::unavailable, "reading or writing the database " + file_ + " failed: " + said});
  case SQLITE_CANTOPEN: return fail({core::errc::unavailable, "cannot open the database " + file_ + ": " + said});
  case SQLITE_READONLY: return fail({core::errc::unavailable, "the database " + file_ + " cannot be written: " + said});
  case SQLITE_PROTOCOL:
  case SQLITE_NOMEM: return fail({core::errc::unavailable, "the database " + file_ + ": " + said});
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT: return fail({core::errc::unavailable, "the file " + file_ + " is not a database or damaged: " + said});
  // Only these failures are caused by the data, so that repeating would not help.
  case SQLITE_TOOBIG:
  case SQLITE_MISMATCH: return fail({core::errc::invalid_argument, "the database " + file_ + " refused a value: " + said});
  case SQLITE_CONSTRAINT:
    return fail({core::errc::internal, "the database " + file_ + " refused a statement: " + said + " (" + doing + ')'});
  default:
    return fail({core::errc::unavailable, "the database " + file_ + " cannot run a statement: " + said + " (" + doing + ')'});
  }
}

// SQLite has one code for a full disk and for a table that has given its last id.
core::error connection::full() {
  sqlite3_stmt* asked = nullptr;
  std::string table;
  constexpr auto text = "SELECT name FROM sqlite_sequence WHERE seq >= 9223372036854775807";
  if (sqlite3_prepare_v2(db_, text, -1, &asked, nullptr) == SQLITE_OK && sqlite3_step(asked) == SQLITE_ROW)
    table = reinterpret_cast<const char*>(sqlite3_column_text(asked, 0));
  sqlite3_finalize(asked);
  if (!table.empty())
    return {core::errc::internal, "the table " + table + " of the database " + file_ +
                                    " has given its last id, 2^63 - 1: an id in it, or its row in sqlite_sequence, "
                                    "was set manually"};
  return {core::errc::unavailable, "the disk of the database " + file_ + " is full"};
}

// Most statements end before the first call and do not have to read the clock.
int connection::on_progress(void* self) {
  auto& db = *static_cast<connection*>(self);
  auto now = std::chrono::steady_clock::now();
  if (!db.deadline_)
    db.deadline_ = now + db.statement_timeout_;
  return now > *db.deadline_ ? 1 : 0;
}

transaction::transaction(connection& db, transaction_kind kind) : db_{db} {
  // A leftover failure of an earlier transaction does not concern this one.
  db_.failure_.reset();
  if (kind == transaction_kind::write && db_.has_moved())
    db_.fail({core::errc::unavailable, "the database file " + db_.file() +
                                         " was deleted or replaced while it was open, so nothing is written into it: stop the "
                                         "server, put the file back or restore a backup, and start it again"});
  db_.run(kind == transaction_kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
  open_ = !db_.failed();
}

transaction::~transaction() {
  if (open_)
    roll_back();
}

core::result<void> transaction::commit() {
  const bool wanted = open_ && !db_.failed();
  if (open_)
    db_.run("COMMIT");
  auto outcome = db_.outcome();
  // Whatever prevents the commit, the data had been accepted by then.
  if (wanted && !outcome)
    outcome.error().code = core::errc::unavailable;
  if (open_ && !outcome)
    roll_back();
  open_ = false;
  return outcome;
}

void transaction::roll_back() {
  open_ = false;
  db_.failure_.reset();
  // Some failures (a full disk) have already ended the transaction.
  if (sqlite3_get_autocommit(db_.db_) == 0)
    db_.run("ROLLBACK");
  db_.failure_.reset();
}

} // namespace ringmaster::storage::sqlite
