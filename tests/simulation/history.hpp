#pragma once

// Input of one run of the simulation: nodes, executors, jobs, edits and faults. All of it follows from a seed or from a position
// in the exhaustive set, so that a run can be repeated.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster/cluster_mode.hpp"
#include "core/editing/declared.hpp"
#include "core/ids.hpp"

namespace ringmaster::simulation {

using namespace std::chrono_literals;
/// Time since the start of a run.
using span = std::chrono::nanoseconds;
using std::chrono::milliseconds;

/// Place of a fault.
enum class site : std::uint8_t {
  /// The index-th call of a node to its store.
  store,
  /// The index-th request that a node writes to an executor.
  outbound,
  /// A point in time.
  moment,
};

enum class effect : std::uint8_t {
  /// The process dies, before or after the call took effect, and comes back after `lasts`.
  crash_before,
  crash_after,
  /// The process is stopped (SIGSTOP) for `lasts`; its clocks continue. Before a request: after the check of the deadline.
  pause_before,
  pause_after,
  /// A store call that is not made; a connection that is refused.
  away,
  /// A request that is sent and never arrives.
  lose_request,
  /// The call took effect, its answer is lost.
  lose_answer,
  /// The store call took effect, and its answer is a permanent refusal.
  wrong_answer,
  /// The call, or its answer, takes `lasts`; the rest of the process continues.
  delay_before,
  delay_after,
  /// A request arrives twice, and the answer to the second copy is the one that is read.
  duplicate,
  /// A gateway between node and executor answers in place of the executor: 502, 503 or 504, a page of HTML, an empty body (by
  /// `lasts`). The request is forwarded nevertheless, or is not.
  foreign_answer,
  foreign_refusal,
  // -- at a point in time
  /// The store answers nothing for a while: to one node, or with an empty `node` to all.
  store_down,
  /// No request of the node reaches an executor; those in progress are lost.
  partition,
  /// The machine stands still with all of its clocks.
  freeze,
  /// The machine sleeps: CLOCK_BOOTTIME continues.
  sleep,
  /// The civil clock of the node is set forward (or, negative, back) by `lasts`.
  step_clock,
  /// The civil clock is set by `by`, and back after `lasts`.
  jump_clock,
  /// Another transaction holds the rows of job number `index` for `lasts`: a claim skips them.
  lock_rows,
  /// The executor's process restarts: queued and running runs are gone, log files stay.
  executor_restart,
  /// The executor's process restarts, and its log files are gone.
  executor_wipe,
  /// The executor stands still for a while and afterwards handles the requests that came meanwhile.
  executor_suspend,
  crash,
  pause,
};

struct fault {
  site where = site::moment;
  effect what = effect::crash;
  /// Empty: every node. For faults of executors: its number as text.
  std::string node;
  std::size_t index = 0;
  span at{0};
  milliseconds lasts{0};
  milliseconds by{0};
};

/// Treatment of known log ids by executors.
enum class executor_kind : std::uint8_t {
  /// Refuses an id only while it waits in the queue.
  java,
  /// Refuses an id that is queued, running or has a log file.
  remembering,
};

/// A new version of all declared jobs, applied at a point in time.
struct edit {
  span at{0};
  std::vector<core::declared_job> jobs;
  /// Node that is asked for the edit. If it is empty or the node is not up, the edit is made through a store of its own.
  std::string by = {};
};

/// A manual edit of one job, on a page or over the API.
struct hand_edit {
  enum class kind : std::uint8_t { start, stop, remove, update, run, run_over_api };
  span at{0};
  kind what = kind::run;
  core::job_id job{};
  /// Node that is asked. If it is empty or the node is not up, the edit is made through a store of its own.
  std::string by = {};
  /// For a run: a parameter that replaces the job's own; only at the last executor.
  bool has_param = false;
  bool has_address = false;
};

/// All nodes stop, and their database is the copy of an earlier moment when they start again. Executors keep their files.
struct restored_copy {
  span copied_at{0};
  span at{0};
  milliseconds lasts{0};
};

/// A change at the console of a Java admin: all columns of a row are read at `at` and saved `takes` later.
struct console_edit {
  enum class kind : std::uint8_t { parameter, stop, start, reschedule };
  span at{0};
  milliseconds takes{0};
  core::job_id job{};
  kind what = kind::parameter;
  /// The new schedule.
  std::string conf = {};
  /// Number of the Java admin whose console is used.
  std::size_t admin = 0;
};

/// A Java admin on the database of the nodes.
struct java_script {
  /// Its clock against the true time.
  milliseconds skew{0};
  /// A pass holds the schedule lock for 5 ms and up to this much longer.
  milliseconds pass_takes{100};
  /// From 3.x on it writes back only running rows, and no status; earlier releases write the status that they read.
  bool guards_status = false;
  /// It sleeps as XXL-JOB does: to a whole second, up to 5 s after a pass that found nothing. Otherwise it runs about once a
  /// second.
  bool sleeps = false;
  /// From 3.4 on an instant is late at its very millisecond.
  bool late_at_once = false;
  /// The first pass after such a time hangs for the given duration, with the lock.
  std::vector<std::pair<span, milliseconds>> stalls = {};
  /// Its process is killed, and comes back.
  std::vector<std::pair<span, milliseconds>> crashes;
};

/// `ringmaster takeover`, or with `--back`.
struct mode_change {
  span at{0};
  core::cluster_mode to = core::cluster_mode::native;
  /// The command is killed after its announcement.
  bool dies = false;
};

/// A node stops gracefully and starts again.
struct stop_and_start {
  span at{0};
  std::string node;
  milliseconds lasts{0};
};

struct history {
  std::uint64_t seed = 0;
  int nodes = 2;
  int executors = 1;
  executor_kind kind = executor_kind::java;
  /// Store connections that a node uses in parallel: 1 or 2.
  int writers = 1;
  /// Ready actors take their turns in random order.
  bool shuffle = false;
  /// Callbacks get lost or come twice now and then.
  bool bad_callbacks = false;
  /// Executors cannot deliver results before this time.
  span callbacks_lost_until{0};
  /// Earliest end of the run.
  span lasts_at_least = 12s;
  /// Civil clock of the n-th node against the true time.
  std::vector<milliseconds> skew;
  std::vector<core::declared_job> jobs;
  std::vector<edit> edits;
  std::vector<fault> faults;
  std::vector<stop_and_start> stops = {};
  /// Nodes come and go in good order only: no instant is late, and in the end each slot has one planner.
  bool is_orderly = false;
  /// Duration of the first read of jobs by each process.
  milliseconds first_read_takes{0};

