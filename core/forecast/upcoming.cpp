#include "core/forecast/upcoming.hpp"

#include <algorithm>
#include <utility>

#include "core/forecast/planned_part.hpp"

namespace ringmaster::core {

namespace {

bool is_same(const upcoming_firing& a, const upcoming_firing& b) { return a.at == b.at && a.job == b.job; }

bool is_earlier(const upcoming_firing& a, const upcoming_firing& b) {
  return a.at != b.at ? a.at < b.at : number(a.job) < number(b.job);
}

} // namespace

upcoming::upcoming(upcoming_search search, milliseconds misfire_after, zone where)
  : search_{search}, misfire_after_{misfire_after}, rules_{where}, book_{std::move(where)} {}

void upcoming::add(const job_record& job) {
  if (!job.running || job.next == time_point{} || job.next >= search_.until)
    return;
  auto spec = planned_part(job);
  const auto rule = rules_.of(*spec);
  if (!rule) {
    page_.bad.push_back(job.id);
    return;
  }
  held_rules_.push_back(*rule);
  const auto next = begin_of(spec, job, **rule);
  if (!next || *next >= search_.until)
    return;
  if (book_.put({std::move(spec), next, job.last, job.revision}))
    page_.bad.push_back(job.id);
}

std::optional<time_point> upcoming::begin_of(const job_ptr& spec, const job_record& job, const schedule& rule) const {
  const auto& [at, place, present] = search_.from;
  if (present != time_point{} && at == present)
    return job.next;
  auto next = std::optional{job.next};
  // An overdue job went on from the present, as the first page showed.
  if (present != time_point{} && job.next <= present)
    next = plan({spec, job.next}, rule, {.now = present, .horizon = milliseconds{0}, .misfire_after = misfire_after_}).next;
  return !next || *next >= at ? next : rule.at_or_after(*next, at, job.id);
}

bool upcoming::needs_first_jobs_only(const upcoming_search& search) noexcept {
  const auto& from = search.from;
  return from.present != time_point{} && from.at == from.present && from.job == job_id{} && search.limit <= first_firings_max;
}

upcoming_page upcoming::page(const may_go_on& go_on) && {
  fill(go_on);
  cut_unknown();
  return std::move(page_);
}

void upcoming::cut_unknown() {
  if (!last_known_ || last_known_->at >= search_.until)
    return;
  const auto& last = *last_known_;
  const auto is_known = [&last](const upcoming_firing& each) {
    return each.at != last.at ? each.at < last.at : number(each.job) <= number(last.job);
  };
  auto& firings = page_.firings;
  const auto end = std::find_if_not(firings.begin(), firings.end(), is_known);
  const bool cut = end != firings.end();
  firings.erase(end, firings.end());
  page_.truncated |= firings.size() < search_.limit;
  if (cut || !page_.next)
    page_.next = firings.empty() ? upcoming_place{last.at, {}, last.present}
                                 : upcoming_place{firings.back().at, firings.back().job, last.present};
}

void upcoming::fill(const may_go_on& go_on) {
  auto at = search_.from.at;
  for (auto look = book_.next_look(); look && *look < search_.until; look = book_.next_look()) {
    const auto now = std::max(*look, search_.from.at);
    if (now != at) {
      if (!close(at))
        return;
      if (at != search_.from.at && !go_on()) {
        page_.truncated = true;
        page_.next = upcoming_place{now, {}, search_.from.present};
        return;
      }
      at = now;
    }
    if (const auto due = book_.take_due(now))
      take(*due, now);
  }
  (void) close(at);
}

void upcoming::take(const schedule_book::due_entry& due, time_point now) {
  const plan_window window{.now = now, .horizon = milliseconds{0}, .misfire_after = misfire_after_};
  const auto made = plan({due.spec, due.next}, *due.rule, window);
  if (!made.firings.empty())
    at_once_.push_back({now, due.spec->id, due.spec->group});
  book_.moved(due.spec->id, made.next, made.last);
}

bool upcoming::close(time_point at) {
  std::sort(at_once_.begin(), at_once_.end(), is_earlier);
  at_once_.erase(std::unique(at_once_.begin(), at_once_.end(), is_same), at_once_.end());
  for (const auto& each : std::exchange(at_once_, {})) {
    if (at == search_.from.at && number(each.job) <= number(search_.from.job))
      continue;
    if (page_.firings.size() == search_.limit) {
      page_.next = upcoming_place{page_.firings.back().at, page_.firings.back().job, search_.from.present};
      return false;
    }
    page_.firings.push_back(each);
  }
  return true;
}

} // namespace ringmaster::core
