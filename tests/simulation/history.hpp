#pragma once

// What one run of the simulation is given: nodes, executors, jobs, edits and faults. All of it follows from a seed or from a
// position in the exhaustive set, so that a run can be had again.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/cluster_mode.hpp"
#include "core/declared.hpp"
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

  /// Others may plan on the database: it begins in shared mode.
  bool shared = false;
  std::vector<java_script> java = {};
  std::vector<console_edit> console = {};
  std::vector<mode_change> switches = {};
};

[[nodiscard]] std::string describe(const fault& one);
[[nodiscard]] std::string describe(const history& all);

/// What the executors do is in a job's parameter: how long a run takes, and how it ends: `ok`, `fail`, `odd` (by its
/// log id), or that it is refused: `refuse`.
[[nodiscard]] core::declared_job make_job(const std::string& key, const std::string& cron, milliseconds takes,
                                          const std::string& ends = "ok");

/// One to five faults, one to six jobs of all kinds, some edits.
[[nodiscard]] history random_history(std::uint64_t seed);

} // namespace ringmaster::simulation
