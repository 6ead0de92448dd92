// Mutants that leave out the checks of the deadline and the guards of T1 to T7 one by one.

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "tests/simulation/mutant.hpp"
#include "tests/support/forwarding_alarms.hpp"
#include "tests/support/forwarding_store.hpp"

namespace ringmaster::simulation {

namespace {

using test::forwarding_store;

/// T1 does not compare the next time: a claim moves every job.
class moves_any_next final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) override {
    auto changed = batch;
    for (auto& move : changed.moves) {
      const std::vector<core::job_id> one{move.job};
      const auto jobs = inner_.firings().read_jobs(one);
      if (jobs && !jobs->empty() && jobs->front().next)
        move.expected_next = *jobs->front().next;
    }
    return forwarding_store::claim(changed, now);
  }
};

/// T1 does not check whether the planner knows the job's last edit.
class claims_edited_jobs final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) override {
    auto changed = batch;
    changed.seen_revision = std::numeric_limits<std::int64_t>::max();
    return forwarding_store::claim(changed, now);
  }
};

/// T2 does not compare the definition that a run was planned with.
class takes_any_definition final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) override {
    auto changed = batch;
    std::map<std::pair<core::intent_id, std::int32_t>, core::job_ptr> planned;
    for (auto& run : changed.runs) {
      if (!run.intent)
        continue;
      planned[{*run.intent, run.part.index}] = run.spec;
      const std::vector<core::job_id> one{run.spec->id};
      const auto jobs = inner_.firings().read_jobs(one);
      run.param = run.effective_param();
      if (jobs && !jobs->empty())
        run.spec = jobs->front().spec;
    }
    auto outcome = forwarding_store::claim(changed, now);
    if (outcome)
      for (auto& run : outcome->runs)
        if (run.plan.intent)
          run.plan.spec = planned.at({*run.plan.intent, run.plan.part.index});
    return outcome;
  }
};

/// T4 does not check whether a run has a result.
class takes_second_results final : public forwarding_store {
public:
  takes_second_results(storage::store& inner, mutant_tools& tools) : forwarding_store{inner}, tables_{*tools.tables} {}

private:
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override {
    for (const auto& callback : batch.callbacks)
      tables_.run("UPDATE xxl_job_log SET handle_code = 0 WHERE id = ?1", callback.id);
    return forwarding_store::record(batch, now);
  }

  storage::sqlite::connection& tables_;
};

/// T5 does not check whether a failure has been decided. For ten minutes the key of the retry's intent would refuse a second one;
/// here it is forgotten at once.
class decides_again final : public forwarding_store, private test::forwarding_alarms {
public:
  decides_again(storage::store& inner, mutant_tools& tools)
    : forwarding_store{inner}, forwarding_alarms{inner.alarms()}, tables_{*tools.tables} {}
  storage::alarm_store& alarms() override { return *this; }

private:
  core::result<core::failure_sweep> sweep(core::time_point now, bool follow_open, std::size_t limit) override {
    tables_.run("UPDATE xxl_job_log SET alarm_status = 0 WHERE trigger_code NOT IN (0, 200) OR handle_code NOT IN (0, 200)");
    tables_.run("DELETE FROM rm_intent WHERE kind = 'retry' AND state = 1");
    return forwarding_alarms::sweep(now, follow_open, limit);
  }

  storage::sqlite::connection& tables_;
};

/// T7 does not check whether a run was permitted before.
class permits_again final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<std::vector<bool>> permit_resend(const core::node_incarnation& owner,
                                                std::span<const core::resend> runs) override {
    auto granted = forwarding_store::permit_resend(owner, runs);
    if (!granted)
      return granted;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto run = runs[i].run;
      const bool first = permitted_.insert(run).second;
      if (!(*granted)[i] && !first && is_open(run))
        (*granted)[i] = true;
    }
    return granted;
  }
  [[nodiscard]] bool is_open(core::log_id id) {
    const std::vector<core::log_id> one{id};
    const auto rows = inner_.logs().rows(one);
    return rows && !rows->empty() && rows->front().trigger_code == 0 && rows->front().handle_code == 0;
  }

  std::set<core::log_id> permitted_;
};

template <class Store>
std::unique_ptr<storage::store> without_guard(storage::store& inner, [[maybe_unused]] mutant_tools& tools) {
  if constexpr (std::is_constructible_v<Store, storage::store&, mutant_tools&>)
    return std::make_unique<Store>(inner, tools);
  else
    return std::make_unique<Store>(inner);
}

} // namespace

const std::vector<mutant>& guard_mutants() {
  static const std::vector<mutant> all{
    {.rule = "gate", .gate_always_open = true},
    {.rule = "linkgate", .link_gate_always_open = true, .breaks = "F6"},
    {.rule = "nextguard", .store = without_guard<moves_any_next>},
    {.rule = "seenguard", .store = without_guard<claims_edited_jobs>},
    {.rule = "definition", .store = without_guard<takes_any_definition>},
    {.rule = "firstresult", .store = without_guard<takes_second_results>},
    {.rule = "decideonce", .store = without_guard<decides_again>},
    {.rule = "permitonce", .store = without_guard<permits_again>},
  };
  return all;
}

} // namespace ringmaster::simulation
