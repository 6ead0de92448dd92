#include "actors/firing/completion_actor.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "actors/store/store_access.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

/// Returns true if the result may belong to a run that another node sent after the database was restored to an earlier state.
bool is_later_run(const core::callback& item, core::time_point sent) noexcept {
  return item.log_time != core::time_point{} && item.log_time > sent + core::seconds{1};
}

} // namespace

completion_actor_state::completion_actor_state(protocol::completion_actor::pointer self, protocol::storage_actor storage,
                                               protocol::query_worker reads, std::chrono::milliseconds limit, logger log)
  : self_{self},
    storage_{std::move(storage)},
    reads_{std::move(reads)},
    limit_{limit},
    log_{std::move(log)} {}

protocol::completion_actor::behavior_type completion_actor_state::make_behavior() {
  return {
    [this](const protocol::sent_runs& sent) { remember(sent); },
    [this](protocol::ending_run& told) { mark(std::move(told)); },
    [this](protocol::callback_batch& batch) { return complete(std::move(batch)); },
  };
}

void completion_actor_state::remember(const protocol::sent_runs& sent) {
  for (const auto& [run, job, fire_at] : sent.items)
    jobs_.insert_or_assign(run, sent_job{job, fire_at});
  while (jobs_.size() > runs_max)
    jobs_.erase(jobs_.begin());
}

void completion_actor_state::mark(protocol::ending_run&& told) {
  const auto now = self_->clock().now();
  if (!told.message) {
    endings_.erase(told.run);
  } else {
    endings_.insert_or_assign(told.run, ending{std::move(*told.message), now + ending_time});
    ending_order_.emplace_back(told.run, now + ending_time);
  }
  drop_endings(now);
}

// A run that was marked again since then stays until its own end.
void completion_actor_state::drop_endings(caf::actor_clock::time_point now) {
  while (!ending_order_.empty() && (ending_order_.front().second <= now || ending_order_.size() > endings_max)) {
    const auto& [run, until] = ending_order_.front();
    if (const auto found = endings_.find(run); found != endings_.end() && found->second.until == until)
      endings_.erase(found);
    ending_order_.pop_front();
  }
}

void completion_actor_state::judge(core::callback& result) {
  const auto found = endings_.find(result.id);
  if (found == endings_.end() || result.code != 200)
    return;
  result.code = 500;
  result.message = found->second.message;
}

struct completion_actor_state::storing {
  std::vector<core::callback> items;
  caf::typed_response_promise<protocol::callbacks_stored> promise;
  /// Group whose token was shown; 0: the common token.
  std::int32_t group = 0;
  /// Number of results that it occupies of its group's share.
  std::size_t results = 0;
  /// Number of items that went to the store.
  std::size_t sent = 0;
  /// Runs that this node does not remember, and the number of those that were looked up.
  std::vector<core::log_id> unknown{};
  std::size_t looked_up = 0;
  /// Results of the look-ups, ascending within each part.
  run_groups found{};
};

caf::result<protocol::callbacks_stored> completion_actor_state::complete(protocol::callback_batch&& batch) {
  if (batch.items.empty())
    return protocol::callbacks_stored{};
  const auto& first = batch.items.front().only_of;
  const auto group = first && !first->empty() ? core::number(first->front()) : 0;
  const auto results = std::min(batch.items.size(), part_max);
  if (!has_room(group, results))
    return protocol::to_caf({core::errc::too_large, "too many callbacks are waiting for the database"});
  drop_endings(self_->clock().now());
  drop_outdated(batch.items);
  for (auto& item : batch.items)
    if (auto found = jobs_.find(item.id); found != jobs_.end() && !is_later_run(item, found->second.fire_at)) {
      item.spec = found->second.spec;
      item.log_time = {};
    }
  drop_foreign(batch.items);
  if (batch.items.empty())
    return protocol::callbacks_stored{};
  for (auto& item : batch.items)
    judge(item);
  auto promise = self_->make_response_promise<protocol::callbacks_stored>();
  auto work = std::make_shared<storing>(storing{std::move(batch.items), promise, group, results});
  ++waiting_;
  if (group != 0) {
    auto& share = waiting_of_[group];
    ++share.requests;
    share.results += results;
  }
  for (const auto& item : work->items)
    if (item.only_of)
      work->unknown.push_back(item.id);
  if (work->unknown.empty())
    store_part(work);
  else
    look_up(work);
  return promise;
}

// -- runs that this node does not remember ---------------------------------------------------------------------------------

void completion_actor_state::look_up(const storing_ptr& work) {
  auto& waiting = look_ups_[work->group];
  waiting.push_back(work);
  if (waiting.size() == 1)
    look_up_part(work);
}

