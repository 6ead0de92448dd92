#include "storage/rows/run_paging.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "storage/edit_store.hpp"

namespace ringmaster::storage {

namespace {

using namespace std::chrono_literals;

/// Maximum time between the writing of a row and its later instant.
constexpr auto claimed_ahead = 10s;
/// Number of rows after a time bound that are searched for late runs, e.g. retries.
constexpr std::int64_t late_rows = 10'000;
/// A group with this many of `rows_looked_at` rows is not rare.
constexpr std::size_t often = 1000;
/// Maximum number of jobs of a group that are searched one by one.
constexpr std::size_t jobs_looked_at = 200;

/// Statuses of runs in `rm_failed_run`.
std::int32_t failed_bits() noexcept {
  using enum core::run_status;
  return status_bits({failed, missed, timed_out, not_sent, lost, killed, unknown});
}

/// Statuses of runs without a result that have not failed.
std::int32_t open_bits() noexcept { return status_bits({core::run_status::running, core::run_status::pending}); }

/// Returns the last id up to which, judging from samples, all rows are older than `limit`.
core::log_id last_before(run_paths& log, const core::log_span& span, const std::string& limit) {
  auto before = core::number(span.first) - 1;
  auto behind = core::number(span.last);
  while (before < behind) {
    const auto middle = before + (behind - before + 1) / 2;
    if (const auto seen = log.look_at(core::log_id{middle}); seen && seen->newest < limit)
      before = std::max(middle, core::number(seen->last));
    else
      behind = middle - 1;
  }
  return core::log_id{std::max<std::int64_t>(before, 0)};
}

std::string list_of(const std::vector<core::group_id>& groups) {
  std::string out;
  for (const auto group : groups)
    out += (out.empty() ? "" : ",") + std::to_string(core::number(group));
  return out;
}

std::vector<core::group_id> visible_to(const core::principal& by) {
  std::vector<core::group_id> out;
  for (const auto& [group, right] : by.rights)
    if (right >= core::group_right::viewer)
      out.push_back(group);
  return out;
}

/// The search for one page.
class paging {
public:
  /// `count_max`: 0 searches no further than the end of the page.
  paging(run_paths& log, const run_terms& terms, const core::run_search& search, std::size_t count_max)
    : log_{log},
      terms_{terms},
      offset_{search.window.offset},
      end_{std::min<std::size_t>(offset_, run_reader::rows_looked_at) + std::min(search.window.limit, core::page_rows_max)},
      continues_{search.before.has_value() || search.only_complete},
      path_{best_path(log, terms)},
      wanted_{std::max(std::min(count_max + 1, fetches() ? fetched_max : count_max + 1), end_)} {}

  found_runs run(const core::log_range& bounds, std::size_t count_max) {
    const auto cut = first_stretch(bounds);
    found_runs out;
    if (cut > bounds.after) {
      out.rest = cut;
      if (!continues_)
        look_further({bounds.after, cut});
    }
    out.total = static_cast<std::int64_t>(std::min(ids_.size(), count_max));
    out.total_is_capped = cut > bounds.after || ids_.size() > count_max || ids_.size() >= wanted_;
    out.is_full = ids_.size() >= end_;
    if (offset_ < ids_.size() && offset_ < end_)
      out.ids.assign(ids_.begin() + static_cast<std::ptrdiff_t>(offset_),
                     ids_.begin() + static_cast<std::ptrdiff_t>(std::min(end_, ids_.size())));
    return out;
  }

private:
  static constexpr std::size_t fetched_max = run_reader::rows_fetched;

  /// Returns whether the path is an index that does not decide all conditions, so that rows have to be fetched.
  [[nodiscard]] bool fetches() const { return path_ != run_path::primary && !said_by_path(path_, terms_); }

  /// Returns the maximum number of rows that are read one after the other: messages are long.
  [[nodiscard]] std::int64_t stretch_rows() const {
    return terms_.words.empty() ? run_reader::rows_looked_at : run_reader::rows_searched;
  }

  /// Searches the first stretch and returns the lower bound of the ids read.
  core::log_id first_stretch(const core::log_range& bounds) {
    if (path_ == run_path::primary) {
      const bool all = terms_.of_any_kind() && !terms_.visible && !terms_.group && !terms_.job;
      const auto cut = all ? bounds.after : std::max(bounds.after, core::log_id{core::number(bounds.through) - stretch_rows()});
      add(log_.newest(path_, terms_, {cut, bounds.through}, wanted_));
      return cut;
    }
    // The rows after the time bound are met first.
    const auto rows = !fetches()     ? std::numeric_limits<std::int64_t>::max()
                      : terms_.until ? run_reader::rows_fetched + late_rows
                                     : run_reader::rows_fetched;
    return look_along(path_, terms_, bounds, wanted_, rows);
  }

