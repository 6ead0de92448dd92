// The checker's knowledge of incarnations and edits.

#include <algorithm>

#include "tests/simulation/checker.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

namespace {

using test::expect;

/// Maximal duration of the lease of an incarnation that is ended early.
constexpr span lease_max = 1500ms;

} // namespace

// -- incarnations ----------------------------------------------------------------------------------------------------------

bool protocol_checker::is_current(const core::node_incarnation& life) const {
  auto known = lives_.find(life.node);
  return known != lives_.end() && known->second == life.incarnation;
}

bool protocol_checker::may_still_write(const core::node_incarnation& life) const {
  return world_.gate_open(life) && !world_.clock_was_frozen(life.node);
}

bool protocol_checker::is_over(const core::node_incarnation& life) const {
  const auto over = over_.find({life.node, life.incarnation});
  return over != over_.end() && over->second <= world_.now();
}

void protocol_checker::entered(const core::node_incarnation& life) {
  auto [known, first] = lives_.try_emplace(life.node, life.incarnation);
  if (first)
    return;
  const core::node_incarnation former{life.node, known->second};
  if (may_still_write(former))
    fail("F10", "incarnation " + text(former) + " is followed by the next one before its deadline");
  end_incarnation(former);
  known->second = life.incarnation;
}

void protocol_checker::fenced(const core::node_row& seen) {
  core::node_incarnation life{seen.id, seen.incarnation};
  end_incarnation(life);
  lives_.erase(seen.id);
  ++counts_.fences;
  if (may_still_write(life))
    fail("F10", "incarnation " + text(life) + " is fenced before its deadline");
}

void protocol_checker::left(const core::node_incarnation& life) {
  if (is_current(life)) {
    end_incarnation(life);
    lives_.erase(life.node);
  }
}

// A switch waits for no deadline. The incarnation writes until its own deadline, and until then no node may send its runs again.
void protocol_checker::ended_by_switch(const core::node_incarnation& life) {
  lives_.erase(life.node);
  if (may_still_write(life)) {
    cut_short_.insert({life.node, life.incarnation});
    over_.try_emplace({life.node, life.incarnation}, world_.now() + lease_max);
  } else {
    end_incarnation(life);
  }
}

// -- edits -----------------------------------------------------------------------------------------------------------------

void protocol_checker::edited(std::int64_t revision, const std::vector<core::job_id>& jobs) {
  ++counts_.edits;
  for (auto job : jobs)
    of_revision_[revision][core::number(job)] = ++editions_[core::number(job)];
  read_schedule();
}

void protocol_checker::edited_one(core::job_id job) {
  ++counts_.edits;
  ++editions_[core::number(job)];
  read_schedule();
}

void protocol_checker::switched() {
  by_hand_.clear();
  read_schedule();
}

void protocol_checker::read_schedule() {
  next_.clear();
  jobs_.clear();
  for (auto& job : expect(world_.store->firings().load_jobs(core::slot_set{}.set(), core::job_id{0}, 1000))) {
    auto id = core::number(job.spec->id);
    if (job.next)
      next_[id] = *job.next;
    jobs_[id] = std::move(job);
  }
}

void protocol_checker::acknowledged(std::int64_t revision) {
  ++counts_.acknowledged;
  for (auto [job, edition] : of_revision_[revision])
    answered_[job] = std::max(answered_[job], edition);
}

// The edit is the one after those, or a later one; or there was nothing to change.
void protocol_checker::acknowledged_one(core::job_id job, int edits_before) {
  ++counts_.acknowledged;
  auto& answered = answered_[core::number(job)];
  answered = std::max(answered, std::min(edits_before + 1, edition(job)));
}

void protocol_checker::asked(const core::manual_trigger& wanted, const core::intent& made) {
  if (asked_.emplace(core::number(made.id), wanted).second) {
    ++counts_.asked;
    intents_[core::number(made.id)] = made;
    made_at_[core::number(made.id)] = world_.now();
  }
}

void protocol_checker::restored(const protocol_checker& copy) {
  auto found = std::move(violations_);
  const auto counts = counts_;
  std::set<std::int64_t> forgotten;
  for (const auto& [id, run] : runs_)
    if (run.forgotten)
      forgotten.insert(id);
  *this = copy;
  violations_ = std::move(found);
  counts_ = counts;
  lives_.clear();
  // Runs that executors lost after the copy was made stay lost.
  std::erase_if(forgotten, [this](std::int64_t id) { return !runs_.contains(id); });
  files_lost(forgotten);
  // Their results came to the database that was replaced.
  for (auto& [id, run] : runs_)
    run.lost_by_executor = run.lost_by_executor || run.handle_code == 0;
}

} // namespace ringmaster::simulation
