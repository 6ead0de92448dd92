// job_world: faults, edits, and what they allow to be judged.

#include <algorithm>
#include <utility>

#include "core/access/principal.hpp"
#include "tests/simulation/elastic/job_world.hpp"
#include "tests/simulation/elastic/sim_host.hpp"
#include "tests/simulation/elastic/sim_node.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation::elastic {

namespace {

/// Effects of a fault on links and keepers are over after this time.
constexpr span recovery = 3s;
/// Effects of faults and edits on fires are over.
constexpr span quiet_after = 6s;

} // namespace

void job_world::disturb(const fault& one) {
  using enum trouble;
  const auto until = now_ + one.lasts + milliseconds{std::abs(one.by)};
  disturbed_until_ = std::max(disturbed_until_, until);
  switch (one.what) {
  case kill_host:
  case stop_host:
  case second_process:
  case drain_host: {
    auto& since = hosts_.at(static_cast<std::size_t>(one.host)).well_since;
    since = std::max(since, until + recovery);
    return;
  }
  case jump_wall: return;
  default: break;
  }
  const bool is_link = one.what == cut || one.what == half_open_to_host || one.what == half_open_to_node || one.what == lose_link;
  for (int host = 0; host < what_.hosts; ++host)
    for (int node = 0; node < what_.nodes; ++node)
      if (is_for(one, is_link ? host : one.host, node) || (!is_link && (one.node == all || one.node == node))) {
        auto& since = links_well_since_[{host, node}];
        since = std::max(since, until + recovery);
      }
}

// A node that was to stop while it stood still ends when it goes on: later than the fault said.
void job_world::disturb_links_of(int node, milliseconds lasts) {
  disturbed_until_ = std::max(disturbed_until_, now_ + lasts);
  for (int host = 0; host < what_.hosts; ++host) {
    auto& since = links_well_since_[{host, node}];
    since = std::max(since, now_ + lasts + recovery);
  }
}

void job_world::strike_now(const fault& one) {
  using enum trouble;
  say("fault: " + describe(one));
  disturb(one);
  const auto& host = hosts_.at(static_cast<std::size_t>(std::max(one.host, 0)));
  switch (one.what) {
  case kill_host: return restart_host(one.host, one.lasts);
  case stop_host: return host.process ? host.process->stop_for(one.lasts) : void();
  case jump_wall:
    if (host.process)
      host.process->jump_wall(milliseconds{one.by});
    return after(one.lasts, [process = std::weak_ptr{host.process}] {
      if (const auto there = process.lock())
        there->jump_wall(milliseconds{0});
    });
  case second_process: return start_second(one.host, one.lasts);
  case drain_host: return this->drain_host(one.host, one.lasts);
  case cut:
  case half_open_to_host:
  case half_open_to_node:
  case lose_link:
    if (one.what != lose_link && one.by == 0)
      return;
    return after(milliseconds{one.by}, [this, &one] {
      for (const auto& each : wires_)
        if (is_for(one, each->host(), each->node()))
          each->lose();
    });
  case kill_node: return restart_node(one.node, one.lasts);
  case stop_node:
    if (const auto& node = nodes_.at(static_cast<std::size_t>(one.node)).process)
      node->stop_for(one.lasts);
    return;
  case leave_node: return this->leave_node(one.node, one.lasts);
  default: return;
  }
}

void job_world::add_jobs() {
  core::group_draft draft;
  draft.app_name = "elastic";
  draft.title = "Elastic";
  const auto group = test::expect(editor_->group_editing().add(draft, core::local_operator(), true_time()));
  for (const auto& each : what_.jobs) {
    core::elastic::elastic_edit edit;
    edit.what.name = "job" + std::to_string(jobs_.size());
    edit.what.group = group;
    edit.what.handler = "sum";
    edit.what.total = each.total;
    edit.what.options = each.options;
    jobs_.push_back(test::expect(editor_->elastic().put(edit, true_time(), core::local_operator())).id);
    checker_.set_status(core::number(jobs_.back()), core::elastic::job_status::on);
  }
}

void job_world::apply(const job_edit& what) {
  using core::elastic::job_status;
  auto& store = editor_->elastic();
  const auto job = jobs_.at(what.job);
  const auto& by = core::local_operator();
  say("edit of job " + std::to_string(core::number(job)) + ": " + std::string{to_string(what.what)} + ' ' +
      std::to_string(what.number));
  disturbed_until_ = std::max(disturbed_until_, now_);
  checker_.edited(core::number(job));
  const core::elastic::item_number item{what.number};
  switch (what.what) {
  case change::total:
  case change::strategy: {
    auto read = store.read_job(job);
    if (!read)
      return checker_.broken("an edit reads no job: " + read.error().context);
    core::elastic::elastic_edit edit;
    edit.id = job;
    edit.version = read->job.version;
    edit.what = read->job.what;
    if (what.what == change::total)
      edit.what.total = what.number;
    else
      edit.what.options.strategy = edit.what.options.strategy.empty() ? "STICKY" : "";
    if (const auto done = store.put(edit, true_time(), by); !done)
      checker_.broken("an edit is refused: " + done.error().context);
    return;
  }
  case change::enable:
  case change::disable: {
    const auto status = what.what == change::enable ? job_status::on : job_status::off;
    test::expect(store.set_status(job, status, true_time(), by));
    return checker_.set_status(core::number(job), status);
  }
  case change::enable_item:
  case change::disable_item: {
    const bool disabled = what.what == change::disable_item;
    // An item that an edit has removed.
    if (const auto done = store.set_item_disabled(job, item, disabled, true_time(), by); done)
      checker_.set_disabled(core::number(job), what.number, disabled);
    return;
  }
  case change::request: {
    core::elastic::request_row request;
    request.id = core::elastic::request_id{++last_request_};
    request.job = job;
    request.policy = core::elastic::request_policy{static_cast<std::uint8_t>(random(3))};
    request.at = true_time();
    test::expect(store.add_request(request, true_time(), by));
    return;
  }
  }
}

// -- judgement -------------------------------------------------------------------------------------------------------------

bool job_world::is_undisturbed(const host_process& host, span since) const {
  const auto& seat = hosts_.at(static_cast<std::size_t>(host.number()));
  if (seat.process.get() != &host || seat.second || seat.well_since > since)
    return false;
  int well = 0;
  for (int node = 0; node < what_.nodes; ++node) {
    const auto found = links_well_since_.find({host.number(), node});
    well += found == links_well_since_.end() || found->second <= since ? 1 : 0;
  }
  return well >= 1 && well >= what_.nodes - 1;
}

bool job_world::is_quiet() const { return now_ > quiet_after && now_ > disturbed_until_ + quiet_after; }

bool job_world::is_host_well(const std::string& address) const {
  const auto all_of = host_processes();
  return std::any_of(all_of.begin(), all_of.end(),
                     [&](const auto& each) { return each->address() == address && each->is_running(); });
}

} // namespace ringmaster::simulation::elastic
