#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "actors/executor/bodies.hpp"
#include "core/elastic/item_params.hpp"
#include "core/elastic/props.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "executor/elastic/fence_board.hpp"
#include "executor/elastic/item_bodies.hpp"
#include "executor/elastic/job_errors.hpp"
#include "executor/elastic/stop_request.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_interfaces.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/logger.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::executor::elastic {

/// Resources that all jobs of a host share.
struct job_host_tools {
  std::shared_ptr<fence_board> board;
  std::shared_ptr<item_bodies> bodies;
  /// For stop callbacks of bodies, which may block.
  std::shared_ptr<actors::body_threads> threads;
  std::function<core::time_point()> wall;
  /// Name this process in the ids of tasks.
  std::string ip;
  std::int64_t pid = 0;
  /// Limits of the pools that the program has added, by name. Null: none.
  std::shared_ptr<const std::map<std::string, std::size_t, std::less<>>> pools = nullptr;
  /// Error handlers that the program has added. Null: none.
  std::shared_ptr<const error_handler_factories> error_handlers = nullptr;
  /// For the built-in pools.
  std::size_t processors = 1;
};

/// The bodies of one elastic job in this process. Grants are admitted before: each begins after the each-node listeners, at once
/// or at the order `go`, as soon as the pool of the job has room for it. Runs that wait for room begin in the order in which they
/// were free to go. Runs of the items -1 and -2 are calls of the once-listeners, and wait for nothing.
/// Invariant: each granted run has exactly one event `finished`, whatever its body does.
class elastic_job_host_state {
public:
  static inline const char* name = "ringmaster.elastic_job_host";

  elastic_job_host_state(protocol::elastic_job_host::pointer self, core::elastic::elastic_job_id job, protocol::elastic_host host,
                         job_host_tools tools, protocol::logger log);
  protocol::elastic_job_host::behavior_type make_behavior();

private:
  using run_id = core::elastic::item_run_id;
  using fire_key = core::elastic::fire_key;
  using spec_ptr = std::shared_ptr<const protocol::elastic_spec>;
  enum class run_phase : std::uint8_t {
    /// Waits for the each-node listeners of its batch.
    joining,
    /// Waits for the order `go`.
    holding,
    /// Waits for room in the pool.
    waiting,
    running,
    /// The body has failed, and the error handler is at work.
    handling,
  };
  struct item_run {
    spec_ptr spec;
    std::string param;
    protocol::elastic_grant grant;
    item_control_ptr control;
    run_phase phase = run_phase::joining;
    /// An order asked for its end.
    bool cancelled = false;
    /// The order `go` has come.
    bool released = false;
    /// Number of its batch; 0: none.
    std::uint64_t batch = 0;
    /// Start of its body, which names its log; the epoch: there is none.
    core::time_point began_at{};
    /// Only in `handling`.
    core::run_outcome outcome = {};

    [[nodiscard]] bool has_begun() const noexcept { return phase >= run_phase::running; }
    [[nodiscard]] bool is_hook() const noexcept { return core::number(grant.item) < 0; }
  };
  /// Items of one fire that this process has at one time. It ends with the last of them.
  struct batch {
    fire_key fire;
    spec_ptr spec;
    std::string param;
    bool takes_over = false;
    std::set<std::int32_t> items = {};
    /// Runs that have not ended.
    std::set<run_id> open = {};
    /// The listeners before the items have returned.
    bool is_ready = false;
    /// The error handler has ended the fire: no listeners are called after it (EJ §13).
    bool is_aborted = false;
    /// Log of its first run, then of the last one that has ended.
    core::run_identity log = {};
  };
  using batch_map = std::map<std::uint64_t, batch>;
  /// Runs that an error handler ends together: those of one fire, of one source.
  using aborted_runs = std::pair<fire_key, core::elastic::run_source>;

  static constexpr std::int32_t succeeded = 200;
  static constexpr std::int32_t failed = 500;
  static constexpr std::string_view ended_early = "ended before it began";
  static constexpr std::string_view fire_aborted = "cancelled: another item of this fire has failed on this host, and the error"
                                                   " handler of the job ends the fire";
  static constexpr std::string_view listener_aborted = "cancelled: a listener before the items has failed on this host, and the"
                                                       " error handler of the job ends the fire";

