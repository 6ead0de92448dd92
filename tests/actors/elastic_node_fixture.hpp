#pragma once

// Fixture for elastic jobs on a node: a real SQLite store with two nodes, hosts over played links, a played director.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/access/principal.hpp"
#include "protocol/elastic_messages.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/forwarding_store.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::test {

namespace elastic = core::elastic;

/// The writes of nodes about elastic jobs, with faults by method. All other calls are forwarded.
class faulty_elastic : public storage::elastic_store {
public:
  explicit faulty_elastic(storage::elastic_store& inner) : inner_{inner} {}

  /// Called before each write with the method's name. Null: no faults.
  std::function<store_fault(std::string_view method)> fault_of;
  /// Calls that were made, by method.
  std::map<std::string, int, std::less<>> calls;
  /// Batches are refused, and not written.
  bool refuses = false;
  /// Batches in the order of their calls.
  std::vector<elastic::elastic_batch> batches;

  core::result<elastic::cluster_mark> mark(const std::string& id) override {
    return call("mark", [&] { return inner_.mark(id); });
  }
  core::result<std::vector<elastic::slot_lease>> take_leases(const core::node_incarnation& owner,
                                                             std::span<const elastic::lease_wish> wanted) override {
    return call("take_leases", [&] { return inner_.take_leases(owner, wanted); });
  }
  core::result<void> release_leases(const core::node_incarnation& owner, std::span<const elastic::slot_lease> held) override {
    return call("release_leases", [&] { return inner_.release_leases(owner, held); });
  }
  core::result<std::vector<elastic::lease_row>> leases() override { return inner_.leases(); }
  core::result<elastic::host_answer> enter_host(const core::node_incarnation& owner, const std::string& cluster,
                                                const elastic::host_facts& facts) override {
    return call("enter_host", [&] { return inner_.enter_host(owner, cluster, facts); });
  }
  core::result<std::vector<elastic::host_answer>> keep_hosts(const core::node_incarnation& owner,
                                                             std::span<const elastic::keeper_claim> claims) override {
    return call("keep_hosts", [&] { return inner_.keep_hosts(owner, claims); });
  }
  core::result<std::vector<elastic::host_answer>> judge_hosts(const core::node_incarnation& owner,
                                                              std::span<const elastic::host_verdict> verdicts) override {
    return call("judge_hosts", [&] { return inner_.judge_hosts(owner, verdicts); });
  }
  core::result<std::vector<elastic::host_row>> hosts_since(std::int64_t change_no, std::size_t limit) override {
    return call("hosts_since", [&] { return inner_.hosts_since(change_no, limit); });
  }
  core::result<std::vector<elastic::elastic_answer>> write(const elastic::elastic_batch& batch, core::time_point now) override {
    batches.push_back(batch);
    if (refuses)
      return core::fail(core::errc::internal, "the store refuses the batch");
    return call("write", [&] { return inner_.write(batch, now); });
  }
  core::result<std::vector<elastic::adopted_job>> adopt(const core::node_incarnation& owner,
                                                        std::span<const elastic::slot_lease> held, elastic::elastic_job_id after,
                                                        std::size_t limit) override {
    return call("adopt", [&] { return inner_.adopt(owner, held, after, limit); });
  }
  core::result<elastic::adopted_job> read_job(elastic::elastic_job_id job) override { return inner_.read_job(job); }
  core::result<std::vector<elastic::elastic_job_row>> jobs_after(elastic::elastic_job_id after, std::size_t limit) override {
    return inner_.jobs_after(after, limit);
  }
  core::result<core::page<elastic::elastic_brief>> list(const elastic::elastic_search& search,
                                                        const core::principal& by) override {
    return inner_.list(search, by);
  }
  core::result<elastic::elastic_card> show(elastic::elastic_job_id job, const core::principal& by) override {
    return inner_.show(job, by);
  }
  core::result<elastic::elastic_items> items(elastic::elastic_job_id job, elastic::item_number from, std::size_t limit,
                                             const core::principal& by) override {
    return inner_.items(job, from, limit, by);
  }
  core::result<elastic::purge_done> purge_runs(core::time_point before, const elastic::purge_place& from,
                                               std::size_t limit) override {
    return inner_.purge_runs(before, from, limit);
  }
  core::result<elastic::purge_done> purge_fires(core::time_point before, const elastic::purge_place& from,
                                                std::size_t limit) override {
    return inner_.purge_fires(before, from, limit);
  }
  core::result<elastic::elastic_history> history(const elastic::elastic_history_search& search,
                                                 const core::principal& by) override {
    return inner_.history(search, by);
  }
  core::result<std::vector<elastic::host_row>> hosts(std::optional<core::group_id> group, const core::principal& by) override {
    return inner_.hosts(group, by);
  }
  core::result<std::vector<elastic::elastic_host_load>> host_loads() override { return inner_.host_loads(); }
  core::result<std::vector<elastic::item_row>> read_items(elastic::elastic_job_id job,
                                                          std::span<const elastic::item_number> items) override {
    return inner_.read_items(job, items);
  }
  core::result<void> deliver(const core::node_incarnation& owner, const elastic::host_process& host,
                             std::span<const elastic::inbox_row> results) override {
    return call("deliver", [&] { return inner_.deliver(owner, host, results); });
  }
  core::result<std::vector<elastic::elastic_job_id>> jobs_with_results(std::size_t limit) override {
    return inner_.jobs_with_results(limit);
  }
  core::result<std::int64_t> last_revision() override {
    return call("last_revision", [&] { return inner_.last_revision(); });
  }
  core::result<std::vector<elastic::elastic_edit_note>> edits_since(std::int64_t revision, elastic::elastic_job_id after,
                                                                    std::size_t limit) override {
    return inner_.edits_since(revision, after, limit);
  }
  core::result<elastic::elastic_edit_done> put(const elastic::elastic_edit& edit, core::time_point now,
                                               const core::principal& by) override {
    return inner_.put(edit, now, by);
  }
  core::result<elastic::elastic_edit_done> remove(elastic::elastic_job_id job, std::int64_t version, core::time_point now,
                                                  const core::principal& by) override {
    return inner_.remove(job, version, now, by);
  }
  core::result<elastic::elastic_edit_done> count_again(elastic::elastic_job_id job, core::time_point now,
                                                       const core::principal& by) override {
    return inner_.count_again(job, now, by);
  }
  core::result<elastic::item_run_id> raise_run_ids(elastic::item_run_id seen, elastic::item_run_id ceiling) override {
    return inner_.raise_run_ids(seen, ceiling);
  }
  core::result<elastic::elastic_edit_done> set_status(elastic::elastic_job_id job, elastic::job_status status,
                                                      core::time_point now, const core::principal& by) override {
    return inner_.set_status(job, status, now, by);
  }
  core::result<elastic::elastic_edit_done> set_item_disabled(elastic::elastic_job_id job, elastic::item_number item,
                                                             bool disabled, core::time_point now,
                                                             const core::principal& by) override {
    return inner_.set_item_disabled(job, item, disabled, now, by);
  }
  core::result<elastic::elastic_edit_done> restart(elastic::elastic_job_id job, core::time_point now,
                                                   const core::principal& by) override {
    return inner_.restart(job, now, by);
  }
  core::result<elastic::elastic_edit_done> cancel_run(elastic::item_run_id run, core::time_point now,
                                                      const core::principal& by) override {
    return inner_.cancel_run(run, now, by);
  }
  core::result<elastic::elastic_edit_done> set_server_disabled(elastic::elastic_job_id job, const std::string& server,
                                                               bool disabled, core::time_point now,
                                                               const core::principal& by) override {
    return inner_.set_server_disabled(job, server, disabled, now, by);
  }
  core::result<elastic::host_edit_done> set_host_mode(const std::string& server, elastic::host_mode mode, core::time_point now,
                                                      const core::principal& by) override {
    return inner_.set_host_mode(server, mode, now, by);
  }
  core::result<std::vector<elastic::elastic_server>> servers(std::optional<core::group_id> group,
                                                             const core::principal& by) override {
    return inner_.servers(group, by);
  }
  core::result<elastic::elastic_dump> dump(elastic::elastic_job_id job, bool masked, const core::principal& by) override {
    return inner_.dump(job, masked, by);
  }
  core::result<elastic::elastic_edit_done> add_request(const elastic::request_row& request, core::time_point now,
                                                       const core::principal& by) override {
    return inner_.add_request(request, now, by);
  }

private:
  template <class Call>
  auto call(std::string_view method, Call make) -> decltype(make()) {
    const auto fault = fault_of ? fault_of(method) : store_fault::none;
    if (fault == store_fault::away)
      return core::fail(core::errc::unavailable, "the store is away");
    ++calls[std::string{method}];
    auto answer = make();
    if (fault == store_fault::answer_lost)
      return core::fail(core::errc::unavailable, "the answer was lost");
    if (fault == store_fault::answer_wrong)
      return core::fail(core::errc::internal, "the store refused");
    return answer;
  }

  storage::elastic_store& inner_;
};

/// Forwards to a store, with the role `elastic` of the test.
class elastic_test_store final : public forwarding_store {
public:
  explicit elastic_test_store(storage::store& inner) : forwarding_store{inner}, role{inner.elastic()} {}
  storage::elastic_store& elastic() override { return role; }
  faulty_elastic role;
};

/// World with nodes `a`, which is this one, and `b`.
struct elastic_world : virtual_time {
  storage::elastic_store& ej() { return direct->elastic(); }

  memory_database database;
  std::unique_ptr<storage::store> direct = database.open();
  core::node_incarnation me = expect(direct->cluster().enter("a", "one:1"));
  core::node_incarnation other = expect(direct->cluster().enter("b", "two:2"));
  std::unique_ptr<storage::store> opened = database.open();
  elastic_test_store store{*opened};
  query_worker_double worker{*this, store};
};

} // namespace ringmaster::test