  core::log_id look_along(run_path path, const run_terms& terms, const core::log_range& range, std::size_t limit,
                          std::int64_t rows) {
    auto seen = log_.look_along(path, terms, range, limit, rows);
    add(std::move(seen.ids));
    return seen.floor.value_or(range.after);
  }

  /// Adds older rows to which another index leads, for readers who do not continue the search. Other rows between them may match,
  /// too: failures that a Java admin recorded or that a late success followed, and runs of jobs that have moved to another group
  /// since or that were not looked at. So a continuation begins above all of these rows, and reads them in their order.
  void look_further(const core::log_range& rest) {
    if (ids_.size() >= end_)
      return;
    if (terms_.only_of(failed_bits()))
      look_along(run_path::failed, terms_, rest, wanted_ - ids_.size(), run_reader::rows_fetched);
    else if (path_ == run_path::primary && (terms_.group || terms_.visible) && log_.has(run_path::job) && is_rare(rest.through))
      look_at_jobs(rest);
  }

  /// Returns whether the group has few of the rows read so far, so that its jobs may have older matching rows.
  [[nodiscard]] bool is_rare(core::log_id cut) {
    if (terms_.of_any_kind())
      return true;
    run_terms whatever;
    whatever.group = terms_.group;
    whatever.job = terms_.job;
    whatever.visible = terms_.visible;
    whatever.from = terms_.from;
    whatever.until = terms_.until;
    const core::log_range seen{cut, core::log_id{core::number(cut) + stretch_rows()}};
    return log_.newest(run_path::primary, whatever, seen, often).size() < often;
  }

  /// Divides the allowed number of rows among the jobs.
  void look_at_jobs(const core::log_range& rest) {
    const auto jobs = log_.jobs_of(terms_, jobs_looked_at);
    if (jobs.empty())
      return;
    const auto share = run_reader::rows_fetched / static_cast<std::int64_t>(jobs.size());
    const auto limit = std::min(end_, static_cast<std::size_t>(share));
    auto of_job = terms_;
    for (const auto job : jobs) {
      of_job.job = job;
      look_along(run_path::job, of_job, rest, limit, share);
    }
    std::sort(ids_.begin(), ids_.end(), std::greater<>{});
  }

  void add(std::vector<core::log_id>&& more) { ids_.insert(ids_.end(), more.begin(), more.end()); }

