// Features of random histories in addition to crashes, pauses and lost answers (features.hpp).

#include <algorithm>
#include <stdexcept>

#include "tests/simulation/executor.hpp"
#include "tests/simulation/node.hpp"
#include "tests/simulation/world.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

namespace {

constexpr span register_every = 30s;
constexpr span backlog_comes = 500ms;

} // namespace

std::vector<core::declared_group> world::groups() {
  std::vector<std::string> addresses;
  for (const auto& executor : executors_)
    if (std::find(addresses.begin(), addresses.end(), executor->origin() + '/') == addresses.end())
      addresses.push_back(executor->origin() + '/');
  std::vector<core::declared_group> all;
  if (what_.backlog > 0) {
    all.push_back({"slow", "Slow", std::vector{addresses.back()}});
    addresses.pop_back();
  }
  all.push_back({"pay", "Payments", what_.registered ? std::nullopt : std::optional{addresses}});
  return all;
}

void world::begin_features() {
  for (const auto& one : what_.plain_jobs)
    add_plain_job(one);
  if (what_.registered)
    register_executors();
  if (what_.native)
    for (const auto& executor : executors_)
      executor->begin_links();
  for (const auto& one : what_.by_hand)
    at(one.at, [this, &one] { apply(one); });
  if (what_.restored) {
    at(what_.restored->copied_at, [this] {
      database_->copy();
      books_copied_ = std::make_unique<protocol_checker>(checker_);
      say("the database is copied");
    });
    at(what_.restored->at, [this] { restore(*what_.restored); });
  }
  if (what_.backlog > 0)
    at(backlog_comes, [this] {
      const auto found = editor_->jobs().find({.id = {}, .group = "slow", .key = "slow"});
      if (!found && found.error().code == core::errc::not_found)
        return; // it was removed
      const auto slow = test::expect(found).spec->id;
      for (auto left = what_.backlog; left > 0; --left)
        static_cast<void>(editor_->jobs().trigger({.job = slow, .param = {}, .addresses = {}, .token = next_token_++},
                                                  true_time(), core::local_operator()));
    });
}

void world::add_plain_job(const core::declared_job& what) {
  core::job_draft draft;
  for (const auto& group : test::expect(editor_->registry().read()).groups)
    if (group.app_name == what.group)
      draft.group = group.id;
  draft.name = draft.author = what.key;
  draft.schedule_type = core::stored_name(what.schedule);
  draft.schedule_conf = what.schedule_conf;
  draft.misfire = core::stored_name(what.misfire);
  draft.route = core::stored_name(what.route);
  draft.block = core::stored_name(what.block);
  draft.handler = what.handler;
  draft.param = what.params;
  draft.retry_count = what.retry_count;
  draft.glue_type = what.glue_type;
  const auto job = test::expect(editor_->job_editing().add(draft, core::local_operator(), true_time()));
  static_cast<void>(test::expect(editor_->jobs().start(job, true_time(), core::local_operator())));
}

std::optional<core::job_draft> world::changed_draft(core::job_id job) {
  const auto known = store_->job_editing().read(job, core::local_operator());
  if (!known)
    return std::nullopt;
  core::job_draft draft;
  draft.group = known->group;
  draft.name = known->name;
  draft.author = known->author;
  draft.schedule_type = known->schedule_type;
  draft.schedule_conf = known->schedule_conf;
  draft.misfire = known->misfire;
  draft.route = known->route;
  draft.block = known->block;
  draft.handler = known->handler;
  draft.param = known->param + " u=1";
  draft.retry_count = known->retry_count;
  return draft;
}

core::manual_trigger world::request_of(const hand_edit& what) {
  core::manual_trigger wanted;
  wanted.job = what.job;
  wanted.kind = what.what == hand_edit::kind::run_over_api ? core::trigger_kind::api : core::trigger_kind::manual;
  if (what.has_param)
    wanted.param = "takes=30 ends=ok h=" + std::to_string(next_token_);
  if (what.has_address)
    wanted.addresses = {executors_.back()->origin() + '/'};
  wanted.token = next_token_++;
  return wanted;
}

void world::apply(const hand_edit& what) {
  const auto wanted = request_of(what);
  if (auto* by = node(what.by); by && by->is_up() && !by->is_paused()) {
    say("a manual edit of job " + std::to_string(core::number(what.job)) + " at " + what.by);
    return by->edit_by_hand(what, wanted);
  }
  auto done = core::result<void>{};
  const auto taken = [&done](const auto& outcome) {
    if (!outcome)
      done = tl::unexpected{outcome.error()};
  };
  const auto person = core::local_operator();
  switch (what.what) {
  case hand_edit::kind::start: taken(editor_->jobs().start(what.job, true_time(), person)); break;
  case hand_edit::kind::stop: taken(editor_->jobs().stop(what.job, true_time(), person)); break;
  case hand_edit::kind::remove: taken(editor_->jobs().remove(what.job, true, true_time(), person)); break;
  case hand_edit::kind::update:
    if (const auto draft = changed_draft(what.job))
      taken(editor_->job_editing().update(what.job, *draft, {}, person, true_time()));
    break;
  case hand_edit::kind::run:
  case hand_edit::kind::run_over_api: taken(editor_->jobs().trigger(wanted, true_time(), person)); break;
  }
  const auto outcome = done ? std::string{} : " refused: " + done.error().context;
  say("a manual edit of job " + std::to_string(core::number(what.job)) + " ended" + outcome);
}

void world::register_executors() {
  core::registry_batch batch;
  for (const auto& executor : executors_)
    batch.renewed.push_back({"EXECUTOR", "pay", executor->origin() + '/', true_time()});
  test::expect(store_->registry().write(batch, true_time()));
  after(register_every, [this] { register_executors(); });
}

bool world::knows_elsewhere(const sim_executor& but, std::int64_t id) const {
  return std::any_of(executors_.begin(), executors_.end(), [&](const auto& one) {
    return one.get() != &but && one->origin() == but.origin() && one->has(id);
  });
}

bool world::is_locked(core::job_id job) const {
  return std::any_of(what_.faults.begin(), what_.faults.end(), [&](const fault& one) {
    return one.what == effect::lock_rows && core::job_id{static_cast<std::int32_t>(one.index)} == job && now_ >= one.at
           && now_ < one.at + one.lasts;
  });
}

void world::restore(const restored_copy& what) {
  say("the database is restored from its copy");
  for (auto& node : nodes_)
    node->crash(what.lasts);
  for (auto& executor : executors_)
    executor->forget_work();
  ++epoch_;
  database_->restore();
  checker_.restored(*books_copied_);
  checker_.read_schedule();
}

} // namespace ringmaster::simulation