void completion_actor_state::look_up_part(const storing_ptr& work) {
  const auto begin = work->unknown.begin() + static_cast<std::ptrdiff_t>(work->looked_up);
  const auto count = std::min(work->unknown.size() - work->looked_up, part_max);
  std::vector<core::log_id> ids{begin, begin + static_cast<std::ptrdiff_t>(count)};
  work->looked_up += count;
  ask_store<run_groups>(
    self_, reads_, [ids = std::move(ids)](storage::store& store) { return store.logs().without_result(ids); },
    [this, work](core::result<run_groups>&& found) {
      if (found) {
        work->found.insert(work->found.end(), found->begin(), found->end());
        if (work->looked_up < work->unknown.size())
          return look_up_part(work);
      }
      looked_up(work);
      if (!found)
        return fail(work, found.error());
      if (const auto dropped = drop_unknown(*work); dropped > 0)
        if (const auto line_end = dropped_.admit(self_->clock().now()))
          log_->info("{} results with a group's token are ignored: their runs are unknown, foreign or finished{}",
                     dropped, *line_end);
      if (!work->items.empty())
        return store_part(work);
      end(work);
      work->promise.deliver(protocol::callbacks_stored{});
    },
    limit_);
}

// Goes on with the group's next request.
void completion_actor_state::looked_up(const storing_ptr& work) {
  const auto waiting = look_ups_.find(work->group);
  waiting->second.pop_front();
  if (waiting->second.empty())
    look_ups_.erase(waiting);
  else
    look_up_part(waiting->second.front());
}

std::size_t completion_actor_state::drop_unknown(storing& work) const {
  const std::unordered_map<core::log_id, core::group_id> groups{work.found.begin(), work.found.end()};
  return std::erase_if(work.items, [&groups](const core::callback& item) {
    const auto group = groups.find(item.id);
    return item.only_of && (group == groups.end() || !item.may_be_of(group->second));
  });
}

// -- room ------------------------------------------------------------------------------------------------------------------

// A group's token gets only a part of the room, so that the results of others find some.
bool completion_actor_state::has_room(std::int32_t group, std::size_t results) const {
  if (waiting_ >= waiting_max)
    return false;
  const auto known = waiting_of_.find(group);
  return group == 0 || known == waiting_of_.end()
         || (known->second.requests < group_waiting_max && known->second.results + results <= group_results_max);
}

void completion_actor_state::store_part(const std::shared_ptr<storing>& work) {
  const auto begin = work->items.begin() + static_cast<std::ptrdiff_t>(work->sent);
  const auto count = std::min(work->items.size() - work->sent, part_max);
  const auto end_of_part = begin + static_cast<std::ptrdiff_t>(count);
  protocol::callback_batch part;
  std::vector<core::log_id> runs;
  runs.reserve(count);
  // The store may still refuse results that are restricted to certain groups, so their runs are not forgotten here.
  for (auto item = begin; item != end_of_part; ++item)
    if (!item->only_of)
      runs.push_back(item->id);
  part.items.assign(std::make_move_iterator(begin), std::make_move_iterator(end_of_part));
  work->sent += count;
  protocol::request(self_, storage_, limit_, std::move(part))
    .then(
      [this, work, runs = std::move(runs)](const protocol::callbacks_stored& stored) {
        forget(runs);
        if (work->sent < work->items.size())
          return store_part(work);
        end(work);
        work->promise.deliver(stored);
      },
      [this, work](const caf::error& reason) { fail(work, protocol::to_core(reason)); });
}

void completion_actor_state::fail(const std::shared_ptr<storing>& work, const core::error& why) {
  end(work);
  log_->warn("callbacks could not be stored: {}: {}", core::to_string(why.code), why.context);
  work->promise.deliver(protocol::to_caf(why));
}

void completion_actor_state::end(const std::shared_ptr<storing>& work) {
  --waiting_;
  const auto known = waiting_of_.find(work->group);
  if (known == waiting_of_.end())
    return;
  known->second.results -= work->results;
  if (--known->second.requests == 0)
    waiting_of_.erase(known);
}

// A restored database assigns ids again. For a run that this node does not remember, the store knows the time.
void completion_actor_state::drop_outdated(std::vector<core::callback>& items) {
  const auto is_outdated = [this](const core::callback& item) {
    const auto known = jobs_.find(item.id);
    return known != jobs_.end() && core::is_of_earlier_run(item.log_time, known->second.fire_at);
  };
  const auto first = std::find_if(items.begin(), items.end(), is_outdated);
  if (first == items.end())
    return;
  const auto run = first->id;
  const auto dropped = std::erase_if(items, is_outdated);
  log_->warn("run={} and {} more: late results of earlier runs with the same id are ignored", core::number(run), dropped - 1);
}

// An executor with a group's token reports only for runs of the group. For a run that this node does not remember, the store
// knows the group.
void completion_actor_state::drop_foreign(std::vector<core::callback>& items) {
  const auto is_foreign = [](const core::callback& item) { return item.spec && !item.may_be_of(item.spec->group); };
  const auto first = std::find_if(items.begin(), items.end(), is_foreign);
  if (first != items.end()) {
    const auto run = first->id;
    const auto dropped = std::erase_if(items, is_foreign);
    log_->warn("run={} and {} more: refused results from an executor of another group", core::number(run), dropped - 1);
  }
  for (auto& item : items)
    if (item.spec)
      item.only_of = nullptr;
}

void completion_actor_state::forget(const std::vector<core::log_id>& runs) {
  for (auto run : runs) {
    jobs_.erase(run);
    endings_.erase(run);
  }
}

} // namespace ringmaster::actors
