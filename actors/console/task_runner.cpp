#include "actors/console/task_runner.hpp"

#include <algorithm>
#include <utility>

#include "core/run/shard_family.hpp"
#include "core/run/trigger_note.hpp"

namespace ringmaster::actors {

namespace {

core::error no_such_task(core::task_id id) {
  return {core::errc::not_found, "task " + std::to_string(core::number(id)) +
                                   " does not exist: it ended some time ago, or its node was restarted"};
}

core::error other_count(std::int64_t found, std::size_t expected, bool at_least) {
  const auto count = std::to_string(found);
  return {core::errc::conflict,
          std::string{at_least ? "more than " : ""} + count + " objects match the filter, and " + std::to_string(expected) +
            " were expected",
          core::refusal::none, count};
}

core::error not_a_run(core::log_id run) {
  return {core::errc::invalid_argument, "run " + std::to_string(core::number(run)) +
                                          " cannot be repeated: it stands for instants that were dropped"};
}

// One address would be a broadcast of its own, with the part 0 of 1.
core::error one_shard(core::log_id run, std::string_view part) {
  return {core::errc::invalid_argument,
          "run " + std::to_string(core::number(run)) + " is shard " + std::string{part} +
            " of a broadcast, and one shard cannot be repeated: repeat the whole broadcast with the addresses of the group",
          core::refusal::one_shard};
}

core::error listed_too_late() {
  return {core::errc::unavailable, "the objects could not be listed in time: narrow the filter", core::refusal::none, "filter"};
}

core::error too_many_tasks(std::string_view whose) {
  return {core::errc::too_large, std::string{whose} + " tasks are running: try again when one has ended", core::refusal::none,
          "5"};
}

template <class Row>
std::int64_t id_of(const Row& row) {
  return core::number(row.id);
}

} // namespace

task_runner_state::task_runner_state(protocol::task_runner::pointer self, protocol::job_admin jobs, protocol::run_admin runs,
                                     std::chrono::milliseconds limit, task_pace pace, protocol::wall_clock clock, logger log)
  : self_{self},
    jobs_{std::move(jobs)},
    runs_{std::move(runs)},
    limit_{limit},
    pace_{pace},
    clock_{std::move(clock)},
    log_{std::move(log)} {}

protocol::task_runner::behavior_type task_runner_state::make_behavior() {
  return {
    [this](protocol::begin_task& command) { return begin(std::move(command)); },
    [this](const protocol::task_query& asked) { return show(asked); },
    [this](const protocol::abort_task& asked) { return abort(asked); },
  };
}

caf::result<protocol::task_begun> task_runner_state::begin(protocol::begin_task&& command) {
  forget();
  if (auto may = core::check_right_anywhere(command.by, core::right_for(command.action)); !may)
    return protocol::to_caf(may.error());
  const auto repeated = find_repeated(command);
  if (!repeated)
    return protocol::to_caf(repeated.error());
  if (const auto& same = *repeated) {
    if (!same->reading_until)
      return protocol::task_begun{same->progress.id};
    return same->waiting.emplace_back(self_->make_response_promise<protocol::task_begun>());
  }
  if (auto admitted = admit(command.by); !admitted)
    return protocol::to_caf(admitted.error());
  last_id_ = std::max(core::task_id{core::number(last_id_) + 1}, core::task_id{core::to_ms(clock_.at(now()))});
  auto made = std::make_shared<task>(task{std::move(command)});
  made->progress.id = last_id_;
  made->progress.action = made->command.action;
  auto promise = made->waiting.emplace_back(self_->make_response_promise<protocol::task_begun>());
  tasks_.emplace(last_id_, made);
  if (made->command.by_search) {
    made->reading_until = now() + limit_ / 10 * 8;
    made->command.runs.as_of = clock_.at(now());
    read_page(made);
  } else {
    made->objects = std::move(made->command.ids);
    start(made);
  }
  return promise;
}

core::result<task_runner_state::task_ptr> task_runner_state::find_repeated(const protocol::begin_task& asked) const {
  const auto token = asked.wanted.token;
  if (token == 0)
    return nullptr;
  const auto found = std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& each) {
    const auto& command = each.second->command;
    return command.wanted.token == token && command.action == asked.action && command.by.user == asked.by.user;
  });
  if (found == tasks_.end())
    return nullptr;
  if (found->second->command.digest != asked.digest)
    return core::fail(core::errc::conflict, "another request had the same Idempotency-Key");
  return found->second;
}

core::result<void> task_runner_state::admit(const core::principal& by) const {
  const auto running = [&](auto counts) {
    return static_cast<std::size_t>(std::count_if(
      tasks_.begin(), tasks_.end(), [&](const auto& each) { return !each.second->ended && counts(each.second->command.by); }));
  };
  if (running([&](const core::principal& other) { return other.user == by.user; }) >= user_running_max)
    return tl::unexpected{too_many_tasks(std::to_string(user_running_max) + " of your")};
  if (running([](const core::principal&) { return true; }) >= running_max)
    return tl::unexpected{too_many_tasks(std::to_string(running_max))};
  return {};
}

