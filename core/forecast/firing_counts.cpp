#include "core/forecast/firing_counts.hpp"

#include <algorithm>
#include <tuple>

#include "core/forecast/planned_part.hpp"

namespace ringmaster::core {

namespace {

constexpr milliseconds a_second{1000};
/// Crowds that are walked between two looks at the time.
constexpr std::uint64_t walked_at_once = 64;

time_point cut_to(time_point t, milliseconds length) { return from_ms(to_ms(t) / length.count() * length.count()); }

bool is_busier(const busy_second& a, const busy_second& b) {
  if (a.jobs != b.jobs)
    return a.jobs > b.jobs;
  return a.firings != b.firings ? a.firings > b.firings : a.at < b.at;
}

} // namespace

firing_counts::firing_counts(counts_search search, milliseconds misfire_after, zone where)
  : search_{search}, misfire_after_{misfire_after}, rules_{std::move(where)} {
  report_.buckets_from = cut_to(search_.from, search_.bucket);
  report_.walked_until = search_.until;
  const auto span = std::max(search_.until - report_.buckets_from, milliseconds{0});
  const auto buckets = static_cast<std::size_t>((span + search_.bucket - milliseconds{1}) / search_.bucket);
  for (auto& each : tallies_)
    each.counted.counts.resize(buckets);
}

result<void> firing_counts::change(const changed_schedule& changed, const job_record* stored) {
  const auto rule = rules_.of(changed.type, changed.conf, changed.timing);
  if (!rule)
    return tl::unexpected<error>{rule.error()};
  changing_ = true;
  changed_ = changed.job;
  const auto last = stored != nullptr ? stored->last : time_point{};
  put(*rule, changed.job, (*rule)->next(std::max(search_.from - milliseconds{1}, last), changed.job), is_after, true);
  return {};
}

void firing_counts::add(const job_record& job) {
  if (!job.running || job.next == time_point{} || !known_.insert(job.id).second)
    return;
  const auto spec = planned_part(job);
  const auto rule = rules_.of(*spec);
  if (!rule) {
    report_.bad.push_back(job.id);
    return;
  }
  const bool own = changing_ && job.id == changed_;
  const auto sides = own ? std::uint8_t{is_before} : all_sides();
  bool late = false;
  const auto next = begin_of(spec, job, **rule, late);
  if (late)
    late_.push_back({job.id, sides, own});
  put(*rule, job.id, next, sides, own);
}

std::optional<time_point> firing_counts::begin_of(const job_ptr& spec, const job_record& job, const schedule& rule,
                                                  bool& late) const {
  if (!search_.from_now)
    return job.next >= search_.from ? job.next : rule.at_or_after(job.next, search_.from, job.id);
  auto next = std::optional{job.next};
  // Late instants of one job are one firing, as in the list of firings.
  while (next && *next <= search_.from) {
    const auto made = plan({spec, *next}, rule,
                           {.now = search_.from, .horizon = milliseconds{0}, .misfire_after = misfire_after_});
    late = late || !made.firings.empty();
    next = made.next;
  }
  return next;
}

void firing_counts::put(const schedule_rules::rule& rule, job_id job, std::optional<time_point> next, std::uint8_t sides,
                        bool own) {
  if (!next || *next >= search_.until)
    // Without instants it still is among the jobs, for their late firings.
    next = search_.until;
  if (rule->same_for_all() && !own) {
    const auto [known, fresh] = crowd_of_.emplace(std::pair{rule.get(), *next}, crowds_.size());
    if (!fresh) {
      crowds_[known->second].jobs.push_back(job);
      return;
    }
  }
  crowds_.push_back({rule, rule->even_step(), *next, *next, 0, sides, own, {job}});
  if (*next < search_.until)
    looks_.push({*next, crowds_.size() - 1});
}

bool firing_counts::walk(const may_go_on& go_on) {
  if (!started_) {
    started_ = true;
    begin_minute(search_.from);
    if (search_.from < search_.until)
      for (const auto& each : late_)
        count(each.sides, each.own, search_.from, 1, 1);
  }
  for (std::uint64_t done = 0; !walked_ && !looks_.empty(); ++done) {
    if (done % walked_at_once == walked_at_once - 1 && !go_on())
      return false;
    const auto [at, index] = looks_.top();
    if (at >= minute_ + counts_bucket_unit) {
      close_minute();
      begin_minute(at);
    }
    if (steps_ >= search_.steps_max) {
      cut();
      break;
    }
    looks_.pop();
    walk_minute(index);
  }
  if (!walked_) {
    close_minute();
    walked_ = true;
  }
  while (name_next())
    if (!go_on())
      return false;
  return true;
}

// The minute in which the walk ends is incomplete: its seconds are no candidates.
void firing_counts::cut() {
  if (walked_)
    return;
  walked_ = true;
  report_.walked_until = std::max(minute_, search_.from);
}

void firing_counts::walk_minute(std::size_t index) {
  auto& who = crowds_[index];
  const auto jobs = static_cast<std::uint64_t>(who.jobs.size());
  const auto end = std::min(minute_ + counts_bucket_unit, search_.until);
  std::optional<time_point> counted;
  auto at = std::optional{who.next};
  for (; at && *at < end; ++steps_) {
    const auto second = cut_to(*at, a_second);
    auto following = std::optional<time_point>{};
    std::uint64_t firings = 1;
    if (!who.step || who.firings == 0)
      following = who.rule->next(*at, who.jobs.front());
    else
      std::tie(firings, following) = even_part(who, *at, std::min(second + a_second, end));
    // Several instants in one second are several firings of the same jobs.
    count(who.sides, who.own, *at, firings * jobs, counted == second ? 0 : jobs);
    who.firings += firings;
    counted = second;
    at = following;
  }
  if (at && *at < search_.until) {
    who.next = *at;
    looks_.push({*at, index});
  }
}

std::pair<std::uint64_t, std::optional<time_point>> firing_counts::even_part(const crowd& who, time_point at, time_point until) {
  auto firings = static_cast<std::int64_t>((until - at - milliseconds{1}) / *who.step) + 1;
  while (firings > 1 && who.rule->is_over(at + *who.step * (firings - 1)))
    --firings;
  const auto next = at + *who.step * firings;
  return {static_cast<std::uint64_t>(firings), who.rule->is_over(next) ? std::nullopt : std::optional{next}};
}

void firing_counts::count(std::uint8_t sides, bool own, time_point at, std::uint64_t firings, std::uint64_t jobs) {
  const auto slot = static_cast<std::size_t>((at - minute_) / a_second);
  for (const auto which : {is_before, is_after}) {
    if ((sides & which) == 0)
      continue;
    auto& of = tallies_[which == is_after ? 1 : 0];
    of.firings[slot] += firings;
    of.jobs[slot] += jobs;
    of.own[slot] = of.own[slot] || own;
  }
}

void firing_counts::begin_minute(time_point at) { minute_ = cut_to(at, counts_bucket_unit); }

void firing_counts::close_minute() {
  close(tallies_[0]);
  if (changing_)
    close(tallies_[1]);
}

void firing_counts::close(tally& of) {
  const auto bucket = static_cast<std::size_t>((minute_ - report_.buckets_from) / search_.bucket);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (of.firings[slot] == 0)
      continue;
    of.counted.firings += of.firings[slot];
    of.counted.counts[bucket] += of.firings[slot];
    const busy_second candidate{minute_ + a_second * static_cast<std::int64_t>(slot), of.firings[slot], of.jobs[slot], {}};
    rank(of.counted.top, candidate);
    if (of.own[slot])
      rank(of.counted.own, candidate);
  }
  of.firings = {};
  of.jobs = {};
  of.own = {};
}

