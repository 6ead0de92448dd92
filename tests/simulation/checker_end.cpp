// Checks of the protocol checker at the end of a run: no work is left open.

#include <algorithm>

#include "tests/simulation/checker.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

namespace {

using test::expect;

core::time_point far_future() { return core::from_ms(253'402'300'799'000); }

} // namespace

std::vector<std::string> protocol_checker::unrest() {
  auto open = world_.also_open ? world_.also_open() : std::vector<std::string>{};
  auto& firings = world_.store->firings();
  for (const auto& job : expect(firings.load_jobs(core::slot_set{}.set(), core::job_id{0}, 1000)))
    if (job.next && *job.next < world_.today + std::chrono::hours{24})
      open.push_back("job " + text(core::number(job.spec->id)) + " is due at " + text(core::to_ms(*job.next)));
  for (const auto& intent : expect(firings.waiting_intents(far_future(), 1000)))
    if (!unwritten_.contains(core::number(intent.id)))
      open.push_back("intent " + text(core::number(intent.id)) + " of run " + text(core::number(intent.origin)) + " waits");
  std::map<std::string, std::int64_t> newest;
  for (const auto& row : expect(world_.store->cluster().nodes()))
    newest[row.id] = row.incarnation;
  for (const auto& [node, incarnation] : newest)
    for (auto life = incarnation; life > 0; --life)
      for (auto claim : expect(firings.open_claims({node, life})))
        open.push_back("claim " + text(claim) + " of incarnation " + node + '/' + text(life) + " is open");
  for (const auto& row : expect(world_.store->logs().rows_after(core::log_id{0}, 100'000))) {
    auto id = core::number(row.id);
    if (row.handle_code != 0 || failed(row.trigger_code)
        || (!awaits_lost_ && row.trigger_code == core::success_code && runs_[id].lost_by_executor))
      continue;
    open.push_back("run " + text(id) + " is at (" + text(row.trigger_code) + ", 0)");
  }
  return open;
}

bool protocol_checker::at_rest() { return unrest().empty(); }

void protocol_checker::counted(const std::string& node, std::int64_t drops) {
  counts_.dropped += static_cast<std::size_t>(drops);
  if (drops != dropped_[node])
    fail("F1", "node " + node + " counts " + text(drops) + " dropped instants, and dropped " + text(dropped_[node]));
}

void protocol_checker::judge_end() {
  std::set<std::int64_t> known;
  for (const auto& row : expect(world_.store->logs().rows_after(core::log_id{0}, 100'000))) {
    known.insert(core::number(row.id));
    check_row(row);
  }
  for (const auto& [id, run] : runs_)
    if (!known.contains(id) && run.spec && !removed_.contains(core::number(run.spec->id)))
      fail("F1", "run " + text(id) + " has no row");
}

void protocol_checker::check_row(const core::log_row& row) {
  auto id = core::number(row.id);
  const auto& run = runs_[id];
  bool terminal = row.handle_code != 0 || failed(row.trigger_code);
  if (run.executions == 0 && !terminal && (awaits_lost_ || !run.lost_by_executor))
    fail("F1", "run " + text(id) + " was neither executed nor ended with a reason");
  check_failure(row);
  if (row.handle_code == core::success_code && run.spec && !removed_.contains(core::number(run.spec->id)))
    for (auto child : core::child_ids(*run.spec))
      if (!removed_.contains(core::number(child))
          && !intent_keys_.contains({core::trigger_kind::parent, core::number(child), id, 0}))
        fail("F3", "run " + text(id) + " succeeded and did not start job " + text(core::number(child)));
}

void protocol_checker::check_failure(const core::log_row& row) {
  auto id = core::number(row.id);
  const auto& run = runs_[id];
  auto retried = std::any_of(intents_.begin(), intents_.end(), [&](const auto& one) {
    return one.second.kind == core::trigger_kind::retry && one.second.origin == row.id && !unwritten_.contains(one.first);
  });
  bool known_failure = failed(row.trigger_code) || failed(row.handle_code);
  if (known_failure && row.fail_retry_count > 0 && !retried)
    fail("F3", "run " + text(id) + " failed with retries left and has none");
  // The executor may have refused the copy that a proxy made: another process behind the address took the first one (R7).
  const bool copy_refused = run.copied && what_->replicas > 1 && failed(row.trigger_code);
  if (retried && run.succeeded && run.residual.empty() && !copy_refused)
    fail("F3", "run " + text(id) + " succeeded and is retried");
  if (retried && row.trigger_msg.find("delivery unknown") != std::string::npos)
    fail("F3", "run " + text(id) + ", whose delivery is unknown, is retried");
}

} // namespace ringmaster::simulation