void task_runner_state::forget() {
  std::erase_if(tasks_, [this](const auto& each) { return each.second->ended && *each.second->ended + memory <= now(); });
  if (tasks_.size() < tasks_max)
    return;
  const auto oldest = std::find_if(tasks_.begin(), tasks_.end(), [](const auto& each) { return each.second->ended; });
  if (oldest != tasks_.end())
    tasks_.erase(oldest);
}

// -- finding the objects of a search ---------------------------------------------------------------------------------------

void task_runner_state::read_page(task_ptr of) {
  const auto& command = of->command;
  if (core::works_on_runs(command.action)) {
    auto search = command.runs;
    search.window = {0, page_rows};
    if (!of->objects.empty())
      search.before = core::log_id{of->objects.back()};
    return read_page(of, protocol::run_page_query{std::move(search), command.by});
  }
  auto search = command.jobs;
  search.window = {of->rows_read, page_rows};
  read_page(of, protocol::job_page_query{std::move(search), command.by});
}

template <class Query>
void task_runner_state::read_page(const task_ptr& of, Query query) {
  const auto failed = [this, of](const caf::error& why) {
    give_up(of, now() < *of->reading_until ? protocol::to_core(why) : listed_too_late());
  };
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*of->reading_until - now());
  if constexpr (std::is_same_v<Query, protocol::run_page_query>)
    protocol::request(self_, runs_, left, std::move(query))
      .then([this, of](const protocol::run_page& reply) { page_read(of, reply); }, failed);
  else
    protocol::request(self_, jobs_, left, std::move(query))
      .then([this, of](const protocol::job_page& reply) { page_read(of, reply); }, failed);
}

void task_runner_state::page_read(const task_ptr& of, const protocol::job_page& reply) { take(of, reply.page, true); }

// Later pages begin after a run: runs that are added meanwhile change the total, but not the set.
void task_runner_state::page_read(const task_ptr& of, const protocol::run_page& reply) {
  take(of, reply.page, of->rows_read == 0);
}

template <class Row>
void task_runner_state::take(const task_ptr& of, const core::page<Row>& page, bool same_total) {
  if (now() >= *of->reading_until)
    return give_up(of, listed_too_late()); // a task must not begin after its caller was told that it did not
  const auto expected = of->command.expect;
  const auto total = static_cast<std::size_t>(std::max<std::int64_t>(page.total, 0));
  if (same_total && (total != expected || page.total_is_capped))
    return give_up(of, other_count(page.total, expected, page.total_is_capped));
  of->rows_read += page.rows.size();
  for (const auto& row : page.rows)
    of->objects.push_back(id_of(row));
  if (!page.rows.empty() && of->rows_read < expected)
    return read_page(of);
  // A list by position may show a row twice, or skip one, when another is added or removed meanwhile.
  std::sort(of->objects.begin(), of->objects.end());
  of->objects.erase(std::unique(of->objects.begin(), of->objects.end()), of->objects.end());
  if (of->objects.size() != expected)
    return give_up(of, other_count(static_cast<std::int64_t>(of->objects.size()), expected, false));
  of->reading_until.reset();
  start(of);
}

void task_runner_state::give_up(const task_ptr& of, const core::error& why) {
  tasks_.erase(of->progress.id);
  for (auto& each : of->waiting)
    each.deliver(protocol::to_caf(why));
}

// -- work ------------------------------------------------------------------------------------------------------------------

void task_runner_state::start(const task_ptr& of) {
  auto& progress = of->progress;
  progress.total = of->objects.size();
  log_->info("task {} of {}: {} of {} {}", core::number(progress.id), of->command.by.name, core::to_string(progress.action),
             progress.total, core::works_on_runs(progress.action) ? "runs" : "jobs");
  for (auto& each : std::exchange(of->waiting, {}))
    each.deliver(protocol::task_begun{progress.id});
  step(of);
}

void task_runner_state::step(const task_ptr& of) {
  if (pace_ == task_pace::one_writer)
    take_turn();
  else
    while (!of->aborted && of->open < window && of->next < of->objects.size())
      begin_object(of);
  if (of->open == 0 && !of->ended && (of->aborted || of->next >= of->objects.size()))
    end(of);
}

void task_runner_state::take_turn() {
  if (turn_taken_)
    return;
  const auto waits = [](const auto& each) {
    const auto& task = *each.second;
    return !task.reading_until && !task.aborted && task.next < task.objects.size();
  };
  auto found = std::find_if(tasks_.upper_bound(served_), tasks_.end(), waits);
  if (found == tasks_.end())
    found = std::find_if(tasks_.begin(), tasks_.end(), waits);
  if (found == tasks_.end())
    return;
  turn_taken_ = true;
  turn_began_ = now();
  served_ = found->first;
  begin_object(found->second);
}

void task_runner_state::rest() {
  const auto took = std::chrono::ceil<core::milliseconds>(now() - turn_began_);
  self_->run_delayed(std::clamp<core::milliseconds>(pause_factor * took, pause, pause_max), [this] {
    turn_taken_ = false;
    take_turn();
  });
}

