#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "actors/logger.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/link_ports.hpp"

namespace ringmaster::actors {

struct dialer_limits {
  std::chrono::milliseconds connect{3'000};
  /// From the hello to its answer. Detects a link that is up at one end only.
  std::chrono::milliseconds hello{2'000};
  /// For a reply of executor_host.
  std::chrono::milliseconds answer{10'000};
  /// From results to their receipt.
  std::chrono::milliseconds receipt{15'000};
  /// Delay between two attempts. Doubled with each failure, plus up to half of it at random, so that the executors of a restarted
  /// node do not reconnect all at once. It is short because runs wait for it at a node (absent_link).
  std::chrono::milliseconds wait_min{500};
  std::chrono::milliseconds wait_max{2'000};
  /// For a node that refuses the link: an operator has to change something first.
  std::chrono::milliseconds wait_refused_max{15'000};
  /// A link that was up this long starts again with the shortest delay. A node that ends each link soon is dialled less often.
  std::chrono::milliseconds settled{10'000};
};

/// The data with which this executor introduces itself.
struct link_identity {
  std::string app_name;
  /// The registered address; `ringmaster://app/instance` without HTTP.
  std::string address;
  std::string token;
};

struct dialer_parts {
  /// Addresses, `host:port`.
  std::vector<std::string> nodes;
  link_identity identity;
  protocol::executor_host host;
  /// Receives the handle of the dialer, and a message whenever a link is up; null: the process has no results.
  protocol::callback_actor callbacks;
  std::shared_ptr<protocol::link_ports> ports;
  dialer_limits limits = {};
  std::uint64_t random_seed = 0;
  logger log;
  /// Is offered each link whose node speaks `elastic_link_version`; null: this process runs no items of elastic jobs.
  protocol::elastic_host elastic = {};
};

/// An executor's links to its nodes. Nodes are dialled independently, and again after a link ended. A link counts as up when its
/// hello was welcomed. Results go over any link, in batches with receipts.
class link_dialer_state {
public:
  static inline const char* name = "ringmaster.link_dialer";
  /// Batches of results without a receipt, per link; a node accepts twice as many.
  static constexpr std::size_t unreceipted_max = 8;
  /// Batches waiting for a link.
  static constexpr std::size_t waiting_max = 256;

  link_dialer_state(protocol::link_dialer::pointer self, dialer_parts parts);
  ~link_dialer_state();
  protocol::link_dialer::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  enum class phase : std::uint8_t { waiting, dialling, greeting, up };

  /// A request to report results: done when all its batches are confirmed.
  struct report_order {
    caf::typed_response_promise<void> promise;
    std::size_t open = 0;
  };
  using order_ptr = std::shared_ptr<report_order>;
  struct report_batch {
    order_ptr order;
    std::vector<core::run_report> reports;
    steady until{};
  };
  struct node {
    std::string address;
    phase now = phase::waiting;
    /// Number of the current attempt; 0: none.
    std::uint64_t attempt = 0;
    /// End of the current phase; for `up`: its beginning.
    steady until{};
    std::chrono::milliseconds wait{0};
    protocol::executor_link_end gate;
    protocol::link_gate there;
    protocol::link_key there_key;
    std::uint64_t last_batch = 0;
    std::map<std::uint64_t, report_batch> unreceipted;
    /// Version of the link that the next hello offers.
    std::uint32_t version = protocol::link_version;
    /// elastic_host knows the link of this attempt.
    bool offered = false;
    /// Reason of the last failed attempt; logged once.
    std::string trouble;
  };

  void dial(node& which);
  void greet(protocol::link_dialled&& dialled);
  void hear(protocol::link_heard&& heard);
  void welcome(node& which, const protocol::link_welcome& said);
  /// Sends a message with the link's key.
  template <class Message>
  void tell(const node& which, Message&& message);
  void take(node& which, const protocol::link_receipt& receipt);
  void take(node& which, const protocol::link_refusal& refusal);
  void fail(node& which, const std::string& why, bool refused = false);
  /// Ends the current attempt.
  void close(node& which);
  /// Tells elastic_host of a link, or of its end.
  void offer_to_elastic(node& which, bool up);
  [[nodiscard]] node* of(std::uint64_t attempt);

  caf::result<void> report(protocol::run_reports&& wanted);
  void pump();
  void settle(report_batch&& batch, bool kept);
  [[nodiscard]] bool any_up() const;
  /// Returns whether a first attempt is in progress: results wait for its outcome.
  [[nodiscard]] bool begins() const;
  [[nodiscard]] bool may_dial() const noexcept { return !leaving_ || untaken_; }

  void offer_links();
  void say_goodbye();
  void tick();
  void arm();

  protocol::link_dialer::pointer self_;
  dialer_parts parts_;
  std::mt19937_64 random_;
  protocol::watcher watcher_;
  std::vector<node> nodes_;
  std::uint64_t last_attempt_ = 0;
  std::deque<report_batch> waiting_;
  std::size_t turn_ = 0;
  bool leaving_ = false;
  /// There are results that no node has taken: while leaving, nodes are dialled only for them.
  bool untaken_ = false;
  std::optional<steady> armed_;
};

} // namespace ringmaster::actors
