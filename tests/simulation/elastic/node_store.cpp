#include "tests/simulation/elastic/node_store.hpp"

#include <utility>

#include "tests/simulation/elastic/job_world.hpp"

namespace ringmaster::simulation::elastic {

node_store::node_store(node_process& node, std::unique_ptr<storage::store> inner)
  : forwarding_store{*inner}, own_{std::move(inner)}, role_{node, own_->elastic()} {}

template <class Call>
auto node_store::role::call(std::string_view method, Call make) -> decltype(make()) {
  const fault* meets = nullptr;
  const auto fate = node_.before_call(method, &meets);
  if (fate == test::store_fault::away)
    return core::fail(core::errc::unavailable, "the store is away");
  auto answer = make();
  node_.in().checker().look();
  node_.after_call(meets);
  if (fate == test::store_fault::answer_lost || !node_.is_alive())
    return core::fail(core::errc::unavailable, "the answer was lost");
  return answer;
}

core::result<std::vector<core::elastic::slot_lease>> node_store::role::take_leases(
  const core::node_incarnation& owner, std::span<const core::elastic::lease_wish> wanted) {
  return call("take_leases", [&] { return inner_.take_leases(owner, wanted); });
}

core::result<void> node_store::role::release_leases(const core::node_incarnation& owner,
                                                    std::span<const core::elastic::slot_lease> held) {
  return call("release_leases", [&] { return inner_.release_leases(owner, held); });
}

core::result<core::elastic::host_answer> node_store::role::enter_host(const core::node_incarnation& owner,
                                                                      const std::string& cluster,
                                                                      const core::elastic::host_facts& facts) {
  return call("enter_host", [&] { return inner_.enter_host(owner, cluster, facts); });
}

core::result<std::vector<core::elastic::host_answer>> node_store::role::keep_hosts(
  const core::node_incarnation& owner, std::span<const core::elastic::keeper_claim> claims) {
  return call("keep_hosts", [&] { return inner_.keep_hosts(owner, claims); });
}

core::result<std::vector<core::elastic::host_answer>> node_store::role::judge_hosts(
  const core::node_incarnation& owner, std::span<const core::elastic::host_verdict> verdicts) {
  return call("judge_hosts", [&] {
    if (!node_.in().rule_off().any_keeper)
      return inner_.judge_hosts(owner, verdicts);
    std::vector<core::elastic::host_verdict> changed{verdicts.begin(), verdicts.end()};
    for (auto& each : changed)
      each.seen = node_.in().mutate().make_keeper(each.host.host, owner);
    return inner_.judge_hosts(owner, changed);
  });
}

core::result<std::vector<core::elastic::host_row>> node_store::role::hosts_since(std::int64_t change_no, std::size_t limit) {
  return call("hosts_since", [&] { return inner_.hosts_since(change_no, limit); });
}

core::result<std::vector<core::elastic::elastic_answer>> node_store::role::write(const core::elastic::elastic_batch& batch,
                                                                                 core::time_point now) {
  return call("write", [&] {
    auto changed = batch;
    node_.in().mutate().before_write(changed);
    node_.in().checker().writing(now);
    auto answers = inner_.write(changed, now);
    node_.in().mutate().after_write();
    return answers;
  });
}

core::result<std::vector<core::elastic::adopted_job>> node_store::role::adopt(const core::node_incarnation& owner,
                                                                              std::span<const core::elastic::slot_lease> held,
                                                                              core::elastic::elastic_job_id after,
                                                                              std::size_t limit) {
  return call("adopt", [&] {
    node_.in().mutate().before_adoption();
    return inner_.adopt(owner, held, after, limit);
  });
}

core::result<core::elastic::adopted_job> node_store::role::read_job(core::elastic::elastic_job_id job) {
  return call("read_job", [&] { return inner_.read_job(job); });
}

core::result<void> node_store::role::deliver(const core::node_incarnation& owner, const core::elastic::host_process& host,
                                             std::span<const core::elastic::inbox_row> results) {
  return call("deliver", [&] { return inner_.deliver(owner, host, results); });
}

} // namespace ringmaster::simulation::elastic
