#pragma once

// Rules of a host of elastic jobs: the process that runs items (elastic design §3). Pure: moments are arguments, and what has to
// be done is a value.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/time.hpp"
#include "executor/elastic/boot_clock.hpp"
#include "executor/elastic/event_box.hpp"
#include "executor/elastic/keeper_book.hpp"
#include "executor/elastic/run_book.hpp"
#include "protocol/elastic_link_messages.hpp"
#include "protocol/elastic_messages.hpp"

namespace ringmaster::executor::elastic {

/// One moment on two clocks.
struct host_moment {
  boot_time boot{0};
  core::time_point wall{};
};

/// An order for the body of a run.
struct body_order {
  core::elastic::elastic_job_id job{};
  protocol::item_order order;
};

/// Actions for the caller, in the order of the members.
struct host_effects {
  /// Leases count from this moment; unset: unchanged.
  std::optional<boot_time> lease_from;
  /// Runs that lose their right at once.
  std::vector<core::elastic::item_run_id> fenced;
  std::vector<protocol::item_grants> grants;
  std::vector<body_order> orders;
  /// Cursors that are stored, by run and number.
  std::vector<std::pair<core::elastic::item_run_id, std::uint64_t>> saved;
  /// Runs without a lease from now on: they have ended, or were closed.
  std::vector<core::elastic::item_run_id> closed;
  std::vector<std::pair<link_number, protocol::node_message>> messages;
  /// For the log of the process.
  std::vector<std::string> warnings;
};

/// State of this process as a host: its links, its identity, its lease, its runs and their events. Not thread-safe.
class host_book {
public:
  /// Delay of a hello after one that a node could not decide about, and after one that it refused.
  static constexpr boot_time retry_soon = std::chrono::seconds{2};
  static constexpr boot_time retry_late = std::chrono::seconds{15};
  /// Pause of all hellos after another process has replaced this one. Doubled with each refusal.
  static constexpr boot_time replaced_pause = std::chrono::seconds{2};
  static constexpr boot_time replaced_pause_max = std::chrono::seconds{60};
  /// Time limit for the answer to a hello.
  static constexpr boot_time hello_limit = std::chrono::seconds{3};
  /// Shortest interval between two hellos of a link: longer than that of the node, whose measure varies.
  static constexpr boot_time hello_every = protocol::elastic_link_limits::hello_every + core::milliseconds{200};
  /// Versions of one job's definition that are kept for a link.
  static constexpr std::size_t versions_max = 2;

  /// `me`: everything but the process key, the cluster and the epochs. `draw_key`: makes the key of a process. `known`:
  /// everything but the handlers and listeners, which are those of `me`.
  host_book(protocol::elastic_hello me, std::function<std::string()> draw_key, known_parts known = {});

  /// Takes a link that is up, and introduces this process.
  void add_link(link_number link, std::string address, host_moment now);
  void end_link(link_number link, host_moment now);
  /// Take messages of a node. Those of a link that has not welcomed this process have no effect.
  void take(link_number link, const protocol::elastic_welcome& welcome, host_moment now);
  void take(link_number link, const protocol::elastic_ack& ack, host_moment now);
  void take(link_number link, const protocol::elastic_specs& batch, host_moment now);
  void take(link_number link, const protocol::elastic_grants& grants, host_moment now);
  void take(link_number link, const protocol::elastic_orders& orders, host_moment now);
  void take(link_number link, const protocol::elastic_receipt& receipt, host_moment now);

  /// Takes an event of a job. Without a moment, it gets the current one.
  void take_event(protocol::elastic_event event, host_moment now);
  /// Takes runs whose lease is over.
  void take_lease_end(const std::vector<core::elastic::item_run_id>& runs, host_moment now);
  /// Refuses grants from now on, and asks streams to end after their current step, so that other hosts go on with them.
  void begin_drain();
  /// Orders all bodies to stop.
  void cancel_all();
  /// Sends hellos, heartbeats and events that are due. Call it every 50 ms, and after every other function.
  void pass_time(host_moment now);

  /// Returns true if no body is active and all events have a receipt.
  [[nodiscard]] bool idle() const noexcept { return runs_.idle() && events_.empty(); }
  /// Returns the actions that were decided since the last call.
  [[nodiscard]] host_effects take_effects() { return std::exchange(effects_, {}); }

  [[nodiscard]] const keeper_book& keepers() const noexcept { return keepers_; }
  [[nodiscard]] const run_book& runs() const noexcept { return runs_; }
  [[nodiscard]] std::optional<core::elastic::host_process> process() const noexcept { return host_; }

private:
  using spec_ptr = std::shared_ptr<const protocol::elastic_spec>;
  struct link_state {
    std::string address;
    /// Key in the last hello.
    std::string said_process;
    /// Moment of the last hello.
    boot_time said_at{0};
    boot_time hello_at{0};
    bool welcomed = false;
    /// Answers to this process that seem to be late ones to an earlier one.
    int late_answers = 0;
    /// By job and version.
    std::map<core::elastic::elastic_job_id, std::map<std::int64_t, spec_ptr>> specs;
    /// Reason of the last refusal; warned of once.
    std::string trouble;
  };

  void say_hello(link_number link, link_state& state, boot_time now);
  void refuse(link_state& state, std::string why, boot_time again);
  void take_refusal(link_state& state, const protocol::elastic_welcome& welcome, host_moment now);
  /// Ends all runs, and becomes a new process for the nodes.
  void begin_process(host_moment now);
  /// Pauses the hellos on all links.
  void stay_away(host_moment now);
  void end_right(core::elastic::item_run_id run, host_moment now);
  void beat(host_moment now);
  void send_events(boot_time now);
  /// Returns whether an answer is one to an earlier process.
  [[nodiscard]] bool is_late(link_state& state, const protocol::elastic_welcome& answer);
  [[nodiscard]] link_state* welcomed(link_number link);
  [[nodiscard]] std::set<link_number> links_up() const;
  template <class Message>
  void send(link_number link, Message&& message) {
    effects_.messages.emplace_back(link, protocol::node_message{std::forward<Message>(message)});
  }

  protocol::elastic_hello me_;
  std::function<std::string()> draw_key_;
  std::map<link_number, link_state> links_;
  /// Unset until a node has welcomed this process.
  std::optional<core::elastic::host_process> host_;
  /// Highest incarnation that has ended: answers to it are late.
  core::elastic::host_incarnation ended_{};
  keeper_book keepers_;
  run_book runs_;
  event_box events_;
  bool draining_ = false;
  /// Another process has the host's id: no hello until then.
  boot_time hello_from_{0};
  boot_time next_pause_ = replaced_pause;
  host_effects effects_;
};

} // namespace ringmaster::executor::elastic
