#include "actors/trigger/route_probes.hpp"

#include <utility>

namespace ringmaster::actors {

bool route_probes::add(probing_route& route, const core::probe_in_order& ask, steady now) {
  const auto& spec = *route.candidate.spec;
  topic about{spec.group, ask.kind == core::probe_kind::idle_beat ? spec.id : core::job_id{0}};
  auto& waiting_of_group = waiting_by_group_[spec.group];
  if (waiting_ >= limits_.waiting || waiting_of_group >= limits_.waiting_per_group)
    return false;
  auto* of = joinable(about, ask, now);
  if (!of) {
    scan fresh{about, ask.kind, ask.addresses, {}, 0, now, now, {}};
    if (!has_room(question_of(fresh, 0), now))
      return false;
    fresh.replies.resize(fresh.addresses.size());
    of = &scans_.emplace(++last_id_, std::move(fresh)).first->second;
    youngest_[about] = last_id_;
    ask_next(last_id_, *of, now); // so that the next candidate finds the question that is open
    ready_.insert(last_id_);
  }
  of->routes.push_back(std::move(route));
  ++waiting_;
  ++waiting_of_group;
  return true;
}

// A candidate that arrives later than an answer counts must not be judged by it.
route_probes::scan* route_probes::joinable(const topic& about, const core::probe_in_order& ask, steady now) {
  auto found = youngest_.find(about);
  if (found == youngest_.end())
    return nullptr;
  auto& of = scans_.at(found->second);
  return now - of.began <= limits_.valid && of.kind == ask.kind && of.addresses == ask.addresses ? &of : nullptr;
}

route_probes::question route_probes::question_of(const scan& of, std::size_t index) const {
  return {of.addresses[index], of.about.first, of.kind, of.about.second};
}

const route_probes::known_answer* route_probes::valid_answer(const question& wanted, steady now) const {
  auto found = answers_.find(wanted);
  return found != answers_.end() && !found->second.open && now - found->second.came <= limits_.valid ? &found->second : nullptr;
}

bool route_probes::has_room(const question& wanted, steady now) const {
  if (auto known = answers_.find(wanted); known != answers_.end() && (known->second.open || valid_answer(wanted, now)))
    return true;
  auto found = open_by_address_.find(wanted.address);
  return open_ < limits_.open && (found == open_by_address_.end() || found->second < limits_.open_per_executor);
}

void route_probes::answered(const question& asked, protocol::probe_reply reply, steady now) {
  auto found = answers_.find(asked);
  if (found == answers_.end() || !found->second.open)
    return;
  auto& known = found->second;
  known.open = false;
  known.came = now;
  --open_;
  if (auto at = open_by_address_.find(asked.address); --at->second == 0)
    open_by_address_.erase(at);
  for (auto id : std::exchange(known.askers, {})) {
    auto of = scans_.find(id);
    if (of == scans_.end())
      continue; // decided without it
    for (std::size_t i = 0; i < of->second.asked; ++i)
      if (of->second.addresses[i] == asked.address) // a list may contain an address twice
        of->second.replies[i] = reply;
    ready_.insert(id);
  }
  known.reply = std::move(reply);
  came_.emplace_back(now, asked);
  ready_.merge(starved_);
}

route_probes::step route_probes::go_on(steady now) {
  for (auto id : staggers_.take_due(now))
    if (scans_.contains(id))
      ready_.insert(id);
  for (auto id : std::exchange(ready_, {}))
    advance(id, now);
  forget_old(now);
  return std::exchange(next_step_, {});
}

void route_probes::advance(scan_id id, steady now) {
  auto found = scans_.find(id);
  if (found == scans_.end())
    return;
  auto& of = found->second;
  while (wants_next(of, now) && ask_next(id, of, now)) {
  }
  for (std::size_t i = 0; i < of.replies.size(); ++i) {
    if (!of.replies[i])
      return; // all executors before the winner must have refused
    if (of.replies[i]->code == 200)
      return decide(id, i);
  }
  decide(id, std::nullopt);
}

bool route_probes::wants_next(const scan& of, steady now) {
  if (of.asked == of.addresses.size())
    return false;
  if (of.asked == 0)
    return true;
  const auto& last = of.replies[of.asked - 1];
  return last ? last->code != 200 : now >= of.next_ask;
}

// Returns false if there is no room for the question.
bool route_probes::ask_next(scan_id id, scan& of, steady now) {
  auto wanted = question_of(of, of.asked);
  if (const auto* known = valid_answer(wanted, now)) {
    of.replies[of.asked++] = known->reply;
    return true;
  }
  if (!has_room(wanted, now)) {
    starved_.insert(id);
    return false;
  }
  auto& known = answers_[wanted];
  known.askers.push_back(id);
  if (!known.open) {
    known.open = true;
    ++open_;
    ++open_by_address_[wanted.address];
    next_step_.ask.push_back(std::move(wanted));
  }
  of.next_ask = now + limits_.stagger;
  if (++of.asked < of.addresses.size())
    staggers_.push(of.next_ask, id);
  return true;
}

void route_probes::decide(scan_id id, std::optional<std::size_t> winner) {
  auto of = std::move(scans_.extract(id).mapped());
  if (auto youngest = youngest_.find(of.about); youngest != youngest_.end() && youngest->second == id)
    youngest_.erase(youngest);
  starved_.erase(id);
  waiting_ -= of.routes.size();
  if (auto group = waiting_by_group_.find(of.about.first); (group->second -= of.routes.size()) == 0)
    waiting_by_group_.erase(group);
  verdict told{std::move(of.routes), {}, {}};
  if (winner)
    told.address = std::move(of.addresses[*winner]);
  else
    for (std::size_t i = 0; i < of.addresses.size(); ++i)
      told.note += (i == 0 ? "" : "; ") + of.addresses[i] + " answered " + std::to_string(of.replies[i]->code) + " "
                   + of.replies[i]->message;
  next_step_.decided.push_back(std::move(told));
}

void route_probes::forget_old(steady now) {
  for (; !came_.empty() && now - came_.front().first > limits_.valid; came_.pop_front())
    if (auto found = answers_.find(came_.front().second);
        found != answers_.end() && !found->second.open && found->second.came == came_.front().first)
      answers_.erase(found);
}

} // namespace ringmaster::actors
