#pragma once

// A store that forwards every call to another one, which it does not own: the base of stores that watch or change a few calls.

#include <span>
#include <string>
#include <vector>

#include "storage/store.hpp"

namespace ringmaster::test {

/// Shares its thread rule: one call at a time.
class forwarding_store : public storage::store,
                         protected storage::firing_store,
                         protected storage::cluster_store,
                         protected storage::registry_store,
                         protected storage::deploy_store,
                         protected storage::log_store {
public:
  explicit forwarding_store(storage::store& inner) : inner_{inner} {}

  storage::firing_store& firings() override { return *this; }
  storage::cluster_store& cluster() override { return *this; }
  storage::registry_store& registry() override { return *this; }
  storage::deploy_store& deploys() override { return *this; }
  storage::log_store& logs() override { return *this; }
  storage::job_store& jobs() override { return inner_.jobs(); }
  storage::job_editor& job_editing() override { return inner_.job_editing(); }
  storage::group_editor& group_editing() override { return inner_.group_editing(); }
  storage::alarm_store& alarms() override { return inner_.alarms(); }
  storage::maintenance_store& maintenance() override { return inner_.maintenance(); }
  storage::mirror_store& mirror() override { return inner_.mirror(); }
  storage::run_reader& run_reading() override { return inner_.run_reading(); }
  storage::user_store& users() override { return inner_.users(); }
  storage::session_store& sessions() override { return inner_.sessions(); }
  storage::api_key_store& api_keys() override { return inner_.api_keys(); }
  storage::audit_store& audits() override { return inner_.audits(); }
  storage::export_store& exports() override { return inner_.exports(); }
  storage::kept_log_store& kept_logs() override { return inner_.kept_logs(); }
  storage::search_store& searches() override { return inner_.searches(); }
  storage::elastic_store& elastic() override { return inner_.elastic(); }
  core::result<void> ping() override { return inner_.ping(); }

protected:
  // -- firing_store
  core::result<std::vector<core::scheduled_job>> load_jobs(const core::slot_set& slots, core::job_id after,
                                                           std::size_t limit) override {
    return inner_.firings().load_jobs(slots, after, limit);
  }
  core::result<std::int64_t> last_revision() override { return inner_.firings().last_revision(); }
  core::result<std::vector<core::scheduled_job>> edits_since(std::int64_t revision, std::size_t limit,
                                                             core::job_id after_job) override {
    return inner_.firings().edits_since(revision, limit, after_job);
  }
  core::result<std::vector<core::scheduled_job>> read_jobs(std::span<const core::job_id> jobs) override {
    return inner_.firings().read_jobs(jobs);
  }
  core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) override {
    return inner_.firings().claim(batch, now);
  }
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override {
    return inner_.firings().record(batch, now);
  }
  core::result<std::vector<std::int64_t>> open_claims(const core::node_incarnation& owner) override {
    return inner_.firings().open_claims(owner);
  }
  core::result<std::vector<core::adopted_run>> adopt(const core::node_incarnation& owner, std::int64_t sequence,
                                                     std::size_t limit) override {
    return inner_.firings().adopt(owner, sequence, limit);
  }
  core::result<std::vector<bool>> permit_resend(const core::node_incarnation& owner,
                                                std::span<const core::resend> runs) override {
    return inner_.firings().permit_resend(owner, runs);
  }
  core::result<std::vector<core::intent>> waiting_intents(const core::intent_search& search) override {
    return inner_.firings().waiting_intents(search);
  }
  core::result<core::sweep_outcome> fail_abandoned(core::time_point before, std::size_t limit) override {
    return inner_.firings().fail_abandoned(before, limit);
  }

  // -- cluster_store
  core::result<core::node_incarnation> enter(const std::string& node, const std::string& address,
                                      const core::entry_terms& entry) override {
    return inner_.cluster().enter(node, address, entry);
  }
  core::result<void> beat(const core::node_incarnation& life, std::int64_t number, core::time_point wall) override {
    return inner_.cluster().beat(life, number, wall);
  }
  core::result<std::vector<core::node_row>> nodes() override { return inner_.cluster().nodes(); }
  core::result<core::cluster_view> view() override { return inner_.cluster().view(); }
  core::result<core::pending_work> find_work(const core::node_incarnation& own) override {
    return inner_.cluster().find_work(own);
  }
  core::result<core::log_id> next_run_id() override { return inner_.cluster().next_run_id(); }
  core::result<core::log_id> raise_run_ids(core::log_id highest) override { return inner_.cluster().raise_run_ids(highest); }
  core::result<bool> fence(const core::node_row& seen) override { return inner_.cluster().fence(seen); }
  core::result<void> serve(const core::node_incarnation& life, bool serves) override {
    return inner_.cluster().serve(life, serves);
  }
  core::result<void> leave(const core::node_incarnation& life) override { return inner_.cluster().leave(life); }

  // -- registry_store
  core::result<core::registry_state> read() override { return inner_.registry().read(); }
  core::result<void> write(const core::registry_batch& batch, core::time_point now) override {
    return inner_.registry().write(batch, now);
  }

  // -- deploy_store
  core::result<core::deploy_report> apply(const core::declared_set& declared, bool dry_run, bool prune,
                                          core::time_point now, const core::principal& by) override {
    return inner_.deploys().apply(declared, dry_run, prune, now, by);
  }

  // -- log_store
  core::result<std::vector<core::log_row>> rows_after(core::log_id after_row, std::size_t limit) override {
    return inner_.logs().rows_after(after_row, limit);
  }
  core::result<std::vector<core::log_row>> rows(std::span<const core::log_id> ids) override { return inner_.logs().rows(ids); }
  core::result<std::vector<std::pair<core::log_id, core::group_id>>> without_result(
    std::span<const core::log_id> ids) override {
    return inner_.logs().without_result(ids);
  }

  storage::store& inner_;
};

} // namespace ringmaster::test
