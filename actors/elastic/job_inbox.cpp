// job_coordination: results that another node has heard (E14).

#include <algorithm>
#include <utility>

#include "actors/elastic/job_coordination.hpp"
#include "core/elastic/heard_result.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;
using event_kind = protocol::elastic_event_kind;

} // namespace

// The reading tells all that the inbox has: results of runs that have ended since are no longer there.
void job_coordination::take_inbox(std::vector<elastic::inbox_row>&& rows, job_moment at) {
  inbox_ = std::move(rows);
  if (!inbox_.empty())
    for (const auto which : busy_items())
      hear_inbox(which, at);
}

// The store takes no loss of such a run: a result that cannot be read must end it, too.
void job_coordination::hear_inbox(item_number which, job_moment at) {
  const auto* found = items_.find(which);
  if (found == nullptr)
    return;
  const auto& one = found->state;
  const auto heard = std::lower_bound(inbox_.begin(), inbox_.end(), one.run,
                                      [](const elastic::inbox_row& row, elastic::item_run_id run) { return row.run < run; });
  if (heard == inbox_.end() || heard->run != one.run || !elastic::holds(one, heard->run, heard->fence))
    return;
  protocol::elastic_event event;
  event.job = job_->id;
  event.item = which;
  event.run = one.run;
  event.fence = one.fence;
  event.kind = event_kind::finished;
  bool is_cut_short = false;
  if (auto result = elastic::decode_result(heard->outcome)) {
    event.kind = result->end == elastic::heard_end::refused  ? event_kind::refused
                 : result->end == elastic::heard_end::fenced ? event_kind::fenced
                                                             : event_kind::finished;
    is_cut_short = result->end == elastic::heard_end::cut_short;
    event.outcome = result->outcome;
    event.at = result->at;
    event.text = std::move(result->text);
    event.cursor = std::move(result->cursor);
    event.cursor_number = result->cursor_number;
  } else {
    out_.problems.push_back("run " + std::to_string(core::number(one.run)) + ": " + result.error().context);
    event.outcome = elastic::host_outcome::error;
    event.at = at.wall;
    event.text = result.error().context;
  }
  inbox_.erase(heard);
  protocol::host_events from;
  from.host = one.host;
  hear_event(from, event, at, is_cut_short);
}

} // namespace ringmaster::actors
