#pragma once

// The store of one node process: each call about elastic jobs may fail as planned, and the checker sees each commit.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/actors/elastic_node_fixture.hpp"
#include "tests/simulation/elastic/sim_node.hpp"
#include "tests/support/forwarding_store.hpp"

namespace ringmaster::simulation::elastic {

class node_store final : public test::forwarding_store {
public:
  node_store(node_process& node, std::unique_ptr<storage::store> inner);
  storage::elastic_store& elastic() override { return role_; }

private:
  class role final : public test::faulty_elastic {
  public:
    role(node_process& node, storage::elastic_store& inner) : faulty_elastic{inner}, node_{node}, inner_{inner} {}

    core::result<std::vector<core::elastic::slot_lease>> take_leases(const core::node_incarnation& owner,
                                                                     std::span<const core::elastic::lease_wish> wanted) override;
    core::result<void> release_leases(const core::node_incarnation& owner,
                                      std::span<const core::elastic::slot_lease> held) override;
    core::result<core::elastic::host_answer> enter_host(const core::node_incarnation& owner, const std::string& cluster,
                                                        const core::elastic::host_facts& facts) override;
    core::result<std::vector<core::elastic::host_answer>> keep_hosts(
      const core::node_incarnation& owner, std::span<const core::elastic::keeper_claim> claims) override;
    core::result<std::vector<core::elastic::host_answer>> judge_hosts(
      const core::node_incarnation& owner, std::span<const core::elastic::host_verdict> verdicts) override;
    core::result<std::vector<core::elastic::host_row>> hosts_since(std::int64_t change_no, std::size_t limit) override;
    core::result<std::vector<core::elastic::elastic_answer>> write(const core::elastic::elastic_batch& batch,
                                                                   core::time_point now) override;
    core::result<std::vector<core::elastic::adopted_job>> adopt(const core::node_incarnation& owner,
                                                                std::span<const core::elastic::slot_lease> held,
                                                                core::elastic::elastic_job_id after, std::size_t limit) override;
    core::result<core::elastic::adopted_job> read_job(core::elastic::elastic_job_id job) override;
    core::result<void> deliver(const core::node_incarnation& owner, const core::elastic::host_process& host,
                               std::span<const core::elastic::inbox_row> results) override;

  private:
    template <class Call>
    auto call(std::string_view method, Call make) -> decltype(make());

    node_process& node_;
    storage::elastic_store& inner_;
  };

  std::unique_ptr<storage::store> own_;
  role role_;
};

} // namespace ringmaster::simulation::elastic
