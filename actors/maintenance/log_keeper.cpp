#include "actors/maintenance/log_keeper.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "actors/maintenance/log_keeper_times.hpp"
#include "actors/metrics.hpp"
#include "actors/next_tick.hpp"
#include "core/text/text.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

/// Delay after a result: the body may write more while it is being ended.
constexpr milliseconds settle{3'000};
/// Time limit for all parts of one log.
constexpr milliseconds fetch_limit{30'000};

} // namespace

log_keeper_state::log_keeper_state(protocol::log_keeper::pointer self, keeper_partners partners,
                                   config::retention_settings retention, milliseconds limit, protocol::wall_clock clock,
                                   logger log)
  : self_{self},
    store_{self, std::move(partners.store)},
    pool_{std::move(partners.pool)},
    retention_{retention},
    limit_{limit},
    clock_{std::move(clock)},
    log_{std::move(log)},
    kept_{make_counter(self->system(), "logs-kept", "Logs of finished runs that were kept.")},
    given_up_{make_counter(self->system(), "logs-given-up", "Logs that were to be kept and could not be fetched.")},
    size_limit_{self, store_, retention.kept_logs_bytes_max} {}

protocol::log_keeper::behavior_type log_keeper_state::make_behavior() {
  next_tick_ = now();
  arm();
  return {
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](const protocol::slot_change& change) { change_slots(change); },
    [this](protocol::tick_atom) { tick(); },
  };
}

void log_keeper_state::change_incarnation(const protocol::incarnation_change& change) {
  alive_ = change.life.has_value();
  set_duty(false); // the slots of the new incarnation follow
}

void log_keeper_state::change_slots(const protocol::slot_change& change) { set_duty(alive_ && change.slots.test(0)); }

void log_keeper_state::set_duty(bool on) {
  if (std::exchange(duty_, on) == on)
    return;
  store_.change();
  looking_ = false;
  duty_since_ = clock_.at(now());
  pending_.clear();
  fetches_.clear();
  silent_.clear();
  failed_.clear();
  refused_.clear();
  size_limit_.restart();
  next_look_ = now();
}

void log_keeper_state::tick() {
  if (now() < next_tick_)
    return;
  arm();
  if (!duty_)
    return;
  if (now() >= next_look_)
    look();
  size_limit_.step();
}

void log_keeper_state::arm() {
  const bool busy = duty_ && (pending_.is_in_round() || size_limit_.is_busy());
  next_tick_ = next_tick(next_tick_, busy ? keeper_busy_pause : keeper_period, now());
  protocol::send_at(self_, protocol::log_keeper{self_}, next_tick_, protocol::tick_atom{});
}

void log_keeper_state::look() {
  if (looking_ || fetches_.is_full())
    return;
  pending_.make_room();
  looking_ = true;
  store_.read<std::vector<core::pending_log>>(
    [after = pending_.after()](storage::store& store) { return store.kept_logs().pending(after, looked_at); },
    [this](core::result<std::vector<core::pending_log>>&& found) {
      looking_ = false;
      looked(std::move(found));
    });
}

void log_keeper_state::looked(core::result<std::vector<core::pending_log>>&& found) {
  if (!found) {
    next_look_ = now() + keeper_retry;
    return;
  }
  const bool last = pending_.add_section(std::move(*found));
  next_look_ = now() + (last ? keeper_period : keeper_busy_pause);
  take();
  if (last)
    silent_.begin_round(now());
}

void log_keeper_state::take() {
  std::vector<core::pending_log> hopeless;
  for (auto& run : pending_.take_waiting()) {
    switch (judge(run)) {
    case verdict::fetch: fetch(std::move(run)); break;
    case verdict::busy: pending_.wait(std::move(run)); break;
    case verdict::hopeless: hopeless.push_back(std::move(run)); break;
    case verdict::later: pending_.forget(run.run); break; // the next round finds it again
    }
  }
  if (!hopeless.empty())
    give_up(hopeless, "its executor does not answer");
}

log_keeper_state::verdict log_keeper_state::judge(const core::pending_log& run) {
  const auto age = clock_.at(now()) - run.since;
  const bool waits = age >= milliseconds{0} && age < settle; // the clock may have been put back
  if (waits || refused_.is_waiting(now()))
    return verdict::later;
  if (run.address.empty()) // the answer to the trigger may come after the result
    return has_waited(run) ? verdict::hopeless : verdict::later;
  if (fetches_.is_full(run.address))
    return verdict::busy;
  if (!silent_.contains(run.address))
    return verdict::fetch;
  if (!silent_.may_ask(run.address, run.run, now()))
    return has_waited(run) && silent_.is_silent_for(run.address, patience, now()) ? verdict::hopeless : verdict::later;
  if (fetches_.is_full_of_doubtful())
    return verdict::later;
  silent_.ask(run.address, now() + fetch_limit);
  return verdict::fetch;
}

bool log_keeper_state::has_waited(const core::pending_log& run) const {
  return clock_.at(now()) - std::max(run.since, duty_since_) >= patience;
}

