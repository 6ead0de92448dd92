#include "storage/rules/run_clearing.hpp"

#include <algorithm>
#include <iterator>

#include "core/rules/audit_rules.hpp"
#include "storage/maintenance_store.hpp"

namespace ringmaster::storage {

namespace {

/// Number of the newest runs that one step counts among the runs to keep.
constexpr std::size_t kept_at_once = 20'000;

/// Returns the path of one of two conditions; the other one is checked on its rows.
run_path path_of(const run_paths& log, const run_terms& terms) {
  if (terms.job && log.has(run_path::job))
    return run_path::job;
  return terms.group && log.has(run_path::group) ? run_path::group : run_path::primary;
}

/// Counts some of the runs to keep.
clear_finding keep_some(run_paths& log, run_path path, const run_terms& terms, const core::clear_place& from) {
  auto range = core::log_range{from.after, from.through};
  if (path == run_path::primary)
    range.after = std::max(from.after, core::log_id{core::number(from.through) - maintenance_store::ids_per_call});
  const auto asked = std::min(from.keep, kept_at_once);
  const auto stay = log.newest(path, terms, range, asked);
  const auto through = stay.size() == asked ? core::log_id{core::number(stay.back()) - 1} : range.after;
  clear_finding out;
  if (through > from.after)
    out.next = core::clear_place{from.after, through, from.keep - stay.size()};
  return out;
}

} // namespace

void leave_out(std::vector<core::log_id>& ids, const std::vector<core::log_id>& held) {
  std::vector<core::log_id> rest;
  std::set_difference(ids.begin(), ids.end(), held.begin(), held.end(), std::back_inserter(rest));
  ids = std::move(rest);
}

core::result<run_terms> clear_terms_of(const core::clear_search& search, std::optional<core::group_id> group_of_job,
                                       const core::principal& by, datetime_text& dates) {
  const auto group = search.group ? search.group : group_of_job;
  auto right = group ? core::check_right(by, core::group_right::editor, *group) : core::check_admin(by);
  if (!right)
    return tl::unexpected{right.error()};
  // A job that has moved left runs in its earlier group. Users with permission in the present group only must not clear them.
  run_terms terms{by.admin ? search.group : group, search.job, {}, core::run_status::any, {}, {}};
  if (search.until)
    terms.until = dates.of(*search.until);
  return terms;
}

std::optional<core::clear_place> clear_begin(run_paths& log, const core::clear_search& search, datetime_text& dates) {
  const auto bounds = bounds_of(log, {}, search.until, dates);
  if (bounds.after >= bounds.through)
    return std::nullopt;
  return core::clear_place{bounds.after, bounds.through, search.keep_newest.value_or(0)};
}

clear_finding clear_next(run_paths& log, const run_terms& terms, const core::clear_place& from, std::size_t limit) {
  const auto path = path_of(log, terms);
  if (from.keep > 0)
    return keep_some(log, path, terms, from);
  auto range = core::log_range{from.after, from.through};
  if (path == run_path::primary)
    range.through = std::min(from.through, core::log_id{core::number(from.after) + maintenance_store::ids_per_call});
  clear_finding out{log.oldest(path, terms, range, limit), range, {}};
  if (!out.ids.empty() && out.ids.size() >= limit)
    out.range.through = out.ids.back();
  if (out.range.through < from.through)
    out.next = core::clear_place{out.range.through, from.through, 0};
  return out;
}

core::audit_row audit_of_clearing(const core::clear_search& search, const core::principal& by, datetime_text& dates,
                                  core::time_point now) {
  std::string what = search.group ? "group " + std::to_string(core::number(*search.group)) : "";
  if (search.job)
    what += (what.empty() ? "job " : ", job ") + std::to_string(core::number(*search.job));
  std::vector<core::audit_line> changes;
  if (search.until)
    changes.push_back("until: " + dates.of(*search.until));
  if (search.keep_newest)
    changes.push_back("keep_newest: " + std::to_string(*search.keep_newest));
  return core::audit_of(by, core::audit_action::clear, core::audit_object::run, 0, what.empty() ? "all" : what, changes, now);
}

} // namespace ringmaster::storage