void firing_counts::rank(std::vector<busy_second>& list, const busy_second& candidate) const {
  if (list.size() == search_.top && (list.empty() || !is_busier(candidate, list.back())))
    return;
  list.insert(std::upper_bound(list.begin(), list.end(), candidate, is_busier), candidate);
  if (list.size() > search_.top)
    list.pop_back();
}

bool firing_counts::name_next() {
  auto place = named_++;
  for (auto* tally : {&tallies_[0], &tallies_[1]})
    for (auto* list : {&tally->counted.top, &tally->counted.own}) {
      if (place < list->size()) {
        name((*list)[place], tally == &tallies_[0] ? is_before : is_after);
        return true;
      }
      place -= list->size();
    }
  return false;
}

void firing_counts::name(busy_second& second, std::uint8_t sides) const {
  std::vector<job_id> found;
  for (const auto& each : late_)
    if ((each.sides & sides) != 0 && cut_to(search_.from, a_second) == second.at)
      found.push_back(each.job);
  const auto end = std::min(second.at + a_second, search_.until);
  for (const auto& who : crowds_) {
    if ((who.sides & sides) == 0 || who.first >= end)
      continue;
    auto at = std::optional{who.first};
    // A fixed rate is even from its second instant on.
    if (*at < second.at && who.step)
      at = who.rule->next(*at, who.jobs.front());
    if (at && *at < second.at)
      at = who.rule->at_or_after(*at, second.at, who.jobs.front());
    if (at && *at < end)
      found.insert(found.end(), who.jobs.begin(), who.jobs.end());
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  found.resize(std::min(found.size(), busy_jobs_max));
  second.some = std::move(found);
}

void firing_counts::list_jobs(counted_firings& of, std::uint8_t sides) const {
  std::map<job_id, std::uint64_t> totals;
  for (const auto& who : crowds_)
    if ((who.sides & sides) != 0 && who.firings > 0)
      for (const auto job : who.jobs)
        totals[job] += who.firings;
  for (const auto& each : late_)
    if ((each.sides & sides) != 0)
      ++totals[each.job];
  of.jobs.assign(totals.begin(), totals.end());
  std::stable_sort(of.jobs.begin(), of.jobs.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  of.jobs.resize(std::min(of.jobs.size(), search_.top));
}

counts_report firing_counts::report() && {
  list_jobs(tallies_[0].counted, is_before);
  report_.before = std::move(tallies_[0].counted);
  if (changing_) {
    list_jobs(tallies_[1].counted, is_after);
    report_.after = std::move(tallies_[1].counted);
  }
  return std::move(report_);
}

} // namespace ringmaster::core
