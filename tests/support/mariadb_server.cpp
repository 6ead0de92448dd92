#include "tests/support/mariadb_server.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <mysql/mysql.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringmaster::test {

namespace {

namespace fs = std::filesystem;

constexpr auto start_limit = std::chrono::seconds{60};
constexpr const char* folder_prefix = "ringmaster-mariadb-";

std::optional<std::string> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders{std::string{path ? path : ""} + ":/usr/sbin:/usr/local/sbin:/usr/libexec"};
  for (std::string folder; std::getline(folders, folder, ':');)
    if (auto file = folder + "/" + name; !folder.empty() && ::access(file.c_str(), X_OK) == 0)
      return file;
  return std::nullopt;
}

std::string user_option() { return ::geteuid() == 0 ? "--user=root" : "--skip-symbolic-links"; }

/// Starts a program with its output in `log`; it is killed when this thread ends.
pid_t spawn(std::vector<std::string> words, const fs::path& log) {
  std::vector<char*> arguments;
  for (auto& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const auto output = log.string();
  const auto parent = ::getpid();
  const auto child = ::fork();
  if (child < 0)
    throw std::runtime_error("fork: " + std::string{std::strerror(errno)});
  if (child > 0)
    return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (::getppid() != parent || file < 0 || ::dup2(file, STDOUT_FILENO) < 0 || ::dup2(file, STDERR_FILENO) < 0)
    ::_exit(126);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

/// Waits until the process ends, at most `limit`. Returns its wait status, or nothing.
std::optional<int> wait_for_end(pid_t process, std::chrono::milliseconds limit) {
  const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  pollfd ended{handle, POLLIN, 0};
  const auto ready = ::poll(&ended, 1, static_cast<int>(limit.count()));
  ::close(handle);
  int status = 0;
  if (ready == 1 && ::waitpid(process, &status, 0) == process)
    return status;
  return std::nullopt;
}

std::string end_of(const fs::path& log) {
  std::ifstream in{log};
  std::ostringstream text;
  text << in.rdbuf();
  const auto all = text.str();
  return all.size() > 2000 ? all.substr(all.size() - 2000) : all;
}

/// Removes folders of processes that were killed, whose lock is free. A new folder is kept: its process may be about to lock it.
void remove_leftovers(const fs::path& parent) {
  std::error_code ignored;
  const auto young = fs::file_time_type::clock::now() - std::chrono::minutes{1};
  for (const auto& entry : fs::directory_iterator{parent, ignored}) {
    if (entry.path().filename().string().rfind(folder_prefix, 0) != 0)
      continue;
    const auto owner = entry.path() / "owner";
    const auto lock = ::open(owner.c_str(), O_RDWR | O_CLOEXEC);
    if (lock < 0)
      continue;
    if (fs::last_write_time(owner, ignored) > young) {
      ::close(lock);
      continue;
    }
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0)
      fs::remove_all(entry.path(), ignored);
    ::close(lock);
  }
}

using client = std::unique_ptr<MYSQL, decltype(&mysql_close)>;

client connect(const std::string& socket) {
  client self{mysql_init(nullptr), &mysql_close};
  if (mysql_real_connect(self.get(), nullptr, "root", "", nullptr, 0, socket.c_str(), 0) == nullptr)
    throw std::runtime_error(mysql_error(self.get()));
  return self;
}

} // namespace

mariadb_server& mariadb_server::shared() {
  static mariadb_server instance{options{}};
  return instance;
}

std::optional<std::string> mariadb_server::unavailable_reason() {
  for (const char* program : {"mariadbd", "mariadb-install-db"})
    if (!find_program(program))
      return std::string{"no MariaDB server here: "} + program + " is not installed";
  return std::nullopt;
}

