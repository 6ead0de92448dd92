#pragma once

#include "storage/admin/admin_session.hpp"
#include "storage/elastic_store.hpp"

namespace ringmaster::storage {

/// Elastic jobs. `leases.cpp` and `hosts.cpp` have E0 to E3 and E15, `batch.cpp` E4 to E10, `job_reads.cpp` E13, `inbox.cpp` E14,
/// `definition_edits.cpp` E11, `operator_edits.cpp` E12 of jobs, `host_edits.cpp` the edits of hosts, `user_reads.cpp` and
/// `state_reads.cpp` the reads of users.
class elastic_role final : public elastic_store {
public:
  explicit elastic_role(admin_session& own) : own_{own} {}

  core::result<core::elastic::cluster_mark> mark(const std::string& fresh_id) override;
  core::result<std::vector<core::elastic::slot_lease>> take_leases(
    const core::node_incarnation& owner, std::span<const core::elastic::lease_wish> wanted) override;
  core::result<void> release_leases(const core::node_incarnation& owner,
                                    std::span<const core::elastic::slot_lease> held) override;
  core::result<std::vector<core::elastic::lease_row>> leases() override;
  core::result<core::elastic::host_answer> enter_host(const core::node_incarnation& owner, const std::string& cluster_id,
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
  core::result<std::vector<core::elastic::elastic_job_row>> jobs_after(core::elastic::elastic_job_id after,
                                                                       std::size_t limit) override;
  core::result<std::vector<core::elastic::item_row>> read_items(core::elastic::elastic_job_id job,
                                                                std::span<const core::elastic::item_number> items) override;
  core::result<void> deliver(const core::node_incarnation& owner, const core::elastic::host_process& host,
                             std::span<const core::elastic::inbox_row> results) override;
  core::result<std::vector<core::elastic::elastic_job_id>> jobs_with_results(std::size_t limit) override;
  core::result<core::elastic::purge_done> purge_runs(core::time_point before, const core::elastic::purge_place& from,
                                                     std::size_t limit) override;
  core::result<core::elastic::purge_done> purge_fires(core::time_point before, const core::elastic::purge_place& from,
                                                      std::size_t limit) override;
  core::result<core::page<core::elastic::elastic_brief>> list(const core::elastic::elastic_search& search,
                                                              const core::principal& by) override;
  core::result<core::elastic::elastic_card> show(core::elastic::elastic_job_id job, const core::principal& by) override;
  core::result<core::elastic::elastic_items> items(core::elastic::elastic_job_id job, core::elastic::item_number from,
                                                   std::size_t limit, const core::principal& by) override;
  core::result<core::elastic::elastic_history> history(const core::elastic::elastic_history_search& search,
                                                       const core::principal& by) override;
  core::result<std::vector<core::elastic::host_row>> hosts(std::optional<core::group_id> group,
                                                           const core::principal& by) override;
  core::result<std::vector<core::elastic::elastic_host_load>> host_loads() override;
  core::result<std::vector<core::elastic::elastic_server>> servers(std::optional<core::group_id> group,
                                                                   const core::principal& by) override;
  core::result<core::elastic::elastic_dump> dump(core::elastic::elastic_job_id job, bool masked,
                                                 const core::principal& by) override;
  core::result<std::int64_t> last_revision() override;
  core::result<std::vector<core::elastic::elastic_edit_note>> edits_since(std::int64_t revision,
                                                                          core::elastic::elastic_job_id after,
                                                                          std::size_t limit) override;
  core::result<core::elastic::elastic_edit_done> put(const core::elastic::elastic_edit& edit, core::time_point now,
                                                     const core::principal& by) override;
  core::result<core::elastic::elastic_edit_done> remove(core::elastic::elastic_job_id job, std::int64_t version,
                                                        core::time_point now, const core::principal& by) override;
  core::result<core::elastic::elastic_edit_done> count_again(core::elastic::elastic_job_id job, core::time_point now,
                                                             const core::principal& by) override;
  core::result<core::elastic::item_run_id> raise_run_ids(core::elastic::item_run_id seen,
                                                         core::elastic::item_run_id ceiling) override;
  core::result<core::elastic::elastic_edit_done> set_status(core::elastic::elastic_job_id job, core::elastic::job_status status,
                                                            core::time_point now, const core::principal& by) override;
  core::result<core::elastic::elastic_edit_done> set_item_disabled(core::elastic::elastic_job_id job,
                                                                   core::elastic::item_number item, bool disabled,
                                                                   core::time_point now, const core::principal& by) override;
  core::result<core::elastic::elastic_edit_done> restart(core::elastic::elastic_job_id job, core::time_point now,
                                                         const core::principal& by) override;
  core::result<core::elastic::elastic_edit_done> cancel_run(core::elastic::item_run_id run, core::time_point now,
                                                            const core::principal& by) override;
  core::result<core::elastic::elastic_edit_done> set_server_disabled(core::elastic::elastic_job_id job,
                                                                     const std::string& server, bool disabled,
                                                                     core::time_point now, const core::principal& by) override;
  core::result<core::elastic::elastic_edit_done> add_request(const core::elastic::request_row& request, core::time_point now,
                                                             const core::principal& by) override;
  core::result<core::elastic::host_edit_done> set_host_mode(const std::string& server, core::elastic::host_mode mode,
                                                            core::time_point now, const core::principal& by) override;

private:
  admin_session& own_;
};

} // namespace ringmaster::storage
