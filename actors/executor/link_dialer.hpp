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
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/link_ports.hpp"

namespace ringmaster::actors {

struct dialer_limits {
  std::chrono::milliseconds connect{3'000};
  /// From the hello to its answer. A link that is up at one end only is found out by this.
  std::chrono::milliseconds hello{2'000};
  /// Of executor_host.
  std::chrono::milliseconds answer{10'000};
  /// From results to their receipt.
  std::chrono::milliseconds receipt{15'000};
  /// Between two attempts: doubled with each failure, and up to half of it more by chance, so that many executors of a node that
  /// comes back do not come at once. Runs wait for this at a node (absent_link): it is soon.
  std::chrono::milliseconds wait_min{500};
  std::chrono::milliseconds wait_max{2'000};
  /// Of a node that is there and refuses: somebody has to change something first.
  std::chrono::milliseconds wait_refused_max{15'000};
  /// A link that was up for so long begins anew with the shortest wait. Two executors that were given one address push each other
  /// out, and shall not do it all the time.
  std::chrono::milliseconds settled{10'000};
};

/// How this executor introduces itself.
struct link_identity {
  std::string app_name;
  /// As it registers; `ringmaster://app/instance` without HTTP.
  std::string address;
  std::string token;
};

struct dialer_parts {
  /// `host:port` each.
  std::vector<std::string> nodes;
  link_identity identity;
  protocol::executor_host host;
  /// Is told of the dialer, and whenever a link is up; null: nobody has results.
  protocol::callback_actor callbacks;
  std::shared_ptr<protocol::link_ports> ports;
  dialer_limits limits = {};
  std::uint64_t random_seed = 0;
  logger log;
};

/// An executor's links to its nodes. Each node is dialled beside the others and again whenever its link is gone; a link counts
/// as up when its hello was welcomed. Results go over any of them, in batches with receipts.
class link_dialer_state {
public:
  static inline const char* name = "ringmaster.link_dialer";
  /// Batches of results without a receipt, on one link; a node has room for twice as many.
  static constexpr std::size_t unreceipted_max = 8;
  /// Batches that wait for their turn.
  static constexpr std::size_t waiting_max = 256;

  link_dialer_state(protocol::link_dialer::pointer self, dialer_parts parts);
  ~link_dialer_state();
  protocol::link_dialer::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  enum class phase : std::uint8_t { waiting, dialling, greeting, up };

  /// What somebody wants to be reported: done when all its batches are.
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
    /// Of the present try; 0: none.
    std::uint64_t attempt = 0;
    /// When the phase is over; since when it is `up`.
    steady until{};
    std::chrono::milliseconds wait{0};
    protocol::executor_gate gate;
    protocol::link_gate there;
    protocol::link_key there_key;
    std::uint64_t last_batch = 0;
    std::map<std::uint64_t, report_batch> unreceipted;
    /// Why the last attempt failed: said once.
    std::string trouble;
  };

  void dial(node& which);
  void greet(protocol::link_dialled&& dialled);
  void hear(protocol::link_heard&& heard);
  void welcome(node& which, const protocol::link_welcome& said);
  /// With its key.
  template <class Message>
  void tell(const node& which, Message&& message);
  void take(node& which, const protocol::link_receipt& receipt);
  void fail(node& which, const std::string& why, bool refused = false);
  [[nodiscard]] node* of(std::uint64_t attempt);

  caf::result<void> report(protocol::run_reports&& wanted);
  void pump();
  void settle(report_batch&& batch, bool kept);
  [[nodiscard]] bool any_up() const;
  /// A first attempt is under way: results wait for what comes of it.
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
  /// Somebody has results that no node has taken: while leaving, nodes are dialled for them alone.
  bool untaken_ = false;
  std::optional<steady> armed_;
};

} // namespace ringmaster::actors
