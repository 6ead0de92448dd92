#include "core/schedule/schedule_book.hpp"

#include <utility>

namespace ringmaster::core {

std::optional<schedule_book::bad_schedule> schedule_book::put(scheduled_job&& read) {
  auto id = read.spec->id;
  auto& known = entries_[number(id)];
  known.read = std::move(read);
  known.rule.reset();
  known.waiting = false;
  known.version = ++versions_;
  if (!known.read.next)
    return std::nullopt;
  auto rule = rules_.of(*known.read.spec);
  if (!rule)
    return bad_schedule{id, rule.error().context};
  known.rule = std::move(*rule);
  push(known, *known.read.next);
  return std::nullopt;
}

void schedule_book::erase(job_id job) { entries_.erase(number(job)); }

void schedule_book::clear() {
  entries_.clear();
  looks_.clear();
}

job_ptr schedule_book::find(job_id job) const {
  auto found = entries_.find(number(job));
  return found == entries_.end() ? nullptr : found->second.read.spec;
}

std::optional<std::int64_t> schedule_book::revision_of(job_id job) const {
  auto found = entries_.find(number(job));
  return found == entries_.end() ? std::nullopt : std::optional{found->second.read.revision};
}

std::optional<schedule_book::due_entry> schedule_book::take_due(time_point until) {
  for (;;) {
    auto due = looks_.take_due(until, 1);
    if (due.empty())
      return std::nullopt;
    auto found = entries_.find(number(due.front().job));
    if (found == entries_.end() || found->second.version != due.front().version)
      continue;
    auto& known = found->second;
    known.waiting = false;
    return due_entry{known.read.spec, *known.read.next, known.rule};
  }
}

void schedule_book::moved(job_id job, std::optional<time_point> next, time_point last) {
  auto found = entries_.find(number(job));
  if (found == entries_.end() || found->second.waiting || !found->second.rule)
    return; // read again meanwhile, perhaps stopped: the store is newer
  auto& known = found->second;
  known.read.next = next;
  known.read.last = last;
  if (next)
    push(known, *next);
}

void schedule_book::retry_at(job_id job, time_point when) {
  auto found = entries_.find(number(job));
  if (found == entries_.end() || found->second.waiting || !found->second.rule)
    return;
  push(found->second, when);
}

std::optional<time_point> schedule_book::next_look() {
  drop_stale();
  return looks_.next();
}

std::size_t schedule_book::check_some(std::size_t from, std::size_t limit, time_point now, milliseconds tolerance,
                                      std::vector<far_ahead>& found) const {
  std::size_t looked_at = 0;
  for (auto bucket = from; bucket < entries_.bucket_count(); ++bucket) {
    if (looked_at >= limit)
      return bucket;
    for (auto each = entries_.begin(bucket); each != entries_.end(bucket); ++each, ++looked_at)
      if (const auto& known = each->second; known.rule)
        if (auto odd = check_times(times_of(known.read), *known.rule, now, tolerance))
          found.push_back(*odd);
  }
  return 0;
}

void schedule_book::push(entry& of, time_point when) {
  of.waiting = true;
  of.version = ++versions_;
  looks_.push(when, look{of.read.spec->id, of.version});
  // Items of jobs that were read again stay at their old times, perhaps years ahead.
  if (looks_.size() > 2 * entries_.size() + stale_looks_max)
    looks_.erase_if([this](const look& item) { return is_stale(item); });
}

bool schedule_book::is_stale(const look& item) const {
  auto found = entries_.find(number(item.job));
  return found == entries_.end() || found->second.version != item.version;
}

void schedule_book::drop_stale() {
  looks_.pop_while([this](const look& item) { return is_stale(item); });
}

} // namespace ringmaster::core
