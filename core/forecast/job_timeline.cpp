#include "core/forecast/job_timeline.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "core/run/noted_run.hpp"
#include "core/run/run_origin.hpp"
#include "core/run/run_reason.hpp"
#include "core/schedule/schedule_rules.hpp"

namespace ringmaster::core {

namespace {

/// Instants that one row of the log represents.
struct logged_gap {
  log_id row{};
  missed_instants what;
  /// Its instants are in the list.
  bool listed = false;
};

/// A fixed rate in whole seconds counts from the instant before, so that past instants follow from rows alone.
bool counts_from_rows(const schedule_era& era) {
  const auto& timing = era.timing;
  return era.type == schedule_type::fixed_rate && !timing.interval_ms && !timing.start_at && !timing.jitter_ms;
}

class timeline_walk {
public:
  timeline_walk(const timeline_search& search, timeline_facts&& facts, const zone& where, time_point now)
    : search_{search}, facts_{std::move(facts)}, rules_{where}, now_{now}, end_{std::min(search.until + milliseconds{1}, now)} {}

  job_timeline run() && {
    out_.truncated = facts_.more_runs;
    read_rows();
    walk_past();
    add_unmatched();
    walk_future();
    std::sort(out_.instants.begin(), out_.instants.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    for (auto edit = facts_.edits.rbegin(); edit != facts_.edits.rend(); ++edit)
      if (edit->at >= search_.from && edit->at <= search_.until && edit->action != audit_action::trigger)
        out_.edits.push_back({edit->at, edit->user_name, edit->action, changed_fields(*edit)});
    out_.runs = std::move(facts_.runs);
    return std::move(out_);
  }

private:
  void add(time_point at, std::optional<log_id> run, instant_outcome outcome) { out_.instants.push_back({at, run, outcome}); }

  /// Sorts the rows by what they say about instants. Trigger times in the log may be cut to seconds.
  void read_rows() {
    rows_from_ = facts_.more_runs ? end_ : search_.from;
    for (auto row = facts_.runs.rbegin(); row != facts_.runs.rend(); ++row) {
      const noted_run noted{*row};
      if (const auto gap = missed_in(noted)) {
        gaps_.push_back({row->id, *gap});
        continue;
      }
      const auto origin = origin_of(noted);
      if (facts_.more_runs && (origin.kind == trigger_kind::cron || origin.kind == trigger_kind::misfire))
        rows_from_ = std::min(rows_from_, row->trigger_time + seconds{1});
      if (origin.part && origin.part->index > 0)
        continue;
      if (origin.kind == trigger_kind::cron)
        fired_[cut_to_second(row->trigger_time)].push_back(&*row);
      else if (origin.kind == trigger_kind::misfire)
        late_.emplace(row->trigger_time, row->id);
    }
  }

  static instant_outcome outcome_of(const log_row& row) {
    const auto reason = reason_of(row);
    return reason && reason->code == failure_reason::blocked_discarded ? instant_outcome::overlap : instant_outcome::fired;
  }

  void walk_past() {
    const auto eras = eras_of({facts_.job, facts_.edits, facts_.edits_from}, std::max(search_.from, rows_from_), end_);
    out_.known_from = end_;
    auto left = search_.limit;
    for (const auto& era : eras) {
      const auto rule = rules_.of(era.type, era.conf, era.timing);
      if (!rule)
        return;
      const auto begin = counts_from_rows(era) ? era.from : begin_of(**rule, era, left);
      if (counts_from_rows(era))
        list_gaps(**rule, era, left);
      else
        walk(**rule, era, begin, left);
      out_.known_from = begin;
      if (begin > era.from) {
        out_.truncated = true;
        return;
      }
    }
    // A job that did not exist had no instants.
    if (facts_.job.added && out_.known_from <= *facts_.job.added + seconds{2})
      out_.known_from = std::min(out_.known_from, search_.from);
  }

  /// Returns the time from which on the era has at most `left` instants.
  time_point begin_of(const schedule& rule, const schedule_era& era, std::size_t left) const {
    const auto last = era.until - milliseconds{1};
    const auto fit = [&](time_point from) { return rule.count(from - milliseconds{1}, last, facts_.job.id) <= left; };
    if (fit(era.from))
      return era.from;
    auto low = era.from, high = era.until;
    while (high - low > milliseconds{1}) {
      const auto middle = low + (high - low) / 2;
      (fit(middle) ? high : low) = middle;
    }
    return high;
  }

  void walk(const schedule& rule, const schedule_era& era, time_point begin, std::size_t& left) {
    auto at = rule.next(begin - milliseconds{1}, facts_.job.id);
    for (; at && *at < era.until && left > 0; at = rule.next(*at, facts_.job.id), --left)
      judge(*at, era.stopped);
  }

  void judge(time_point at, bool stopped) {
    if (const auto found = fired_.find(cut_to_second(at)); found != fired_.end() && !found->second.empty()) {
      const auto* row = found->second.front();
      found->second.pop_front();
      return add(at, row->id, outcome_of(*row));
    }
    for (auto& gap : gaps_)
      if (at >= gap.what.first && at <= gap.what.last) {
        gap.listed = true;
        return add(at, gap.row, instant_outcome::dropped);
      }
    if (stopped)
      return add(at, std::nullopt, instant_outcome::stopped);
    if (is_waiting(at))
      return add(at, std::nullopt, instant_outcome::future);
    if (const auto run = run_in_place_of(at))
      return add(at, run, instant_outcome::late);
    add(at, std::nullopt, instant_outcome::unknown);
  }

  /// An instant that is due and not claimed yet.
  [[nodiscard]] bool is_waiting(time_point at) const {
    return facts_.job.running && facts_.job.next != time_point{} && at >= facts_.job.next;
  }

  /// Returns the late run that replaces the instant: the next one, unless other instants were sent or dropped before it.
  [[nodiscard]] std::optional<log_id> run_in_place_of(time_point at) const {
    const auto late = late_.lower_bound(cut_to_second(at));
    if (late == late_.end())
      return std::nullopt;
    const auto sent = fired_.upper_bound(cut_to_second(at));
    if (sent != fired_.end() && sent->first < cut_to_second(late->first))
      return std::nullopt;
    for (const auto& gap : gaps_)
      if (gap.what.first > at && gap.what.last < late->first)
        return std::nullopt;
    return late->second;
  }

  /// Lists the dropped instants of an era whose instants follow from rows.
  void list_gaps(const schedule& rule, const schedule_era& era, std::size_t& left) {
    for (auto& gap : gaps_) {
      const auto last = std::min(gap.what.last, era.until - milliseconds{1});
      auto at = rule.at_or_after(gap.what.first, std::max(gap.what.first, era.from), facts_.job.id);
      for (; at && *at <= last && left > 0; at = rule.next(*at, facts_.job.id), --left) {
        gap.listed = true;
        add(*at, gap.row, instant_outcome::dropped);
      }
      out_.truncated |= at && *at <= last;
    }
  }

  /// Adds instants of rows that no known schedule has.
  void add_unmatched() {
    for (const auto& [second, rows] : fired_)
      for (const auto* row : rows)
        add(row->trigger_time, row->id, outcome_of(*row));
    for (const auto& gap : gaps_) {
      if (gap.listed)
        continue;
      for (const auto at : {gap.what.first, gap.what.last})
        if (at >= search_.from && at < end_ && (at == gap.what.first || gap.what.count > 1))
          add(at, gap.row, instant_outcome::dropped);
      out_.truncated |= gap.what.count > 2;
    }
  }

  void walk_future() {
    const auto& job = facts_.job;
    if (!job.running || job.next == time_point{} || search_.until < now_)
      return;
    const auto rule = rules_.of(find_schedule_type(job.schedule_type).value_or(schedule_type::unknown), job.schedule_conf,
                                job.timing);
    if (!rule)
      return;
    const auto from = std::max(search_.from, now_);
    auto at = job.next >= from ? std::optional{job.next} : (*rule)->at_or_after(job.next, from, job.id);
    for (std::size_t count = 0; at && *at <= search_.until; at = (*rule)->next(*at, job.id)) {
      if (count++ == search_.limit) {
        out_.truncated = true;
        return;
      }
      add(*at, std::nullopt, instant_outcome::future);
    }
  }

  const timeline_search search_;
  timeline_facts facts_;
  schedule_rules rules_;
  const time_point now_;
  /// End of the past, exclusive.
  const time_point end_;
  /// All rows from here on are known.
  time_point rows_from_{};
  /// Rows of instants that were sent, by their second.
  std::map<time_point, std::deque<const log_row*>> fired_;
  std::map<time_point, log_id> late_;
  std::vector<logged_gap> gaps_;
  job_timeline out_;
};

} // namespace

std::string_view to_string(instant_outcome outcome) noexcept {
  switch (outcome) {
  case instant_outcome::fired: return "fired";
  case instant_outcome::late: return "late";
  case instant_outcome::dropped: return "dropped";
  case instant_outcome::overlap: return "overlap";
  case instant_outcome::stopped: return "stopped";
  case instant_outcome::future: return "future";
  case instant_outcome::unknown: return "unknown";
  }
  return "unknown";
}

job_timeline timeline_of(const timeline_search& search, timeline_facts&& facts, const zone& where, time_point now) {
  return timeline_walk{search, std::move(facts), where, now}.run();
}

} // namespace ringmaster::core
