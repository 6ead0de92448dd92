// A batch over a table, distributed over all executors of the group: with the route strategy "Sharding Broadcast" each executor
// takes the rows of its part. A run marks its rows in the same transaction, so a run that is sent twice, or killed in between,
// processes no row twice. Parameter: db=PATH [batch=500]

#include <memory>
#include <stdexcept>

#include <sqlite3.h>

#include "serve_until_told.hpp"

namespace {

using ringmaster::executor::job_context;
using database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

database open(const std::string& path) {
  sqlite3* raw = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr);
  database out{raw, &sqlite3_close};
  if (status != SQLITE_OK)
    throw std::runtime_error(path + ": " + sqlite3_errstr(status));
  sqlite3_busy_timeout(raw, 5000);
  return out;
}

/// Sends one batch of unsent invoices. Returns their number.
int send_some(sqlite3* db, const job_context& context, std::int64_t batch) {
  sqlite3_stmt* raw = nullptr;
  sqlite3_prepare_v2(db,
                     "UPDATE invoice SET sent_by = ?1 WHERE id IN (SELECT id FROM invoice WHERE sent_by IS NULL"
                     " AND id % ?2 = ?3 ORDER BY id LIMIT ?4)",
                     -1, &raw, nullptr);
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> update{raw, &sqlite3_finalize};
  sqlite3_bind_int64(raw, 1, number(context.run()));
  sqlite3_bind_int(raw, 2, context.shard_total());
  sqlite3_bind_int(raw, 3, context.shard_index());
  sqlite3_bind_int64(raw, 4, batch);
  if (sqlite3_step(raw) != SQLITE_DONE)
    throw std::runtime_error(sqlite3_errmsg(db));
  return sqlite3_changes(db);
}

void send_invoices(job_context& context) {
  const auto path = context.argument<std::string>("db", "");
  const auto batch = context.argument<std::int64_t>("batch", 500);
  if (!path || path->empty() || !batch || *batch < 1)
    return context.fail("the parameter needs db=PATH, and optionally batch=N with N of at least 1");
  const auto db = open(*path);
  std::int64_t sent = 0;
  while (!context.stop_requested()) {
    const int some = send_some(db.get(), context, *batch);
    if (some == 0)
      return context.succeed(std::to_string(sent) + " invoices sent");
    sent += some;
    context.line() << sent << " invoices sent by part " << context.shard_index() << " of " << context.shard_total();
  }
  context.fail("stopped after " + std::to_string(sent) + " invoices");
}

} // namespace

int main(int argc, char** argv) {
  ringmaster::executor::handlers known;
  add(known, "send-invoices", send_invoices);
  return serve_until_told(argc, argv, std::move(known));
}