  run_paths& log_;
  const run_terms& terms_;
  const std::size_t offset_;
  const std::size_t end_;
  /// Whether the search goes on below an earlier page, or later pages go on below this one.
  const bool continues_;
  const run_path path_;
  const std::size_t wanted_;
  std::vector<core::log_id> ids_;
};

/// Returns a text that is equal for equal searches, regardless of the page.
std::string question_of(const run_terms& terms, const core::run_search& search, std::size_t count_max) {
  std::string out = std::to_string(count_max) + ' ' + std::to_string(static_cast<int>(terms.status));
  out += ' ' + std::to_string(terms.one_of) + " after " + std::to_string(core::number(search.after.value_or(core::log_id{})));
  out += " group " + (terms.group ? std::to_string(core::number(*terms.group)) : "any");
  out += " job " + (terms.job ? std::to_string(core::number(*terms.job)) : "any");
  for (const auto* part : {&terms.visible, &terms.from, &terms.until})
    out += ' ' + part->value_or("any");
  out += " kinds " + std::to_string(terms.kinds) + " took " + std::to_string(terms.min_seconds.value_or(0));
  out += search.only_complete ? " complete" : "";
  for (const auto* part : {&terms.note, &terms.handler, &terms.address, &terms.words})
    out += ' ' + std::to_string(part->size()) + ' ' + *part;
  return out;
}

/// Sets the conditions that no index serves.
void add_unindexed(run_terms& terms, const core::run_search& search, datetime_text& dates) {
  for (const auto kind : search.kinds)
    terms.kinds |= 1 << static_cast<std::int32_t>(kind);
  terms.address = search.address.substr(0, search.address.find_last_not_of('/') + 1);
  if (search.min_duration) {
    terms.min_seconds = std::chrono::ceil<std::chrono::seconds>(*search.min_duration).count();
    if (search.as_of)
      terms.open_until = dates.of(*search.as_of - *search.min_duration);
  }
  if (search.words.empty())
    return;
  std::string escaped;
  for (const char each : search.words)
    escaped.append(each == '%' || each == '_' || each == '|' ? "|" : "").append(1, each);
  terms.words = '%' + escaped + '%';
  terms.words_after_note = "rm_;%;%;%;%;%;%;%;%" + escaped + '%';
}

/// Finds the runs of a page, without the time of its end.
found_runs find_within(run_paths& log, const run_terms& terms, const core::run_search& search, std::size_t count_max,
                       datetime_text& dates, seen_totals& totals) {
  auto bounds = bounds_of(log, search.from, search.to, dates);
  if (search.before)
    bounds.through = std::min(bounds.through, core::log_id{core::number(*search.before) - 1});
  if (search.after)
    bounds.after = std::max(bounds.after, *search.after);
  if (bounds.after >= bounds.through || (terms.visible && terms.visible->empty()))
    return {};
  if (search.before) // a separate search for each page
    return paging{log, terms, search, count_max}.run(bounds, count_max);
  const auto question = question_of(terms, search, count_max);
  if (const auto known = totals.find(question, 0, seen_totals::clock::now())) {
    auto page = paging{log, terms, search, 0}.run(bounds, 0);
    if (page.is_full) {
      page.total = *known;
      page.total_is_capped = true;
      return page;
    }
  }
  auto out = paging{log, terms, search, count_max}.run(bounds, count_max);
  if (out.total_is_capped)
    totals.keep(question, 0, out.total, seen_totals::clock::now());
  return out;
}

} // namespace

std::int32_t status_bits(const std::vector<core::run_status>& statuses) noexcept {
  std::int32_t bits = 0;
  for (const auto each : statuses)
    bits |= 1 << static_cast<std::int32_t>(each);
  return bits;
}

core::run_search narrowed(const core::run_search& search) {
  auto out = search;
  const run_terms asked{.status = search.status, .one_of = status_bits(search.one_of)};
  if (search.min_duration && search.as_of && asked.only_of(open_bits()))
    out.to = std::min(search.to.value_or(core::time_point::max()), *search.as_of - *search.min_duration);
  return out;
}

std::string note_of_origin(core::log_id origin) { return "rm_;%@" + std::to_string(core::number(origin)) + ";%"; }

core::result<void> check_groups(std::optional<core::group_id> group, std::optional<core::group_id> group_of_job,
                                const core::principal& by) {
  for (const auto each : {group, group_of_job})
    if (each)
      if (auto right = core::check_right(by, core::group_right::viewer, *each); !right)
        return right;
  return {};
}

core::result<run_terms> terms_of(const core::run_search& search, std::optional<core::group_id> group_of_job,
                                 const core::principal& by, datetime_text& dates) {
  if (auto right = check_groups(search.group, group_of_job, by); !right)
    return tl::unexpected{right.error()};
  run_terms terms{search.group, search.job, {}, search.status, {}, {}, search.handler, status_bits(search.one_of)};
  if (search.origin)
    terms.note = note_of_origin(*search.origin);
  if (!by.admin)
    terms.visible = list_of(visible_to(by));
  else if (search.visible)
    terms.visible = list_of(*search.visible);
  if (search.from)
    terms.from = dates.of(*search.from);
  if (search.to)
    terms.until = dates.of(*search.to);
  add_unindexed(terms, search, dates);
  return terms;
}

core::log_range bounds_of(run_paths& log, std::optional<core::time_point> from, std::optional<core::time_point> until,
                          datetime_text& dates) {
  const auto span = log.span();
  core::log_range out{core::log_id{std::max<std::int64_t>(core::number(span.first) - 1, 0)}, span.last};
  if (from)
    out.after = std::max(out.after, last_before(log, span, std::string{dates.of(*from - claimed_ahead)}));
  if (until)
    out.through = std::min(
      out.through,
      core::log_id{core::number(last_before(log, span, std::string{dates.of(*until + 1s + claimed_ahead)})) + late_rows});
  return out;
}

bool said_by_path(run_path path, const run_terms& terms) noexcept {
  const bool of_path = path == run_path::job ? !terms.group : path == run_path::group && !terms.job;
  return of_path && terms.of_any_kind() && !terms.visible && !terms.from && !terms.until;
}

run_path best_path(const run_paths& log, const run_terms& terms) {
  if (terms.job && log.has(run_path::job))
    return run_path::job;
  if (terms.only_of(open_bits()) && log.has(run_path::open))
    return run_path::open;
  return terms.group && log.has(run_path::group) ? run_path::group : run_path::primary;
}

found_runs find_runs(run_paths& log, const run_terms& terms, const core::run_search& search, std::size_t count_max,
                     datetime_text& dates, seen_totals& totals) {
  auto out = find_within(log, terms, search, count_max, dates, totals);
  if (out.rest && (!out.is_full || out.ids.empty() || out.ids.back() <= *out.rest))
    if (const auto next = log.look_at(core::log_id{core::number(*out.rest) + 1}))
      out.searched_to = dates.read(next->newest);
  return out;
}

} // namespace ringmaster::storage
