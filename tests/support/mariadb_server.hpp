#pragma once

// A MariaDB server of the tests' own: private data directory, Unix socket only, ended with the process that started it.

#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace ringmaster::test {

/// One running `mariadbd` with the settings that matter in production (a flush per commit, no binary log) and small buffers. Use
/// it from the thread that runs the tests: the kernel ends the server when the *thread* that started it ends, so a killed test
/// process leaves no server behind. Files that a killed process leaves in the temporary folder are removed by the next one.
class mariadb_server {
public:
  struct options {
    int buffer_pool_mb = 48;
    int redo_log_mb = 48;
    /// As servers are set up by default. Without it a new database costs a third: sufficient for tests, not for measurements.
    bool file_per_table = false;
    /// Waits for the disk at each commit. Without it commits survive the server's process, though not the machine. A test cannot
    /// detect the difference, and a new database costs 50 ms however busy the disk is.
    bool synced = false;
    /// Writes a binary log, as a source of replicas does.
    bool binary_log = false;
  };

  /// Returns the server of this executable: started by the first call, ended by its process id at exit. Throws
  /// `std::runtime_error` with the server's own message when it does not start.
  static mariadb_server& shared();

  /// Returns the reason why no server can be started here (a missing program), for a skipped test; nothing when one can.
  static std::optional<std::string> unavailable_reason();

  explicit mariadb_server(const options& chosen);
  ~mariadb_server();
  mariadb_server(const mariadb_server&) = delete;
  mariadb_server& operator=(const mariadb_server&) = delete;

  /// Drops and creates the database; returns its address for `database.url`.
  std::string url(const std::string& database);

  /// Runs a statement that returns no rows, as `root`. Throws `std::runtime_error` when it fails.
  void exec(const std::string& statement);

  /// Ends the server as a power cut does: without a goodbye to its clients. Does nothing when it does not run.
  void stop();

  /// Starts it on the same data; returns when it answers. Does nothing when it runs.
  void start();

  /// Freezes the server (connections stay open, nothing is answered) until `resume`.
  void pause();
  void resume();

  [[nodiscard]] std::string socket_path() const;

private:
  void install();
  [[nodiscard]] bool answers() const;

  options options_;
  std::filesystem::path folder_;
  int lock_ = -1;
  pid_t server_ = 0;
};

} // namespace ringmaster::test
