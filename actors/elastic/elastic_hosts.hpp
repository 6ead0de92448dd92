#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/elastic/elastic_metrics.hpp"
#include "actors/elastic/event_receipts.hpp"
#include "actors/elastic/host_table.hpp"
#include "actors/elastic/process_watch.hpp"
#include "actors/logger.hpp"
#include "actors/store/store_access.hpp"
#include "actors/store/store_back_off.hpp"
#include "core/limits/log_rate_limiter.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"
#include "storage/elastic_store.hpp"

namespace ringmaster::actors {

struct elastic_hosts_parts {
  /// Name of this node.
  std::string node;
  /// On SQLite the worker that storage_actor also uses.
  protocol::store_worker worker;
  /// Receives the view, notices, events and inventories.
  protocol::elastic_director director;
  /// Never null.
  std::shared_ptr<process_watch> processes;
  /// Draws an id of 32 hexadecimal digits, for a database without one.
  std::function<std::string()> draw_id;
  protocol::wall_clock clock;
  logger log;
};

/// Actor for the hosts that are linked to this node: admission (E1), heartbeats, the keeper (E2), verdicts (E3), receipts of
/// events. A heartbeat is acknowledged from memory; the link checks the node's gate when it writes the acknowledgement. The rules
/// are in `host_table`; this actor asks the store and passes messages on.
class elastic_hosts_state {
public:
  static inline const char* name = "ringmaster.elastic_hosts";

  static constexpr std::chrono::milliseconds period{50};
  /// Interval after the loss of a link: a proof of the end of its process may come at any moment.
  static constexpr std::chrono::milliseconds short_period{10};
  /// Interval of reads of rows that other nodes have changed, while there are other nodes. With the time of a read it must stay
  /// below `host_times::reading_valid`.
  static constexpr std::chrono::milliseconds read_every{100};
  /// Interval in which it looks for other nodes.
  static constexpr std::chrono::milliseconds nodes_every{1'000};
  /// Pause after a refusal of the store that a repetition does not change.
  static constexpr std::chrono::milliseconds pause_after_refusal{1'000};
  /// Time for hosts to find another keeper when this node leaves. Some have no link to another node.
  static constexpr std::chrono::milliseconds leave_limit{1'000};
  /// Time after the end of a host process for which the ends of its programs are awaited; then the leases of their runs decide.
  static constexpr std::chrono::minutes programs_limit{2};
  /// Hosts that enter in one task of the worker, each in a transaction of its own.
  static constexpr std::size_t entries_max = 16;

  elastic_hosts_state(protocol::elastic_hosts::pointer self, elastic_hosts_parts parts);
  protocol::elastic_hosts::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;

  /// A host that waits for its admission.
  struct entry {
    std::uint64_t link_number = 0;
    protocol::host_introduction introduction;
  };
  using entries = std::vector<entry>;
  using entry_answers = std::vector<core::result<core::elastic::host_answer>>;
  /// State of the store at the begin of an incarnation of this node.
  struct start {
    core::elastic::cluster_mark mark;
    std::vector<core::elastic::host_row> hosts;
  };
  /// Rows of other nodes, and of hosts that they have changed.
  struct reading {
    std::optional<std::vector<core::node_row>> nodes;
    std::vector<core::elastic::host_row> hosts;
  };
  /// Work that the store has; one of each kind at a time.
  struct tasks_under_way {
    bool start = false;
    bool entry = false;
    bool claim = false;
    bool verdict = false;
    bool reading = false;
  };

  // Links.
  void hear(protocol::host_said&& message);
  void hear(std::uint64_t link, steady, protocol::host_introduction&& introduction);
  void hear(std::uint64_t link, steady, const protocol::host_rights& rights);
  void hear(std::uint64_t link, steady heard_at, const protocol::elastic_heartbeat& beat);
  void hear(std::uint64_t link, steady, protocol::elastic_events&& batch);
  void hear(std::uint64_t link, steady, protocol::elastic_inventory&& part);
  void lose_link(const protocol::host_link_lost& lost);
  void tell(std::uint64_t link, protocol::host_message&& message);
  void pass_on(protocol::host_send&& message);
  void take_outcomes(const protocol::host_events_done& done);

  // Admission.
  /// `process`: the refused process, if it is known: the host may be another one by the time that it hears of it.
  void refuse(std::uint64_t link, protocol::elastic_verdict verdict, std::string reason,
              const core::elastic::host_process& process = {});
  /// Refuses a process that a newer one with the same id has replaced.
  void refuse_replaced(std::uint64_t link, const core::elastic::host_facts& older,
                       const core::elastic::host_process& process = {});
  /// Returns the entries that the store decides on, and answers the others.
  [[nodiscard]] entries next_entries();
  void enter_hosts();
  void entered(const entries& asked, entry_answers&& answers);
  void entered(const entry& asked, core::result<core::elastic::host_answer>&& answer);
  void let_in(const entry& asked, const core::elastic::host_row& row);

  // The store.
  void change_incarnation(const protocol::incarnation_change& change);
  /// Asks the store under the present incarnation. `task` is reset when it has answered; after a failure `then` gets it, and the
  /// next task waits. An answer after the incarnation has no effect.
  template <class T, class UseCase, class Then>
  void ask(bool tasks_under_way::* task, const char* what, UseCase use_case, Then then);
  void begin();
  void begun(core::result<start>&& found);
  void claim();
  void judge();
  void read();
  void take_changes(core::result<std::vector<core::elastic::host_row>>&& rows);
  /// Gives the store what is due.
  void work();

  // Time.
  caf::result<void> leave();
  /// Answers the requests to leave once all hosts have another keeper, or the time for that is over.
  void end_leave();
  void look_for_ends();
  void prove_end(const core::elastic::host_process& process);
  void tell_news();
  /// Takes reports of programs, whose end a proof of the end of their host has to include.
  void watch_programs(const core::elastic::host_process& process, const std::vector<protocol::elastic_event>& events);
  /// Tells the ends of programs that outlived the news of the end of their host.
  void tell_ended_programs();
  void tick();
  void arm();
  void arm_for_proof();
  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::elastic_hosts::pointer self_;
  elastic_hosts_parts parts_;
  elastic_metrics metrics_;
  host_table table_;
  event_receipts receipts_;
  /// By number.
  std::unordered_map<std::uint64_t, protocol::host_link> links_;
  /// Links whose host has said goodbye; it stays true after another hello.
  std::set<std::uint64_t> goodbyes_;
  /// Bounded by the links.
  std::deque<entry> entries_;
  /// Entries that the store has; null: none.
  std::shared_ptr<const entries> entering_;
  std::optional<core::node_incarnation> life_;
  /// Processes that have ended with programs that have not, until the end of the wait for them.
  std::vector<std::pair<core::elastic::host_process, steady>> with_programs_;
  /// Unset until the store has answered under this incarnation: no host is admitted before.
  std::optional<std::string> cluster_;
  /// Last change of a host that was read.
  std::int64_t change_no_ = 0;
  tasks_under_way tasks_;
  /// Requests to leave without an answer.
  std::vector<caf::typed_response_promise<void>> leaves_;
  steady leave_until_{};
  store_back_off back_off_;
  steady not_before_{};
  core::log_rate_limiter refusals_;
  core::log_rate_limiter replacements_;
  steady next_read_{};
  steady next_nodes_{};
  steady next_tick_{};
  /// Moment of a tick in addition to the regular ones.
  steady extra_tick_{};
};

} // namespace ringmaster::actors
