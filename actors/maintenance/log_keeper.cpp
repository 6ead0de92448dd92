#include "actors/maintenance/log_keeper.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "actors/metrics.hpp"
#include "actors/next_tick.hpp"
#include "core/text/text.hpp"

namespace ringmaster::actors {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds tick_period{1'000};
/// Pause between two steps while there is more to do.
constexpr milliseconds busy_pause{20};
constexpr milliseconds keeper_retry{5'000};
constexpr milliseconds keeper_retry_max{300'000};
/// Delay after a result: the body may write more while it is being ended.
constexpr milliseconds settle{3'000};
/// Time limit for all parts of one log.
constexpr milliseconds fetch_limit{30'000};
/// Time for which an executor that does not answer is not asked.
constexpr milliseconds silence_min{1'000};
constexpr milliseconds silence_max{60'000};
/// Maximum of executors remembered as silent, and of runs whose logs could not be fetched once.
constexpr std::size_t silent_max = 10'000;
constexpr std::size_t failed_max = 10'000;
/// Maximum of runs that wait here for a busy executor.
constexpr std::size_t waiting_max = 4 * log_keeper_state::looked_at;
constexpr std::chrono::minutes measure_period{10};
constexpr std::size_t dropped_at_once = 1'000;
/// Up to 4 MiB of text.
constexpr std::size_t removed_at_once = 64;

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
    shown_bytes_{self->system().metrics().gauge_singleton("ringmaster", "kept-log-bytes", "Bytes of all kept logs.")} {}

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
  looking_ = tidying_ = removing_ = has_measured_ = false;
  after_ = {};
  duty_since_ = clock_.at(now());
  waiting_.clear();
  taken_.clear();
  busy_.clear();
  under_way_ = doubtful_ = 0;
  silent_.clear();
  failed_.clear();
  refused_.clear();
  store_failures_ = 0;
  bytes_ = 0;
  shown_bytes_->value(0); // the new leader shows it
  next_look_ = next_tidy_ = next_measure_ = now();
}

void log_keeper_state::tick() {
  if (now() < next_tick_)
    return;
  arm();
  if (!duty_)
    return;
  if (now() >= next_look_)
    look();
  if (now() >= next_tidy_)
    tidy();
}

void log_keeper_state::arm() {
  const bool busy = duty_ && (after_ != core::log_id{} || removing_ || is_too_much());
  next_tick_ = next_tick(next_tick_, busy ? busy_pause : tick_period, now());
  protocol::send_at(self_, protocol::log_keeper{self_}, next_tick_, protocol::tick_atom{});
}

// -- logs to fetch ---------------------------------------------------------------------------------------------------------

void log_keeper_state::look() {
  if (looking_ || under_way_ >= fetches_max)
    return;
  if (waiting_.size() >= waiting_max) { // must not delay other executors: the next round finds these runs again
    for (const auto& run : waiting_)
      taken_.erase(run.run);
    waiting_.clear();
  }
  looking_ = true;
  store_.read<std::vector<core::pending_log>>(
    [after = after_](storage::store& store) { return store.kept_logs().pending(after, looked_at); },
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
  const bool last = found->size() < looked_at;
  after_ = last ? core::log_id{} : found->back().run;
  next_look_ = now() + (last ? tick_period : busy_pause);
  for (auto& run : *found)
    if (taken_.insert(run.run).second)
      waiting_.push_back(std::move(run));
  take();
  if (last)
    for (auto& [address, silent] : silent_)
      if (now() >= silent.until)
        silent.tried = {};
}

void log_keeper_state::take() {
  std::vector<core::pending_log> hopeless;
  std::deque<core::pending_log> busy;
  for (auto& run : waiting_) {
    switch (judge(run)) {
    case verdict::fetch: fetch(std::move(run)); break;
    case verdict::busy: busy.push_back(std::move(run)); break;
    case verdict::hopeless: hopeless.push_back(std::move(run)); break;
    case verdict::later: taken_.erase(run.run); break; // the next round finds it again
    }
  }
  waiting_ = std::move(busy);
  if (!hopeless.empty())
    give_up(hopeless, "its executor does not answer");
}

log_keeper_state::verdict log_keeper_state::judge(const core::pending_log& run) {
  const auto age = clock_.at(now()) - run.since;
  const bool waits = age >= milliseconds{0} && age < settle; // the clock may have been put back
  if (waits || now() < store_until_)
    return verdict::later;
  if (run.address.empty()) // the answer to the trigger may come after the result
    return has_waited(run) ? verdict::hopeless : verdict::later;
  const auto busy = busy_.find(run.address);
  if (under_way_ >= fetches_max || (busy != busy_.end() && busy->second >= fetches_of_one_max))
    return verdict::busy;
  const auto silent = silent_.find(run.address);
  if (silent == silent_.end())
    return verdict::fetch;
  if (now() < silent->second.until || run.run <= silent->second.tried)
    return has_waited(run) && now() - silent->second.since >= patience ? verdict::hopeless : verdict::later;
  if (doubtful_ >= doubtful_max)
    return verdict::later;
  silent->second.until = now() + fetch_limit; // one of its runs is enough to find out
  return verdict::fetch;
}

bool log_keeper_state::has_waited(const core::pending_log& run) const {
  return clock_.at(now()) - std::max(run.since, duty_since_) >= patience;
}

void log_keeper_state::fetch(core::pending_log&& run) {
  ++under_way_;
  ++busy_[run.address];
  const bool doubtful = silent_.contains(run.address);
  doubtful_ += doubtful ? 1 : 0;
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
  silent_.erase(work->run.address);
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
  if (silent_.size() >= silent_max)
    silent_.erase(silent_.begin());
  const auto [at, answered_others] = silent_.try_emplace(run.address, silence{0, now()});
  auto& silent = at->second;
  silent.until = now() + std::min(silence_max, silence_min * (1 << std::min(silent.failures, 6)));
  silent.tried = run.run;
  ++silent.failures;
  log_->debug("the log of run {} cannot be fetched now: {}", core::number(run.run), why);
  if (failed_.size() >= failed_max)
    failed_.clear();
  const bool again = !failed_.insert(run.run).second;
  if (again && has_waited(run) && (answered_others || now() - silent.since >= patience))
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
    [this, work, bytes = text->size()](const core::result<bool>& kept) {
      if (!kept) {
        log_->warn("the log of run {} could not be stored now: {}", core::number(work->run.run), kept.error().context);
        if (refused_.size() >= failed_max)
          refused_.clear();
        const bool alone = store_failures_ == 0; // the store took another text since it refused one
        store_until_ = now() + std::min(keeper_retry_max, keeper_retry * (1 << std::min(store_failures_++, 6)));
        const bool again = !refused_.insert(work->run.run).second;
        return again && alone && has_waited(work->run) ? cannot_be_had(work, kept.error().context) : done(work);
      }
      store_failures_ = 0;
      if (*kept) {
        kept_->inc();
        bytes_ += static_cast<std::int64_t>(bytes);
        shown_bytes_->value(bytes_);
        if (is_too_much())
          next_tidy_ = std::min(next_tidy_, now());
      }
      done(work);
    });
}

void log_keeper_state::give_up(const std::vector<core::pending_log>& runs, const std::string& why) {
  auto ids = std::make_shared<std::vector<core::log_id>>();
  for (const auto& run : runs)
    ids->push_back(run.run);
  log_->info("the logs of {} runs are not kept, the first is run {} of {}: {}", runs.size(), core::number(runs.front().run),
             runs.front().address, why);
  store_.write_much<void>([ids](storage::store& store) { return store.kept_logs().give_up(*ids); },
                          [this, ids](const core::result<void>& gone) {
                            for (const auto run : *ids) {
                              taken_.erase(run);
                              failed_.erase(run);
                              refused_.erase(run);
                            }
                            if (gone)
                              given_up_->inc(static_cast<std::int64_t>(ids->size()));
                            else
                              store_until_ = now() + keeper_retry;
                          });
}

void log_keeper_state::done(const fetching_ptr& work) {
  taken_.erase(work->run.run);
  release(work);
}

void log_keeper_state::release(const fetching_ptr& work) {
  --under_way_;
  doubtful_ -= work->doubtful ? 1 : 0;
  if (const auto busy = busy_.find(work->run.address); --busy->second == 0)
    busy_.erase(busy);
  take();
}

// -- size limit ------------------------------------------------------------------------------------------------------------

bool log_keeper_state::is_too_much() const noexcept {
  return bytes_ > static_cast<std::int64_t>(retention_.kept_logs_bytes_max);
}

// Dropped texts are removed between the steps that drop more.
void log_keeper_state::tidy() {
  if (tidying_)
    return;
  tidying_ = true;
  if (now() >= next_measure_ || (is_too_much() && !has_measured_))
    measure();
  else if (is_too_much() && !removing_)
    drop_oldest();
  else
    remove_dropped();
}

// A running sum does not include removals by others: it is measured again before anything is dropped.
void log_keeper_state::measure() {
  store_.read<std::int64_t>([](storage::store& store) { return store.kept_logs().bytes(); },
                            [this](const core::result<std::int64_t>& bytes) {
                              tidying_ = false;
                              if (!bytes) {
                                next_measure_ = next_tidy_ = now() + keeper_retry;
                                return;
                              }
                              bytes_ = *bytes;
                              shown_bytes_->value(bytes_);
                              has_measured_ = is_too_much();
                              next_measure_ = now() + measure_period;
                              next_tidy_ = now();
                            });
}

// Drops a little more than necessary, so that the size is not measured again for each log.
void log_keeper_state::drop_oldest() {
  const auto max = static_cast<std::int64_t>(retention_.kept_logs_bytes_max);
  store_.write_much<std::int64_t>(
    [excess = bytes_ - max + max / 20](storage::store& store) { return store.kept_logs().drop_oldest(excess, dropped_at_once); },
    [this](const core::result<std::int64_t>& freed) {
      tidying_ = false;
      removing_ = true;
      bytes_ -= freed.value_or(0);
      shown_bytes_->value(bytes_);
      has_measured_ = is_too_much() && freed.value_or(0) > 0;
      next_tidy_ = now() + (freed ? busy_pause : keeper_retry);
    });
}

void log_keeper_state::remove_dropped() {
  store_.write_much<std::size_t>(
    [](storage::store& store) { return store.kept_logs().remove_dropped(removed_at_once); },
    [this](const core::result<std::size_t>& removed) {
      tidying_ = false;
      removing_ = removed && *removed == removed_at_once;
      next_tidy_ = now() + (!removed ? keeper_retry : removing_ || is_too_much() ? busy_pause : tick_period * 10);
    });
}

} // namespace ringmaster::actors
