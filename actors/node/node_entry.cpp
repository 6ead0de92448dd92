// node_actor: entry into the cluster with a new incarnation (firing protocol §9).

#include <optional>
#include <utility>

#include "actors/node/node_actor.hpp"
#include "actors/store/store_access.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::actors {

void node_actor_state::enter() {
  entry_.begin();
  if (clock_.is_judged())
    ask_clocks();
  else
    find_former();
}

void node_actor_state::find_former() {
  ask_store<std::vector<core::node_row>>(
    self_, links_.store, [](storage::store& store) { return store.cluster().nodes(); },
    [this](core::result<std::vector<core::node_row>>&& rows) { found(std::move(rows)); }, enter_patience,
    protocol::store_turn::first);
}

// No incarnation is ended before its deadline: if it may belong to another process, this node waits.
void node_actor_state::found(core::result<std::vector<core::node_row>>&& rows) {
  if (!rows || stop_.has_begun())
    return entered(0, tl::unexpected<core::error>{rows ? core::error{core::errc::unavailable, "stopping"} : rows.error()});
  core::node_row former;
  bool others_serve = false;
  for (auto& row : *rows)
    if (row.id == identity_.id)
      former = std::move(row);
    else
      others_serve = others_serve || (row.state == core::node_state::up && row.serves);
  const auto verdict = former_.judge(former, incarnation_.number(), clock_.boot());
  if (verdict == former_incarnation::verdict::goes_on)
    return stand_by(former);
  enter_after(std::move(former), verdict == former_incarnation::verdict::silent, service_.enters_serving(others_serve));
}

void node_actor_state::stand_by(const core::node_row& other) {
  entry_.end();
  store_trouble_.note_success();
  if (entry_.stand_by(self_->clock().now() + settings_.beat / 2))
    log_->warn("node={} is up already: incarnation {} at {} may be another process with this id; waiting until it sends no"
               " heartbeat for {} ms",
               identity_.id, other.incarnation, other.address, settings_.dead_after.count());
}

void node_actor_state::enter_after(core::node_row&& former, bool fence_first, bool serves) {
  const auto sent = clock_.boot();
  ask_store<node_entry>(
    self_, links_.store,
    [asked = entry_request{identity_, settings_.mode, std::move(former), fence_first, serves,
                           clock_.shown(self_->clock().now())}](storage::store& store) { return enter_store(store, asked); },
    [this, sent](core::result<node_entry>&& entry) { entered(sent, std::move(entry)); }, enter_patience,
    protocol::store_turn::first);
}

// Checks the mode again after the entry: a switch in between has ended this incarnation.
core::result<node_actor_state::node_entry> node_actor_state::enter_store(storage::store& store, entry_request asked) {
  const auto& identity = asked.identity;
  auto& former = asked.former;
  if (auto mode = storage::agreed_mode(store, asked.mode); !mode)
    return tl::unexpected<core::error>{mode.error()};
  if (asked.fence_first) {
    auto fenced = store.cluster().fence(former);
    if (!fenced)
      return tl::unexpected<core::error>{fenced.error()};
    if (!*fenced)
      return core::fail(core::errc::conflict, "the node's earlier incarnation is still running");
    ++former.incarnation;
    former.state = core::node_state::fenced;
  }
  const auto known = identity.marks ? identity.marks->marks().incarnation : 0;
  auto incarnation = store.cluster().enter(identity.id, identity.address,
                                           {identity.process, std::move(former), known, asked.serves});
  if (!incarnation)
    return tl::unexpected<core::error>{incarnation.error()};
  const auto ids = raise_ids(identity.marks, asked.now,
                             [&](const core::kept_marks& marks) { return store.cluster().raise_run_ids(marks.ceiling); });
  if (!ids)
    return tl::unexpected<core::error>{ids.error()};
  // Before anything may fail: a second entry would not find the set-back any more.
  if (identity.marks)
    identity.marks->note_incarnation(incarnation->incarnation, ids->back);
  auto elastic_ids = raise_ids(identity.elastic_marks, asked.now, [&](const core::kept_marks& marks) {
    return store.elastic().raise_run_ids(core::elastic::item_run_id{core::number(marks.seen)},
                                         core::elastic::item_run_id{core::number(marks.ceiling)});
  });
  if (!elastic_ids && in_doubt(elastic_ids.error().code))
    return tl::unexpected<core::error>{elastic_ids.error()};
  // For example exhausted ids: other jobs do not wait for them.
  std::string elastic_trouble = elastic_ids ? std::string{} : std::move(elastic_ids.error().context);
  if (!elastic_ids)
    elastic_ids = raised_ids{};
  else if (identity.elastic_marks)
    identity.elastic_marks->note_incarnation(incarnation->incarnation, elastic_ids->back);
  auto mode = storage::agreed_mode(store, asked.mode);
  if (!mode)
    return tl::unexpected<core::error>{mode.error()};
  return node_entry{std::move(*incarnation), *mode, ids->verdict, elastic_ids->verdict, std::move(elastic_trouble), asked.serves};
}