void log_keeper_state::fetch(core::pending_log&& run) {
  const bool doubtful = silent_.contains(run.address);
  fetches_.begin(run.address, doubtful);
  auto work = std::make_shared<fetching>(fetching{std::move(run), doubtful, now() + fetch_limit});
  protocol::request(self_, pool_, limit_, protocol::link_query{work->run.address})
    .then(
      [this, work, epoch = store_.epoch()](protocol::link_handle& found) {
        work->link = std::move(found.link);
        if (epoch == store_.epoch())
          ask_executor(work);
      },
      [this, work, epoch = store_.epoch()](const caf::error& why) {
        if (epoch == store_.epoch())
          failed(work, protocol::to_core(why).context);
      });
}

void log_keeper_state::ask_executor(const fetching_ptr& work) {
  const auto& run = work->run;
  protocol::request(self_, work->link, limit_, protocol::log_request{run.run, run.trigger_time, work->from_line, run.group})
    .then(
      [this, work, epoch = store_.epoch()](protocol::log_reply& reply) {
        if (epoch == store_.epoch())
          answered(work, std::move(reply));
      },
      [this, work, epoch = store_.epoch()](const caf::error&) {
        if (epoch == store_.epoch())
          failed(work, "request timed out");
      });
}

// The run has its result: no line follows the last one, whatever the executor says.
void log_keeper_state::answered(const fetching_ptr& work, protocol::log_reply&& reply) {
  if (!reply.answered && !reply.too_long)
    return failed(work, reply.error);
  silent_.answered(work->run.address);
  const bool first = work->from_line == 1;
  if (reply.too_long)
    return cannot_be_had(work, reply.error);
  if (first && reply.to_line <= 0 && !reply.content.empty()) // a sentence that says that there is no log
    return cannot_be_had(work, "its executor has no log");
  const bool has_more = !reply.content.empty() && (first || reply.to_line >= work->from_line);
  if (has_more) {
    if (!work->text.empty() && work->text.back() != '\n')
      work->text += '\n';
    work->text += core::valid_utf8(reply.content);
  }
  const bool goes_on = has_more && !reply.end && reply.to_line >= work->from_line
                       && reply.to_line < std::numeric_limits<std::int32_t>::max();
  if (!goes_on || work->text.size() > retention_.kept_log_bytes_max)
    return put(work);
  if (now() >= work->until)
    return failed(work, "request timed out");
  work->from_line = reply.to_line + 1;
  ask_executor(work);
}

void log_keeper_state::failed(const fetching_ptr& work, const std::string& why) {
  const auto& run = work->run;
  const bool was_silent = silent_.failed(run.address, run.run, now());
  log_->debug("run={} its log cannot be fetched now: {}", core::number(run.run), why);
  const bool again = failed_.add(run.run);
  if (again && has_waited(run) && (!was_silent || silent_.is_silent_for(run.address, patience, now())))
    return cannot_be_had(work, why);
  done(work);
}

void log_keeper_state::cannot_be_had(const fetching_ptr& work, const std::string& why) {
  give_up({work->run}, why);
  release(work);
}

void log_keeper_state::put(const fetching_ptr& work) {
  const bool cut = work->text.size() > retention_.kept_log_bytes_max;
  auto text = std::make_shared<const std::string>(core::cut_log(std::move(work->text), retention_.kept_log_bytes_max));
  store_.write_much<bool>(
    [run = work->run.run, text, cut](storage::store& store) { return store.kept_logs().keep(run, *text, cut); },
    [this, work, bytes = text->size()](const core::result<bool>& kept) { stored(work, bytes, kept); });
}

void log_keeper_state::stored(const fetching_ptr& work, std::size_t bytes, const core::result<bool>& kept) {
  if (!kept) {
    log_->warn("run={} its log could not be stored now: {}", core::number(work->run.run), kept.error().context);
    const bool is_cause = refused_.refuse(work->run.run, now());
    return is_cause && has_waited(work->run) ? cannot_be_had(work, kept.error().context) : done(work);
  }
  refused_.take();
  if (*kept) {
    kept_->inc();
    size_limit_.add(bytes);
  }
  done(work);
}

void log_keeper_state::give_up(const std::vector<core::pending_log>& runs, const std::string& why) {
  auto ids = std::make_shared<std::vector<core::log_id>>();
  for (const auto& run : runs)
    ids->push_back(run.run);
  log_->info("the logs of {} runs are not kept, the first is run={} of {}: {}", runs.size(), core::number(runs.front().run),
             runs.front().address, why);
  store_.write_much<void>([ids](storage::store& store) { return store.kept_logs().give_up(*ids); },
                          [this, ids](const core::result<void>& gone) {
                            for (const auto run : *ids) {
                              pending_.forget(run);
                              failed_.forget(run);
                              refused_.forget(run);
                            }
                            if (gone)
                              given_up_->inc(static_cast<std::int64_t>(ids->size()));
                            else
                              refused_.delay(now());
                          });
}

void log_keeper_state::done(const fetching_ptr& work) {
  pending_.forget(work->run.run);
  release(work);
}

void log_keeper_state::release(const fetching_ptr& work) {
  fetches_.end(work->run.address, work->doubtful);
  take();
}

} // namespace ringmaster::actors
