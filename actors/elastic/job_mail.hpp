#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "protocol/elastic_messages.hpp"

namespace ringmaster::actors {

/// Messages of one coordinator to hosts, until they leave. Those of one host keep their order; neighbours of one kind become one
/// message within the limits of the link. Owned by one actor.
class job_mail {
public:
  /// `life`: incarnation number of the node, for which the gate is checked.
  job_mail(core::elastic::elastic_job_id job, core::elastic::slot_lease lease, std::int64_t life)
    : job_{job}, lease_{lease}, life_{life} {}

  void specs(const core::elastic::host_process& to, protocol::elastic_spec spec);
  /// `version`: that of the definition.
  void grant(const core::elastic::host_process& to, std::int64_t version, const std::string& param,
             protocol::elastic_grant&& grant);
  void order(const core::elastic::host_process& to, const protocol::elastic_run_order& order);
  /// Asks for an inventory; `question` is not 0.
  void ask(const core::elastic::host_process& to, std::uint64_t question);

  /// Returns the messages and forgets them.
  [[nodiscard]] std::vector<protocol::host_send> take();

private:
  using host_key = std::pair<std::int32_t, std::int64_t>;

  [[nodiscard]] std::vector<protocol::host_message>& to(const core::elastic::host_process& host);
  [[nodiscard]] protocol::elastic_orders empty_orders(const core::elastic::host_process& to) const;

  core::elastic::elastic_job_id job_;
  core::elastic::slot_lease lease_;
  std::int64_t life_;
  std::map<host_key, std::vector<protocol::host_message>> messages_;
};

} // namespace ringmaster::actors
