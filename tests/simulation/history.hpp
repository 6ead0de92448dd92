#pragma once

// What one run of the simulation is given: nodes, executors, jobs, edits and faults. All of it follows from a seed or from a
// position in the exhaustive set, so that a run can be had again.

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

/// Where a fault strikes.
enum class site : std::uint8_t {
  /// At the index-th call of a node to its store.
  store,
  /// At the index-th request that a node writes to an executor.
  outbound,
  /// At a moment.
  moment,
};

enum class effect : std::uint8_t {
  /// The process is gone, before or after the call took effect, and comes back after `lasts`.
  crash_before,
  crash_after,
  /// The process is stopped (SIGSTOP) for `lasts`, its clocks go on. Before a request: behind the look at the deadline.
  pause_before,
  pause_after,
  /// A store call that is not made; a connection that is refused.
  away,
  /// A request that leaves and never arrives.
  lose_request,
  /// The call took effect, its answer is lost.
  lose_answer,
  /// The store call took effect, and its answer is that it was refused for good.
  wrong_answer,
  /// The call, or its answer, takes so long; the rest of the process goes on.
  delay_before,
  delay_after,
  /// A request arrives twice, and the answer to the second copy is the one that is read.
  duplicate,
  /// Something between node and executor answers in the executor's place: a gateway's 502, 503 or 504, a page of HTML, an empty
  /// body (by `lasts`). The request is passed on all the same, or is not.
  foreign_answer,
  foreign_refusal,
  // -- at a moment
  /// The store answers nothing for a while: to one node, or with an empty `node` to all.
  store_down,
  /// No request of the node reaches an executor; those under way are lost.
  partition,
  /// The machine stands still with all of its clocks.
  freeze,
  /// The machine sleeps: CLOCK_BOOTTIME goes on.
  sleep,
  /// The civil clock of the node is set forward (or, negative, back) by `lasts`.
  step_clock,
  /// The same by `by`, and back after `lasts`.
  jump_clock,
  /// Somebody holds the rows of job number `index` for so long: a claim leaves them out.
  lock_rows,
  /// The executor's process begins anew: what was queued or running is gone, log files stay.
  executor_restart,
  /// The same, and its log files are gone.
  executor_wipe,
  /// The executor stands still for a while and handles what came meanwhile afterwards.
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

/// What executors do with log ids that they know.
enum class executor_kind : std::uint8_t {
  /// Refuses an id only while it waits in the queue.
  java,
  /// Refuses an id that is queued, running or has a log file.
  remembering,
};

/// A new version of all declared jobs, applied at a moment.
struct edit {
  span at{0};
  std::vector<core::declared_job> jobs;
  /// The node that is asked to do it, if it is there then; else, or if empty, somebody does it with a store of his own.
  std::string by = {};
};

/// What a person does to one job, on a page or over the API.
struct hand_edit {
  enum class kind : std::uint8_t { start, stop, remove, update, run, run_over_api };
  span at{0};
  kind what = kind::run;
  core::job_id job{};
  /// The node that is asked; if it is not there, or if empty, somebody does it with a store of his own.
  std::string by = {};
  /// Of a run: its parameter instead of the job's own; and only at the last executor.
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
  /// At whose console.
  std::size_t admin = 0;
};

/// A Java admin beside the nodes.
struct java_script {
  /// Its clock against the true time.
  milliseconds skew{0};
  /// A pass holds the schedule lock for 5 ms and up to so much more.
  milliseconds pass_takes{100};
  /// From 3.x on it writes back only rows that run, and no status; before, the status that it read.
  bool guards_status = false;
  /// It sleeps as XXL-JOB does: to a whole second, up to 5 s after a pass that found nothing. Else it looks about once a second.
  bool sleeps = false;
  /// From 3.4 on an instant is late at its very millisecond.
  bool late_at_once = false;
  /// The first pass behind such a moment hangs for so long, with the lock.
  std::vector<std::pair<span, milliseconds>> stalls = {};
  /// Its process is killed, and comes back.
  std::vector<std::pair<span, milliseconds>> crashes;
};

/// `ringmaster takeover`, or with `--back`.
struct mode_change {
  span at{0};
  core::cluster_mode to = core::cluster_mode::native;
  /// The command is killed behind its announcement.
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
  /// Store connections that a node uses side by side: 1 or 2.
  int writers = 1;
  /// Actors that are ready take their turns at random instead of in order.
  bool shuffle = false;
  /// Callbacks get lost or come twice now and then.
  bool bad_callbacks = false;
  /// Executors reach nobody with their results before.
  span callbacks_lost_until{0};
  /// When at the earliest it may be over.
  span lasts_at_least = 12s;
  /// Civil clock of the n-th node against the true time.
  std::vector<milliseconds> skew;
  std::vector<core::declared_job> jobs;
  std::vector<edit> edits;
  std::vector<fault> faults;
  std::vector<stop_and_start> stops = {};

  // -- features (features.hpp)
  /// Processes behind each executor's address: a request goes to one of them at random.
  int replicas = 1;
  /// Executors register themselves; else their addresses stand in the group.
  bool registered = false;
  /// An executor that remembers compares a run's job and time, too; else its log id alone.
  bool compares_runs = true;
  /// The database has a clock of its own, which shows the true time.
  bool database_clock = false;
  std::vector<hand_edit> by_hand = {};
  /// Jobs beside the declared ones, which a person may change.
  std::vector<core::declared_job> plain_jobs = {};
  std::optional<restored_copy> restored = {};
  /// Runs by hand of a job whose executor, the last one, stands still; the others must not wait behind them. 0: none.
  std::size_t backlog = 0;
  /// Goes on until runs that an executor lost are found out, which takes a quarter of an hour.
  bool waits_for_lost = false;
  /// Most intents that one reading gives; 0: as many as are asked for. A backlog need not be longer to be long.
  std::size_t page_max = 0;
  /// Executors dial every node for a native link, beside HTTP.
  bool native = false;

  /// Others may plan on the database: it begins in shared mode.
  bool shared = false;
  std::vector<java_script> java = {};
  std::vector<console_edit> console = {};
  std::vector<mode_change> switches = {};
};

/// How far a node's clock may be from the true time because of faults, jumps aside, and of its skew.
[[nodiscard]] milliseconds clock_errors(const history& what);

[[nodiscard]] std::string describe(const fault& one);
[[nodiscard]] std::string describe(const history& all);

/// In the parameter of a job that belongs to a backlog.
inline constexpr std::string_view backlog_mark = "backlog";

/// What the executors do is in a job's parameter: how long a run takes, and how it ends: `ok`, `fail`, `odd` (by its
/// log id), or that it is refused: `refuse`.
[[nodiscard]] core::declared_job make_job(const std::string& key, const std::string& cron, milliseconds takes,
                                          const std::string& ends = "ok");

/// One to five faults, one to six jobs of all kinds, some edits.
[[nodiscard]] history random_history(std::uint64_t seed);

} // namespace ringmaster::simulation
