#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

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

/// The bodies of one elastic job in this process. Grants are admitted before, so each begins at once, or at the order `go`.
/// Invariant: each granted run has exactly one event `finished`, whatever its body does.
class elastic_job_host_state {
public:
  static inline const char* name = "ringmaster.elastic_job_host";

  elastic_job_host_state(protocol::elastic_job_host::pointer self, core::elastic::elastic_job_id job, protocol::elastic_host host,
                         job_host_tools tools);
  protocol::elastic_job_host::behavior_type make_behavior();

private:
  struct item_run {
    std::shared_ptr<const protocol::elastic_spec> spec;
    std::string param;
    protocol::elastic_grant grant;
    item_control_ptr control;
    bool has_begun = false;
    /// An order asked for its end.
    bool cancelled = false;
  };

  void take(protocol::item_grants&& grants);
  void take(const protocol::item_order& order);
  void begin(item_run& run);
  void cancel(item_run& run);
  void ended(core::elastic::item_run_id run, core::run_outcome&& outcome);
  void tell(const protocol::elastic_grant& grant, protocol::elastic_event&& event);
  [[nodiscard]] core::result<item_facts> facts_of(const item_run& run);

  protocol::elastic_job_host::pointer self_;
  core::elastic::elastic_job_id job_;
  protocol::elastic_host host_;
  job_host_tools tools_;
  std::map<core::elastic::item_run_id, item_run> runs_;
  /// Parameters of the items in the definition that was used last.
  std::shared_ptr<const protocol::elastic_spec> parsed_;
  core::result<core::elastic::item_params> params_;
};

} // namespace ringmaster::executor::elastic