// Runs before any claim of the new incarnation. A node that has seen no run yet has nothing to compare.
template <class Raise>
core::result<node_actor_state::raised_ids> node_actor_state::raise_ids(const std::shared_ptr<marks_keeper>& keeper,
                                                                       core::time_point now, Raise raise) {
  const auto marks = keeper ? keeper->marks() : core::kept_marks{};
  if (core::number(marks.ceiling) == 0)
    return raised_ids{};
  const auto raised = raise(marks);
  if (!raised)
    return tl::unexpected<core::error>{raised.error()};
  const core::log_id next{core::number(*raised)};
  raised_ids out{core::judge_next_id(marks, next), std::nullopt};
  if (out.verdict == core::id_verdict::older)
    out.back = core::set_back{now, next, marks.ceiling};
  return out;
}

// `of`: what the ids are, after "run ids".
void node_actor_state::tell_of_ids(core::id_verdict ids, const std::shared_ptr<marks_keeper>& keeper, std::string_view of) {
  if (ids == core::id_verdict::fine)
    return;
  const auto ceiling = core::number(keeper->marks().ceiling);
  if (ids == core::id_verdict::unsure)
    return log_->info("node={} ended without noting its last runs: new run ids{} start above {}", identity_.id, of, ceiling);
  metrics_.went_back->inc();
  log_->warn("node={} the database is older than it was: it would give run ids{} a second time (was it restored, or did it fail "
             "over to a replica?); new run ids{} start above {}", identity_.id, of, of, ceiling);
}

void node_actor_state::enter_later(const core::error& why) {
  store_trouble_.note_failure(why);
  entry_.back_off(self_->clock().now());
}

void node_actor_state::entered(std::int64_t sent, core::result<node_entry>&& entry) {
  entry_.end();
  if (stop_.has_begun()) {
    leave(entry ? std::optional{std::move(entry->incarnation)} : std::nullopt);
    return;
  }
  if (entry && !lease_.confirm(entry->incarnation.incarnation, sent, clock_.boot()))
    entry = core::fail(core::errc::timeout, "entering the cluster took longer than a lease");
  if (!entry)
    return enter_later(entry.error());
  store_trouble_.note_success();
  entry_.end_stand_by();
  if (!clock_.trusted())
    return decline(entry->incarnation);
  begin_incarnation(std::move(*entry));
}

void node_actor_state::begin_incarnation(node_entry&& entry) {
  tell_of_ids(entry.ids, identity_.marks, "");
  tell_of_ids(entry.elastic_ids, identity_.elastic_marks, " of elastic jobs");
  if (!entry.elastic_trouble.empty())
    log_->error("node={} cannot check the run ids of elastic jobs: {}", identity_.id, entry.elastic_trouble);
  entry_.succeed();
  const auto now = self_->clock().now();
  incarnation_.begin(std::move(entry.incarnation), entry.mode, now);
  service_.enter(entry.serves);
  beats_.begin(now);
  metrics_.incarnations->inc();
  log_->info("node={} begins incarnation {} in {} mode", identity_.id, incarnation_.number(),
             core::stored_name(incarnation_.mode()));
  tell_listeners();
  renew();
}

} // namespace ringmaster::actors