  void take(protocol::item_grants&& grants);
  void take(const protocol::item_order& order);
  void set_pool(const std::string& name);
  /// Lets a run arrive at its barrier, or wait for room.
  void go_on(item_run& run);
  void queue(item_run& run);
  /// Begins waiting runs as long as there is room.
  void begin_waiting();
  void begin(item_run& run);
  void cancel(item_run& run, std::string_view why, stop_way how = stop_way::in_time);
  void ended(run_id run, core::run_outcome&& outcome);
  /// Lets the body save cursors. They go to the host directly, because they leave on its threads.
  void open_saves(const item_run& run);
  /// Tells that the body of a script has begun once its program has a supervisor: a death of this process is then no proof alone.
  void await_program(const item_run& run);
  void name_run(protocol::elastic_event& event, const protocol::elastic_grant& grant) const;
  void tell(const protocol::elastic_grant& grant, protocol::elastic_event&& event);
  void tell_kind(const protocol::elastic_grant& grant, protocol::elastic_event_kind kind, core::time_point at = {});
  void parse(const spec_ptr& spec);
  [[nodiscard]] core::result<item_facts> facts_of(const item_run& run);
  [[nodiscard]] std::function<void(core::run_outcome&&)> on_end(run_id run) const;
  [[nodiscard]] core::run_identity log_of(run_id run, core::time_point at) const;
  [[nodiscard]] static fire_key fire_of(const protocol::elastic_grant& grant) {
    return {grant.fire_at, grant.fire_source, grant.request};
  }

  // Failures (job_host_errors.cpp).
  void body_over(run_id run, core::run_outcome&& outcome);
  void handle_error(item_run& run, core::run_outcome&& outcome);
  void take(const protocol::error_handled& handled);
  /// Cancels the runs of a fire that have not begun.
  void abort_fire(const item_run& failed);
  void remember_aborted(const protocol::elastic_grant& grant);
  /// Cancels the items of a batch whose listeners before them have failed, if the error handler is THROW.
  void abort_batch(std::uint64_t number);
  [[nodiscard]] bool is_aborted(const protocol::elastic_grant& grant) const;

  // Batches and listeners (job_host_listeners.cpp).
  /// Adds a run to the batch of its fire. Returns true if the batch is new.
  bool join_batch(item_run& run);
  void open_batch(std::uint64_t number);
  /// Lets the runs of a batch go on, whose listeners have returned.
  void make_ready(std::uint64_t number);
  void leave_batch(const item_run& run);
  void close_batch(batch_map::iterator which);
  /// `number`: the batch that waits for the call; 0: none.
  void call_listeners(listener_call call, const batch& of, std::uint64_t number);
  void take(protocol::listeners_ended&& ended);
  /// Begins the call of once-listeners that a run of the item -1 or -2 is.
  void begin_hook(item_run& run);
  [[nodiscard]] batch_facts facts_of(const batch& of);
  void note_call(bool begins, std::string failure = {});

  protocol::elastic_job_host::pointer self_;
  core::elastic::elastic_job_id job_;
  protocol::elastic_host host_;
  job_host_tools tools_;
  protocol::logger log_;
  std::map<run_id, item_run> runs_;
  /// Runs in `waiting`, in order.
  std::deque<run_id> waiting_;
  /// Runs that count for the limit of the pool: they have begun, and are no hooks.
  std::size_t begun_ = 0;
  /// Limit of the pool in the definition that was used last.
  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
  /// The last fires that an error handler has aborted. Further items of these fires do not begin.
  std::deque<aborted_runs> aborted_;
  std::shared_ptr<job_errors> errors_;
  batch_map batches_;
  std::uint64_t last_batch_ = 0;
  /// Items of the last batches of jobs with once-listeners, which are called after them.
  std::deque<std::pair<fire_key, std::set<std::int32_t>>> over_;
  /// Batches whose listeners are called before their items, by call; 0: after them.
  std::map<std::uint64_t, std::uint64_t> calls_;
  std::uint64_t last_call_ = 0;
  /// Parameters of the items and properties in the definition that was used last.
  spec_ptr parsed_;
  core::result<core::elastic::item_params> params_;
  core::result<core::elastic::job_props> props_;
};

} // namespace ringmaster::executor::elastic