  // -- features (features.hpp)
  /// Number of processes behind each executor's address: a request goes to one of them at random.
  int replicas = 1;
  /// Executors register themselves; otherwise the group lists their addresses.
  bool registered = false;
  /// An executor that remembers also compares a run's job and time; otherwise only its log id.
  bool compares_runs = true;
  /// The database has a clock of its own, which shows the true time.
  bool database_clock = false;
  std::vector<hand_edit> by_hand = {};
  /// Jobs in addition to the declared ones, which manual edits may change.
  std::vector<core::declared_job> plain_jobs = {};
  std::optional<restored_copy> restored = {};
  /// Number of manual runs of a job whose executor, the last one, stands still; other runs must not wait for them. 0: none.
  std::size_t backlog = 0;
  /// Continues until runs that an executor lost are found, which takes a quarter of an hour.
  bool waits_for_lost = false;
  /// Maximum of intents in one read; 0: as many as requested. So a small backlog suffices.
  std::size_t page_max = 0;
  /// Executors connect to every node for a native link, in addition to HTTP.
  bool native = false;

  /// Java admins may plan on the database: it begins in shared mode.
  bool shared = false;
  std::vector<java_script> java = {};
  std::vector<console_edit> console = {};
  std::vector<mode_change> switches = {};
};

/// Maximal distance of a node's clock from the true time because of faults, except jumps, and of its skew.
[[nodiscard]] milliseconds clock_errors(const history& what);

[[nodiscard]] std::string describe(const fault& one);
[[nodiscard]] std::string describe(const history& all);

/// Marks the parameter of a job that belongs to a backlog.
inline constexpr std::string_view backlog_mark = "backlog";

/// A job's parameter controls the executors: the duration of a run, and its end: `ok`, `fail`, `odd` (by its log id), or a
/// refusal: `refuse`.
[[nodiscard]] core::declared_job make_job(const std::string& key, const std::string& cron, milliseconds takes,
                                          const std::string& ends = "ok");

/// Returns a history with one to five faults, one to six jobs of all kinds, some edits.
[[nodiscard]] history random_history(std::uint64_t seed);

} // namespace ringmaster::simulation
