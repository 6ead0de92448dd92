#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/time.hpp"
#include "executor/elastic/elastic_job_host.hpp"
#include "executor/elastic/host_book.hpp"
#include "protocol/caf.hpp"
#include "protocol/elastic_interfaces.hpp"
#include "protocol/elastic_messages.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/logger.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::executor::elastic {

struct elastic_host_parts {
  /// Everything but the process key, the cluster and the epochs.
  protocol::elastic_hello me;
  /// Makes the key of a process: 32 hexadecimal digits.
  std::function<std::string()> draw_key;
  boot_clock boot;
  job_host_tools tools;
  protocol::logger log;
};

/// This process as a host of elastic jobs: carries out what `host_book` decides. One timer for all links and jobs.
class elastic_host_state {
public:
  static inline const char* name = "ringmaster.elastic_host";

  static constexpr std::chrono::milliseconds tick_period{50};
  /// An actor of a job ends after it had no run for so long.
  static constexpr std::chrono::seconds idle_limit{93};
  /// Time limit for bodies to end after a drain has cancelled them.
  static constexpr std::chrono::seconds stop_limit{5};

  elastic_host_state(protocol::elastic_host::pointer self, elastic_host_parts parts);
  elastic_host_state(const elastic_host_state&) = delete;
  elastic_host_state& operator=(const elastic_host_state&) = delete;
  /// Ends its jobs.
  ~elastic_host_state();
  protocol::elastic_host::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  struct job_entry {
    protocol::elastic_job_host actor;
    /// Granted runs without an event `finished`.
    std::size_t open = 0;
    /// Calls of each-node listeners.
    std::size_t calls = 0;
    steady idle_since{};
  };

  void take(protocol::link_offer&& offer);
  void take(protocol::node_said&& said);
  void take(protocol::item_event&& told);
  void take(const protocol::listener_note& note);
  caf::result<void> drain(std::chrono::milliseconds limit);
  void go_on_draining();
  void tick();
  void arm();
  /// Lets time pass in the book, and does what it has decided.
  void go_on();
  void carry_out(host_effects&& effects);
  void grant(protocol::item_grants&& grants);
  void end_idle_jobs();
  [[nodiscard]] bool calls_listeners() const;
  job_entry& job_of(core::elastic::elastic_job_id job);
  [[nodiscard]] host_moment moment() const { return {parts_.boot(), parts_.tools.wall()}; }
  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::elastic_host::pointer self_;
  elastic_host_parts parts_;
  host_book book_;
  protocol::watcher watcher_;
  std::map<link_number, protocol::node_link> links_;
  std::map<core::elastic::elastic_job_id, job_entry> jobs_;
  bool armed_ = false;
  std::optional<steady> drain_until_;
  bool cancelled_ = false;
  std::vector<caf::typed_response_promise<void>> drained_;
};

} // namespace ringmaster::executor::elastic
