#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
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

/// The bodies of one elastic job in this process. Grants are admitted before: each begins at once, or at the order `go`, as soon
/// as the pool of the job has room for it. Runs that wait for room begin in the order of their grants or orders. Hooks of
/// once-listeners never wait. Invariant: each granted run has exactly one event `finished`, whatever its body does.
class elastic_job_host_state {
public:
  static inline const char* name = "ringmaster.elastic_job_host";

  elastic_job_host_state(protocol::elastic_job_host::pointer self, core::elastic::elastic_job_id job, protocol::elastic_host host,
                         job_host_tools tools, protocol::logger log);
  protocol::elastic_job_host::behavior_type make_behavior();

private:
  enum class run_phase : std::uint8_t {
    /// Waits for the order `go`.
    holding,
    /// Waits for room in the pool.
    waiting,
    running,
    /// The body has failed, and the error handler is at work.
    handling,
  };
  struct item_run {
    std::shared_ptr<const protocol::elastic_spec> spec;
    std::string param;
    protocol::elastic_grant grant;
    item_control_ptr control;
    run_phase phase = run_phase::holding;
    /// An order asked for its end.
    bool cancelled = false;
    /// Only in `handling`.
    core::run_outcome outcome = {};

    [[nodiscard]] bool has_begun() const noexcept { return phase == run_phase::running || phase == run_phase::handling; }
    [[nodiscard]] bool is_hook() const noexcept { return core::number(grant.item) < 0; }
  };
  /// The items that one fire has on this host.
  using batch_key = std::pair<core::time_point, core::elastic::run_source>;

  void take(protocol::item_grants&& grants);
  void take(const protocol::item_order& order);
  void set_pool(const std::string& name);
  /// Begins a run, or lets it wait for room.
  void queue(item_run& run);
  /// Begins waiting runs as long as there is room.
  void begin_waiting();
  void begin(item_run& run);
  void cancel(item_run& run, std::string_view why);
  void body_over(core::elastic::item_run_id run, core::run_outcome&& outcome);
  void handle_error(item_run& run, core::run_outcome&& outcome);
  void take(const protocol::error_handled& handled);
  /// Cancels the runs of a fire that have not begun.
  void abort_batch(const item_run& failed);
  [[nodiscard]] bool is_aborted(const protocol::elastic_grant& grant) const;
  void ended(core::elastic::item_run_id run, core::run_outcome&& outcome);
  /// Lets the body save cursors. They go to the host directly, because they leave on its threads.
  void open_saves(const item_run& run);
  /// Tells that the body of a script has begun once its program has a supervisor: a death of this process is then no proof alone.
  void await_program(const item_run& run);
  void name_run(protocol::elastic_event& event, const protocol::elastic_grant& grant) const;
  void tell(const protocol::elastic_grant& grant, protocol::elastic_event&& event);
  [[nodiscard]] core::result<item_facts> facts_of(const item_run& run);

  protocol::elastic_job_host::pointer self_;
  core::elastic::elastic_job_id job_;
  protocol::elastic_host host_;
  job_host_tools tools_;
  protocol::logger log_;
  std::map<core::elastic::item_run_id, item_run> runs_;
  /// Runs in `waiting`, in order.
  std::deque<core::elastic::item_run_id> waiting_;
  /// Runs that count for the limit of the pool: they have begun, and are no hooks.
  std::size_t begun_ = 0;
  /// Of the definition that was used last.
  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
  /// Of the last batches that an error handler has aborted: further items of them do not begin.
  std::deque<batch_key> aborted_;
  std::shared_ptr<job_errors> errors_;
  /// Parameters of the items and properties in the definition that was used last.
  std::shared_ptr<const protocol::elastic_spec> parsed_;
  core::result<core::elastic::item_params> params_;
  core::result<core::elastic::job_props> props_;
};

} // namespace ringmaster::executor::elastic
