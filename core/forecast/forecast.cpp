#include "core/forecast/forecast.hpp"

#include <algorithm>
#include <bit>

namespace ringmaster::core {

namespace {

time_point cut(time_point t, milliseconds length) {
  return from_ms(to_ms(t) - ((to_ms(t) % length.count()) + length.count()) % length.count());
}

bool busier(const forecast_report::peak& a, const forecast_report::peak& b) {
  return a.firings != b.firings ? a.firings > b.firings : a.at < b.at;
}

} // namespace

forecast::forecast(forecast_options options, zone where) : options_{options}, rules_{where}, book_{std::move(where)} {}

// Returns the first firing of the job if the job does not change until then.
std::optional<time_point> forecast::first_of(const scheduled_job& job, const schedule& rule) const {
  if (options_.from_now)
    return job.next;
  return rule.at_or_after(*job.next, options_.from, job.spec->id);
}

void forecast::add(scheduled_job job) {
  if (!job.next) {
    ++report_.not_scheduled;
    return;
  }
  auto id = job.spec->id;
  auto rule = rules_.of(*job.spec);
  if (!rule) {
    report_.bad.push_back({id, rule.error().context});
    return;
  }
  job.next = first_of(job, **rule);
  if (!job.next || *job.next >= options_.until) {
    report_.jobs.push_back({id, 0, std::nullopt, !job.next});
    return;
  }
  if ((*rule)->same_for_all()) {
    auto key = std::to_string(reinterpret_cast<std::uintptr_t>(rule->get())) + ' ' + std::to_string(to_ms(*job.next)) +
               (job.spec->misfire == misfire_policy::do_nothing ? " -" : " +");
    auto [known, fresh] = crowd_of_.emplace(std::move(key), id);
    if (!fresh) {
      crowds_[number(known->second)].jobs.push_back(id);
      return;
    }
    held_rules_.push_back(*rule);
  }
  crowds_[number(id)].jobs.push_back(id);
  if (auto bad = book_.put(std::move(job)))
    report_.bad.push_back(std::move(*bad));
}

result<scheduled_job> forecast::with_cron(const scheduled_job& job, const std::string& cron) {
  auto changed = std::make_shared<core::job>(*job.spec);
  changed->schedule = schedule_type::cron;
  changed->schedule_conf = cron;
  changed->timing.interval_ms.reset();
  auto rule = rules_.of(*changed);
  if (!rule)
    return tl::unexpected{rule.error()};
  auto next = (*rule)->next(std::max(options_.from - milliseconds{1}, job.last), changed->id);
  return scheduled_job{std::move(changed), next, job.last, job.revision};
}

forecast_report forecast::run() && {
  std::uint64_t steps = 0;
  report_.walked_until = options_.until;
  for (auto look = book_.next_look(); look && *look < options_.until; look = book_.next_look()) {
    if (steps++ == options_.steps_max) {
      report_.walked_until = std::max(*look, options_.from);
      break;
    }
    auto now = std::max(*look, options_.from);
    if (auto due = book_.take_due(now))
      take(*due, now);
  }
  close(second_, report_.seconds);
  close(minute_, report_.minutes);
  add_totals();
  return std::move(report_);
}

void forecast::take(const schedule_book::due_entry& due, time_point now) {
  auto& who = crowds_.at(number(due.spec->id));
  plan_window window{.now = now, .horizon = milliseconds{0}, .misfire_after = options_.misfire_after};
  auto made = plan({due.spec, due.next}, *due.rule, window);
  for (const auto& firing : made.firings) {
    auto at = std::max(firing.fire_at, options_.from);
    if (!who.first)
      who.first = at;
    ++who.firings;
    count(at, who);
  }
  report_.dropped += made.dropped * who.jobs.size();
  who.ended = !made.next.has_value();
  book_.moved(due.spec->id, made.next, made.last);
}

void forecast::count(time_point at, const crowd& who) {
  auto firings = static_cast<std::uint64_t>(who.jobs.size());
  report_.firings += firings;
  count(second_, at, firings, report_.seconds);
  count(minute_, at, firings, report_.minutes);
  auto hour = static_cast<std::size_t>((at - cut(options_.from, std::chrono::hours{1})) / std::chrono::hours{1});
  if (report_.hours.size() <= hour)
    report_.hours.resize(hour + 1);
  report_.hours[hour] += firings;
  for (auto job : who.jobs) {
    if (report_.first_firings.size() >= options_.listed_max)
      break;
    report_.first_firings.push_back({at, job});
  }
}

void forecast::count(slot& of, time_point at, std::uint64_t firings, std::vector<forecast_report::peak>& peaks) {
  auto begin = cut(at, of.length);
  if (begin != of.at) {
    close(of, peaks);
    of.at = begin;
  }
  of.firings += firings;
}

// Firings come in order of time, so that earlier slots only need their place among the peaks.
void forecast::close(slot& of, std::vector<forecast_report::peak>& peaks) {
  if (of.firings == 0)
    return;
  if (&of == &second_) {
    auto bucket = static_cast<std::size_t>(std::bit_width(of.firings)) - 1;
    if (report_.seconds_by_firings.size() <= bucket)
      report_.seconds_by_firings.resize(bucket + 1);
    ++report_.seconds_by_firings[bucket];
  }
  forecast_report::peak candidate{of.at, std::exchange(of.firings, 0)};
  auto place = std::upper_bound(peaks.begin(), peaks.end(), candidate, busier);
  if (static_cast<std::size_t>(place - peaks.begin()) >= options_.peaks_max)
    return;
  peaks.insert(place, candidate);
  if (peaks.size() > options_.peaks_max)
    peaks.pop_back();
}

void forecast::add_totals() {
  for (const auto& [first, who] : crowds_)
    for (auto job : who.jobs)
      report_.jobs.push_back({job, who.firings, who.first, who.ended});
  std::sort(report_.jobs.begin(), report_.jobs.end(), [](const auto& a, const auto& b) {
    return a.firings != b.firings ? a.firings > b.firings : number(a.job) < number(b.job);
  });
}

} // namespace ringmaster::core
