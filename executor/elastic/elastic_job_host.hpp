#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "actors/executor/bodies.hpp"
#include "core/elastic/item_params.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "executor/elastic/fence_board.hpp"
#include "executor/elastic/item_bodies.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_interfaces.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/executor_messages.hpp"
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
};

/// The bodies of one elastic job in this process. Grants are admitted before, so each begins at once, or at the order `go`, but
/// after the each-node listeners. Runs of the items -1 and -2 are calls of the once-listeners.
/// Invariant: each granted run has exactly one event `finished`, whatever its body does.
class elastic_job_host_state {
public:
  static inline const char* name = "ringmaster.elastic_job_host";

  elastic_job_host_state(protocol::elastic_job_host::pointer self, core::elastic::elastic_job_id job, protocol::elastic_host host,
                         job_host_tools tools);
  protocol::elastic_job_host::behavior_type make_behavior();

private:
  using run_id = core::elastic::item_run_id;
  using spec_ptr = std::shared_ptr<const protocol::elastic_spec>;
  struct item_run {
    spec_ptr spec;
    std::string param;
    protocol::elastic_grant grant;
    item_control_ptr control;
    bool has_begun = false;
    /// An order asked for its end.
    bool cancelled = false;
    /// The order `go` has come.
    bool released = false;
    /// Number of its batch; 0: none.
    std::uint64_t batch = 0;
    /// Start of its body, which names its log.
    core::time_point began_at{};
  };
  /// Items of one fire that this process has at one time. It ends with the last of them.
  struct batch {
    core::elastic::fire_key fire;
    spec_ptr spec;
    std::string param;
    bool takes_over = false;
    std::set<std::int32_t> items = {};
    /// Runs that have not ended.
    std::set<run_id> open = {};
    /// The listeners before the items have returned.
    bool is_ready = false;
    /// Log of its first run, then of the last one that has ended.
    core::run_identity log = {};
  };
  using batch_map = std::map<std::uint64_t, batch>;

  void take(protocol::item_grants&& grants);
  void take(const protocol::item_order& order);
  /// Lets a run begin, or arrive at its barrier.
  void go_on(item_run& run);
  void begin(item_run& run);
  void cancel(item_run& run);
  void ended(run_id run, core::run_outcome&& outcome);
  void tell(const protocol::elastic_grant& grant, protocol::elastic_event&& event);
  void tell_kind(const protocol::elastic_grant& grant, protocol::elastic_event_kind kind, core::time_point at = {});
  [[nodiscard]] const core::result<core::elastic::item_params>& params_of(const spec_ptr& spec);
  [[nodiscard]] core::result<item_facts> facts_of(const item_run& run);
  [[nodiscard]] std::function<void(core::run_outcome&&)> on_end(run_id run) const;
  [[nodiscard]] core::run_identity log_of(run_id run, core::time_point at) const;

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
  std::map<run_id, item_run> runs_;
  batch_map batches_;
  std::uint64_t last_batch_ = 0;
  /// Items of the last batches of jobs with once-listeners, which are called after them.
  std::deque<std::pair<core::elastic::fire_key, std::set<std::int32_t>>> over_;
  /// Batches whose listeners are called before their items, by call; 0: after them.
  std::map<std::uint64_t, std::uint64_t> calls_;
  std::uint64_t last_call_ = 0;
  /// Parameters of the items in the definition that was used last.
  spec_ptr parsed_;
  core::result<core::elastic::item_params> params_;
};

} // namespace ringmaster::executor::elastic
