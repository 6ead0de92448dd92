// The real server, which ends itself (SIGKILL) at the n-th statement or the n-th write to a socket after its start. The linker
// puts these functions in front of the real ones (`--wrap`), so the product contains no code for it.
//
//   CRASH_AT=17 CRASH_SITE=statement|write CRASH_SIDE=before|after

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <mysql/mysql.h>
#include <sqlite3.h>
#include <sys/socket.h>

namespace {

struct crash_point {
  long at = 0;
  bool statements = false;
  bool after = false;
  std::atomic<long> count{0};

  crash_point() {
    const char* number = std::getenv("CRASH_AT");
    const char* site = std::getenv("CRASH_SITE");
    const char* side = std::getenv("CRASH_SIDE");
    at = number != nullptr ? std::strtol(number, nullptr, 10) : 0;
    statements = site != nullptr && std::strcmp(site, "statement") == 0;
    after = side != nullptr && std::strcmp(side, "after") == 0;
  }
};

crash_point& point() {
  static crash_point only;
  return only;
}

/// Counts a call, and ends the process before or after it if it is the chosen one.
class counted {
public:
  explicit counted(bool statement) {
    auto& where = point();
    mine_ = where.at > 0 && where.statements == statement && ++where.count == where.at;
    if (mine_ && !where.after)
      std::raise(SIGKILL);
  }
  ~counted() {
    if (mine_)
      std::raise(SIGKILL);
  }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;

private:
  bool mine_;
};

} // namespace

extern "C" {

int __real_sqlite3_step(sqlite3_stmt* statement);
int __real_mysql_stmt_execute(MYSQL_STMT* statement);
int __real_mysql_real_query(MYSQL* connection, const char* text, unsigned long length);
ssize_t __real_sendmsg(int socket, const msghdr* message, int flags);
ssize_t __real_send(int socket, const void* data, size_t size, int flags);

int __wrap_sqlite3_step(sqlite3_stmt* statement) {
  counted one{true};
  return __real_sqlite3_step(statement);
}

int __wrap_mysql_stmt_execute(MYSQL_STMT* statement) {
  counted one{true};
  return __real_mysql_stmt_execute(statement);
}

int __wrap_mysql_real_query(MYSQL* connection, const char* text, unsigned long length) {
  counted one{true};
  return __real_mysql_real_query(connection, text, length);
}

ssize_t __wrap_sendmsg(int socket, const msghdr* message, int flags) {
  counted one{false};
  return __real_sendmsg(socket, message, flags);
}

ssize_t __wrap_send(int socket, const void* data, size_t size, int flags) {
  counted one{false};
  return __real_send(socket, data, size, flags);
}

} // extern "C"