mariadb_server::mariadb_server(const options& chosen) : options_{chosen} {
  if (auto reason = unavailable_reason())
    throw std::runtime_error(*reason);
  const auto parent = fs::temp_directory_path();
  remove_leftovers(parent);
  auto name = (parent / (std::string{folder_prefix} + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::runtime_error("mkdtemp " + name + ": " + std::strerror(errno));
  folder_ = name;
  lock_ = ::open((folder_ / "owner").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ::flock(lock_, LOCK_EX | LOCK_NB);
  install();
  start();
}

mariadb_server::~mariadb_server() {
  stop();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  ::close(lock_);
}

std::string mariadb_server::socket_path() const { return (folder_ / "socket").string(); }

void mariadb_server::install() {
  const auto log = folder_ / "install.log";
  const auto process = spawn({*find_program("mariadb-install-db"), "--no-defaults", "--datadir=" + (folder_ / "data").string(),
                              "--tmpdir=" + folder_.string(), "--auth-root-authentication-method=normal", "--skip-test-db",
                              "--skip-name-resolve", user_option(),
                              "--innodb-log-file-size=" + std::to_string(options_.redo_log_mb) + "M"},
                             log);
  const auto status = wait_for_end(process, start_limit);
  if (!status)
    ::kill(process, SIGKILL);
  if (!status || *status != 0)
    throw std::runtime_error("mariadb-install-db failed: " + end_of(log));
}

void mariadb_server::start() {
  if (server_ != 0)
    return;
  const auto log = folder_ / "server.log";
  const auto megabytes = [](int count) { return std::to_string(count) + "M"; };
  server_ =
    spawn({*find_program("mariadbd"), "--no-defaults", "--datadir=" + (folder_ / "data").string(), "--socket=" + socket_path(),
           "--tmpdir=" + folder_.string(), // a starting server removes temporary tables of other servers in its folder
           "--pid-file=" + (folder_ / "pid").string(), "--skip-networking", user_option(),
           options_.binary_log ? "--log-bin=" + (folder_ / "binary-log").string() : "--skip-log-bin",
           "--innodb-buffer-pool-size=" + megabytes(options_.buffer_pool_mb),
           "--innodb-log-file-size=" + megabytes(options_.redo_log_mb), "--innodb-flush-log-at-trx-commit=1",
           options_.synced ? "--innodb-flush-method=O_DIRECT" : "--innodb-flush-method=nosync",
           options_.synced ? "--skip-debug-no-sync" : "--debug-no-sync", "--performance-schema=OFF", "--max-connections=64",
           "--max-allowed-packet=4M", // the smallest default of servers
           "--character-set-server=utf8mb4", std::string{"--innodb-file-per-table="} + (options_.file_per_table ? "ON" : "OFF"),
           "--innodb-buffer-pool-dump-at-shutdown=OFF", "--innodb-buffer-pool-load-at-startup=OFF"},
          log);
  const auto give_up = std::chrono::steady_clock::now() + start_limit;
  while (!answers()) {
    const bool ended = wait_for_end(server_, std::chrono::milliseconds{10}).has_value();
    if (ended)
      server_ = 0;
    if (ended || std::chrono::steady_clock::now() > give_up)
      throw std::runtime_error("mariadbd did not start: " + end_of(log));
  }
}

void mariadb_server::stop() {
  if (server_ == 0)
    return;
  ::kill(server_, SIGKILL);
  int status = 0;
  while (::waitpid(server_, &status, 0) < 0 && errno == EINTR) {
  }
  server_ = 0;
}

void mariadb_server::pause() {
  ::kill(server_, SIGSTOP);
  siginfo_t stopped{}; // on a busy machine its threads keep running for a moment
  ::waitid(P_PID, static_cast<id_t>(server_), &stopped, WSTOPPED | WEXITED | WNOWAIT);
}

void mariadb_server::resume() { ::kill(server_, SIGCONT); }

bool mariadb_server::answers() const {
  client self{mysql_init(nullptr), &mysql_close};
  return mysql_real_connect(self.get(), nullptr, "root", "", nullptr, 0, socket_path().c_str(), 0) != nullptr;
}

void mariadb_server::exec(const std::string& statement) {
  const auto self = connect(socket_path());
  if (mysql_query(self.get(), statement.c_str()) != 0)
    throw std::runtime_error(statement + ": " + mysql_error(self.get()));
}

std::string mariadb_server::url(const std::string& database) {
  exec("DROP DATABASE IF EXISTS `" + database + "`");
  exec("CREATE DATABASE `" + database + "` DEFAULT CHARACTER SET utf8mb4");
  return "mysql://root@localhost/" + database + "?socket=" + socket_path();
}

} // namespace ringmaster::test