void task_runner_state::begin_object(const task_ptr& of) {
  ++of->open;
  work_on(of, of->objects[of->next++]);
}

void task_runner_state::work_on(const task_ptr& of, std::int64_t object) {
  const core::job_id job{static_cast<std::int32_t>(object)};
  const auto& by = of->command.by;
  switch (of->command.action) {
  case core::task_action::start: return ask<core::job_edit>(of, object, jobs_, protocol::start_job{job, by});
  case core::task_action::stop: return ask<core::job_edit>(of, object, jobs_, protocol::stop_job{job, by});
  case core::task_action::remove: return ask<core::job_edit>(of, object, jobs_, protocol::remove_job{job, false, by});
  case core::task_action::kill:
    return ask<protocol::run_killed>(of, object, runs_, protocol::kill_run{core::log_id{object}, by});
  case core::task_action::rerun: return rerun(of, core::log_id{object});
  case core::task_action::trigger: {
    auto wanted = of->command.wanted;
    wanted.job = job;
    return trigger(of, object, std::move(wanted));
  }
  }
}

void task_runner_state::rerun(const task_ptr& of, core::log_id run) {
  ask<protocol::run_found>(of, core::number(run), runs_, protocol::run_query{run, of->command.by},
                           [this, of, run](const protocol::run_found& found) {
                             const auto& row = found.run;
                             if (core::missed_in(row.trigger_msg))
                               return settle(of, core::number(run), not_a_run(run));
                             const auto part = core::read_shard_text(row.executor_sharding_param);
                             if (part && part->total > 1 && of->command.to_same_executor)
                               return settle(of, core::number(run), one_shard(run, row.executor_sharding_param));
                             auto wanted = of->command.wanted;
                             wanted.job = row.job;
                             wanted.token = core::rerun_token(wanted.token, run);
                             if (!wanted.param)
                               wanted.param = row.executor_param;
                             if (of->command.to_same_executor && !row.executor_address.empty())
                               wanted.addresses = {row.executor_address};
                             trigger(of, core::number(run), std::move(wanted));
                           });
}

void task_runner_state::trigger(const task_ptr& of, std::int64_t object, core::manual_trigger wanted) {
  ask<core::intent>(of, object, jobs_, protocol::trigger_job{std::move(wanted), of->command.by});
}

template <class Reply, class Handle, class Message, class Then>
void task_runner_state::ask(const task_ptr& of, std::int64_t object, const Handle& whom, Message message, Then then) {
  protocol::request(self_, whom, limit_, std::move(message))
    .then([then](const Reply& reply) { then(reply); },
          [this, of, object](const caf::error& why) { settle(of, object, protocol::to_core(why)); });
}

template <class Reply, class Handle, class Message>
void task_runner_state::ask(const task_ptr& of, std::int64_t object, const Handle& whom, Message message) {
  ask<Reply>(of, object, whom, std::move(message), [this, of, object](const Reply&) { settle(of, object, std::nullopt); });
}

void task_runner_state::settle(const task_ptr& of, std::int64_t object, const std::optional<core::error>& failed) {
  auto& progress = of->progress;
  --of->open;
  if (!failed) {
    ++progress.done;
  } else if (++progress.failed; progress.problems.size() < core::task_problems_max) {
    log_->info("task {}: {} of {} failed: {}", core::number(progress.id), core::to_string(progress.action), object,
               failed->context);
    progress.problems.push_back({object, *failed});
  }
  if (pace_ == task_pace::one_writer)
    rest();
  if (of->aborted || of->next >= of->objects.size())
    return step(of);
  if (pace_ == task_pace::several)
    self_->run_delayed(core::milliseconds{pause}, [this, of] { step(of); });
}

void task_runner_state::end(const task_ptr& of) {
  auto& progress = of->progress;
  progress.state = progress.done + progress.failed < progress.total ? core::task_state::aborted : core::task_state::done;
  of->ended = now();
  std::vector<std::int64_t>{}.swap(of->objects);
  log_->info("task {} {}: {} of {} succeeded, {} failed", core::number(progress.id), core::to_string(progress.state),
             progress.done, progress.total, progress.failed);
}

// -- progress --------------------------------------------------------------------------------------------------------------

task_runner_state::task_ptr task_runner_state::find(core::task_id id, const core::principal& by) const {
  const auto found = tasks_.find(id);
  if (found == tasks_.end() || found->second->reading_until)
    return nullptr;
  return by.admin || found->second->command.by.user == by.user ? found->second : nullptr;
}

caf::result<protocol::task_found> task_runner_state::show(const protocol::task_query& asked) {
  forget();
  const auto found = find(asked.task, asked.by);
  if (!found)
    return protocol::to_caf(no_such_task(asked.task));
  return protocol::task_found{found->progress};
}

caf::result<protocol::task_found> task_runner_state::abort(const protocol::abort_task& asked) {
  forget();
  const auto found = find(asked.task, asked.by);
  if (!found)
    return protocol::to_caf(no_such_task(asked.task));
  if (!found->ended) {
    found->aborted = true;
    step(found);
  }
  return protocol::task_found{found->progress};
}

} // namespace ringmaster::actors
