#include "actors/alarms/alarm_actor.hpp"

#include <algorithm>
#include <utility>

#include "actors/next_tick.hpp"
#include "actors/store/store_access.hpp"
#include "core/text/text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

/// Limit of the stored trigger and handle messages that are kept in memory; messages to users are shorter still.
constexpr std::size_t message_bytes_max = 12'000;

void cut(std::string& text) { text.resize(core::cut_bytes(text, message_bytes_max).size()); }

std::string lane_of(const std::string& channel, const std::string& recipient) {
  return recipient.empty() ? channel : channel + ' ' + recipient;
}

/// Returns the part of a message id that names the alarm: the run, or the alarm of an elastic job, which may have no run.
std::string origin_of(const core::pending_alarm& alarm) {
  return alarm.elastic ? "elastic." + std::to_string(core::number(alarm.id)) : std::to_string(core::number(alarm.origin));
}

std::string message_id(const core::pending_alarm& alarm, std::uint64_t count) {
  return std::string{"ringmaster."} + (alarm.kind == core::alarm_kind::recovery ? "recovery." : "alarm.") + origin_of(alarm) +
         (count > 1 ? "." + std::to_string(count) : "");
}

/// Returns the text by which equal failures are grouped.
std::string reason_of(const core::pending_alarm& alarm) {
  if (alarm.elastic)
    return core::failure_reason(*alarm.elastic);
  return alarm.run ? core::failure_reason(*alarm.run) : std::string{};
}

core::message_subject subject_of(const core::pending_alarm& alarm, std::uint64_t count) {
  core::message_subject out{alarm.kind, alarm.job, alarm.about->name, alarm.origin, count};
  if (alarm.elastic)
    out.elastic = *alarm.elastic;
  return out;
}

bool may_succeed_later(core::errc code) noexcept {
  return code == core::errc::unavailable || code == core::errc::timeout || code == core::errc::not_found;
}

/// Returns how long a message is retried: configuring a channel takes longer than restarting a server.
std::chrono::hours patience_for(core::errc code) noexcept {
  return code == core::errc::not_found ? core::unconfigured_patience : core::alarm_patience;
}

} // namespace

alarm_actor_state::alarm_actor_state(protocol::alarm_actor::pointer self, protocol::storage_actor storage,
                                     protocol::trigger_pool pool, std::shared_ptr<protocol::notifier> notifier,
                                     config::alarm_settings settings, core::language language, protocol::wall_clock clock,
                                     logger log)
  : self_{self},
    storage_{std::move(storage)},
    notifier_{std::move(notifier)},
    settings_{settings},
    language_{language},
    clock_{std::move(clock)},
    log_{std::move(log)},
    metrics_{self->system()},
    rate_{settings.per_minute},
    tails_{self, std::move(pool), settings.form == "xxl" ? 0 : settings.log_lines} {}

protocol::alarm_actor::behavior_type alarm_actor_state::make_behavior() {
  next_tick_ = now();
  arm();
  return {
    [this](const protocol::incarnation_change& change) { change_incarnation(change); },
    [this](const protocol::notice_done& done) { answered(done); },
    [this](const protocol::sent_messages_query& asked) { return list(asked); },
    [this](const protocol::pending_work_update& update) { take_pulse(update); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// Alarms that an earlier incarnation took are handed out again, to this incarnation or to another one.
void alarm_actor_state::change_incarnation(const protocol::incarnation_change& change) {
  ++epoch_;
  incarnation_ = change.life;
  if (incarnation_)
    node_ = incarnation_->node;
  // A new incarnation has taken nothing yet; the alarms of its predecessor are orphaned.
  taking_ = ending_ = again_ = false;
  cases_.clear();
  windows_.clear();
  summaries_.clear();
  deliveries_.clear();
  ends_.clear();
  gate_.reset();
  take();
}

void alarm_actor_state::tick() {
  if (now() < next_tick_)
    return;
  arm();
  if (!incarnation_)
    return;
  end_windows();
  send_summaries();
  rate_.forget(now());
  send_waiting();
  flush();
  // A request without an answer may have taken alarms.
  if (again_ || !gate_.skips(now()))
    take();
}

// The tick takes alarms that remain, such as those that wait for the node of their slot.
void alarm_actor_state::take_pulse(const protocol::pending_work_update& update) {
  const bool is_first = gate_.is_quiet(now());
  gate_.take(update.found.has_alarms, update.period, now());
  if (update.found.has_alarms && is_first)
    take();
}

// -- intake ----------------------------------------------------------------------------------------------------------------

void alarm_actor_state::take() {
  if (!incarnation_ || taking_ || cases_.size() >= cases_max)
    return;
  taking_ = true;
  // Alarms that are already in memory could fill a whole page.
  const auto limit = take_limit + (again_ ? cases_.size() + ends_.size() : 0);
  ask_store<std::vector<core::pending_alarm>>(
    self_, storage_,
    [incarnation = *incarnation_, again = again_, t = clock_.at(now()), limit](storage::store& store) {
      return store.alarms().take(incarnation, again, t, limit);
    },
    [this, epoch = epoch_, limit](core::result<std::vector<core::pending_alarm>>&& alarms) {
      if (epoch == epoch_)
        taken(std::move(alarms), limit);
    },
    store_patience, protocol::store_turn::patient);
}

void alarm_actor_state::taken(core::result<std::vector<core::pending_alarm>>&& alarms, std::size_t limit) {
  taking_ = false;
  if (!alarms) {
    again_ = true;
    return;
  }
  const bool full = alarms->size() >= limit;
  again_ = again_ && full;
  for (auto& alarm : *alarms)
    admit(std::move(alarm));
  send_waiting();
  flush();
  if (full)
    take();
}

void alarm_actor_state::admit(core::pending_alarm&& alarm) {
  const auto id = alarm.id;
  const bool ended = std::any_of(ends_.begin(), ends_.end(), [&](const auto& end) { return end.id == id; });
  if (ended || cases_.contains(id))
    return;
  const bool recovery = alarm.kind == core::alarm_kind::recovery;
  if (!alarm.about || (recovery && !(alarm.about->rule && alarm.about->rule->recovered)))
    return end(id, core::alarm_status::not_needed);
  if (alarm.elastic)
    cut(alarm.elastic->message);
  if (alarm.run) {
    cut(alarm.run->trigger_msg);
    cut(alarm.run->handle_msg);
  }
  const auto what = windows_.key_of(alarm.subject(), reason_of(alarm));
  const auto window = alarm.about->rule ? alarm.about->rule->dedup.value_or(settings_.dedup) : settings_.dedup;
  const auto& placed = cases_.emplace(id, alarm_case{std::move(alarm), 0, false}).first->second;
  if (recovery || windows_.open(what, window, now()))
    tell(placed.alarm, 1, {id});
  else
    hold(what, id);
}

void alarm_actor_state::hold(const core::alarm_windows::key& what, core::alarm_id alarm) {
  const auto& about = *cases_.at(alarm).alarm.about;
  if (!core::mail_addresses(about.alarm_email, about.rule ? &*about.rule : nullptr).empty())
    metrics_.count(protocol::mail_channel, "suppressed");
  if (about.rule)
    for (const auto& channel : about.rule->channels)
      metrics_.count(channel, "suppressed");
  const bool remember = cases_.size() <= held_max || !windows_.holds_any(what);
  windows_.hold(what, alarm, remember);
  if (!remember) {
    cases_.erase(alarm);
    end(alarm, core::alarm_status::sent);
  }
}

void alarm_actor_state::end_windows() {
  for (const auto& ended : windows_.ended(now())) {
    const auto last = cases_.find(ended.alarms.back());
    if (last != cases_.end())
      tell(core::pending_alarm{last->second.alarm}, ended.count, ended.alarms);
  }
}

// -- recipients ------------------------------------------------------------------------------------------------------------

void alarm_actor_state::tell(const core::pending_alarm& alarm, std::uint64_t count, const std::vector<core::alarm_id>& alarms) {
  const auto* rule = alarm.about->rule ? &*alarm.about->rule : nullptr;
  const auto addresses = core::mail_addresses(alarm.about->alarm_email, rule);
  const auto places = addresses.size() + (rule ? rule->channels.size() : 0);
  for (const auto id : alarms)
    cases_.at(id).open = places;
  if (places == 0) {
    for (const auto id : alarms) {
      cases_.erase(id);
      end(id, core::alarm_status::not_needed);
    }
    return;
  }
  if (alarm.kind != core::alarm_kind::failure || !alarm.run)
    return tell_places(core::pending_alarm{alarm}, count, alarms, {});
  // The cases stay meanwhile: their recipients are still to be notified.
  tails_.read(*alarm.run, [this, epoch = epoch_, alarm, count, alarms](const std::string& log) {
    if (epoch != epoch_)
      return;
    tell_places(alarm, count, alarms, log);
    send_waiting();
    flush();
  });
}

void alarm_actor_state::tell_places(const core::pending_alarm& alarm, std::uint64_t count,
                                    const std::vector<core::alarm_id>& alarms, std::string_view log) {
  const auto* rule = alarm.about->rule ? &*alarm.about->rule : nullptr;
  const auto message =
    std::make_shared<const core::alarm_message>(message_of(alarm, count, cases_.at(alarms.front()).alarm.since, log));
  for (const auto& address : core::mail_addresses(alarm.about->alarm_email, rule))
    deliver(std::string{protocol::mail_channel}, address, alarm, count, message, alarms);
  if (rule)
    for (const auto& channel : rule->channels)
      deliver(channel, {}, alarm, count, message, alarms);
}

core::alarm_message alarm_actor_state::message_of(const core::pending_alarm& alarm, std::uint64_t count, core::time_point since,
                                                  std::string_view log) const {
  const bool as_xxl = settings_.form == "xxl";
  if (alarm.elastic)
    return as_xxl ? core::elastic_message_of(alarm, count, language_)
                  : core::plain_elastic_alarm_of(alarm, count, since, settings_.elastic_link);
  return as_xxl ? core::alarm_message_of(alarm, count, language_)
                : core::plain_alarm_of(alarm, count, since, settings_.link, log);
}

void alarm_actor_state::deliver(const std::string& channel, const std::string& recipient, const core::pending_alarm& alarm,
                                std::uint64_t count, const std::shared_ptr<const core::alarm_message>& message,
                                const std::vector<core::alarm_id>& alarms) {
  const auto lane = lane_of(channel, recipient);
  const bool full = deliveries_.waiting(channel) >= deliveries_per_channel_max;
  // A message must not overtake others of its lane that wait for the summary.
  if (full || summaries_.contains(lane) || !rate_.take(lane, now()))
    return suppress(lane, channel, recipient, alarm, count, alarms);
  deliveries_.add({.channel = channel,
                   .recipient = recipient,
                   .message = message,
                   .message_id = message_id(alarm, count),
                   .about = subject_of(alarm, count),
                   .alarms = alarms,
                   .since = now(),
                   .next_try = now()});
}

void alarm_actor_state::suppress(const std::string& lane, const std::string& channel, const std::string& recipient,
                                 const core::pending_alarm& alarm, std::uint64_t count,
                                 const std::vector<core::alarm_id>& alarms) {
  metrics_.count(channel, "suppressed", count);
  auto& summary = summaries_[lane];
  if (summary.count == 0)
    summary = {channel, recipient, {}, {}, 0, origin_of(alarm)};
  summary.count += count;
  auto& job = summary.jobs[alarm.subject()];
  job.job = alarm.subject();
  job.name = alarm.about->name;
  job.count += count;
  for (const auto id : alarms) {
    if (summary.alarms.size() < held_max) {
      summary.alarms.push_back(id);
      continue;
    }
    auto& each = cases_.at(id);
    if (--each.open > 0)
      continue;
    const auto failed = each.failed;
    cases_.erase(id);
    end(id, failed ? core::alarm_status::failed : core::alarm_status::sent);
  }
}

void alarm_actor_state::send_summaries() {
  for (auto at = summaries_.begin(); at != summaries_.end();) {
    auto& [lane, summary] = *at;
    if (deliveries_.waiting(summary.channel) >= deliveries_per_channel_max || !rate_.take(lane, now())) {
      ++at;
      continue;
    }
    std::vector<core::suppressed_job> jobs;
    for (const auto& [id, job] : summary.jobs)
      jobs.push_back(job);
    auto message = std::make_shared<const core::alarm_message>(core::summary_message_of(jobs, summary.count, language_));
    auto id = "ringmaster.summary." + summary.first + "." + std::to_string(summary.count);
    deliveries_.add({.channel = summary.channel, .recipient = summary.recipient, .message = std::move(message),
                     .message_id = std::move(id), .about = {.count = summary.count}, .alarms = std::move(summary.alarms),
                     .since = now(), .next_try = now()});
    at = summaries_.erase(at);
  }
}

// -- sending ---------------------------------------------------------------------------------------------------------------

void alarm_actor_state::send_waiting() {
  for (const auto number : deliveries_.start(now())) {
    const auto& delivery = *deliveries_.find(number);
    auto then = [to = protocol::alarm_actor{self_}, number](core::result<void> outcome) {
      protocol::anon_send(to, protocol::notice_done{number, std::move(outcome)});
    };
    if (notifier_)
      notifier_->send({delivery.channel, delivery.recipient, delivery.message_id, *delivery.message}, std::move(then));
    else
      then(core::fail(core::errc::not_found, "this node has no alarm channels"));
  }
}

void alarm_actor_state::answered(const protocol::notice_done& done) {
  auto* delivery = deliveries_.find(done.delivery);
  if (!delivery)
    return;
  const auto place = lane_of(delivery->channel, delivery->recipient);
  if (done.outcome) {
    metrics_.count(delivery->channel, "sent");
    log_->info("alarm: {} sent through {}", delivery->message_id, place);
    remember(*delivery, core::message_outcome::delivered);
    close(deliveries_.take(done.delivery), false);
  } else if (may_succeed_later(done.outcome.error().code)
             && deliveries_.again(*delivery, now(), patience_for(done.outcome.error().code))) {
    metrics_.count(delivery->channel, "repeated");
    remember(*delivery, core::message_outcome::will_retry, done.outcome.error().context);
    if (delivery->failures == 1)
      log_->warn("alarm: {} not sent through {} yet, will be retried: {}", delivery->message_id, place,
                 done.outcome.error().context);
  } else {
    metrics_.count(delivery->channel, "failed");
    log_->error("alarm: {} not sent through {}, given up: {}", delivery->message_id, place, done.outcome.error().context);
    remember(*delivery, core::message_outcome::given_up, done.outcome.error().context);
    close(deliveries_.take(done.delivery), true);
  }
  send_waiting();
  flush();
}

void alarm_actor_state::close(alarm_delivery&& delivery, bool failed) {
  for (const auto id : delivery.alarms) {
    const auto found = cases_.find(id);
    if (found == cases_.end())
      continue;
    auto& each = found->second;
    each.failed = each.failed || failed;
    if (--each.open > 0)
      continue;
    const auto& rule = each.alarm.about->rule;
    const bool await = !each.failed && each.alarm.kind == core::alarm_kind::failure && rule && rule->recovered;
    const auto status = each.failed ? core::alarm_status::failed : core::alarm_status::sent;
    cases_.erase(found);
    end(id, status, await);
  }
}

void alarm_actor_state::remember(const alarm_delivery& delivery, core::message_outcome outcome, std::string why) {
  history_.add({.id = delivery.message_id, .channel = delivery.channel, .recipient = delivery.recipient, .about = delivery.about,
                .at = clock_.at(now()), .outcome = outcome, .attempts = delivery.attempts, .detail = std::move(why)});
}

caf::result<protocol::sent_messages> alarm_actor_state::list(const protocol::sent_messages_query& asked) const {
  if (auto allowed = core::check_admin(asked.by); !allowed)
    return protocol::to_caf(allowed.error());
  return protocol::sent_messages{history_.newest_first(), node_};
}

// -- ending alarms ---------------------------------------------------------------------------------------------------------

void alarm_actor_state::end(core::alarm_id alarm, std::int32_t status, bool await_recovery) {
  ends_.push_back({alarm, status, await_recovery});
}

void alarm_actor_state::flush() {
  if (!incarnation_ || ending_ || ends_.empty())
    return;
  ending_ = true;
  const auto last = ends_.begin() + static_cast<std::ptrdiff_t>(std::min(ends_.size(), flush_limit));
  auto ends = std::make_shared<const std::vector<core::alarm_end>>(ends_.begin(), last);
  ask_store<void>(
    self_, storage_,
    [incarnation = *incarnation_, ends](storage::store& store) { return store.alarms().finish(incarnation, *ends); },
    [this, epoch = epoch_, ends](const core::result<void>& finished) {
      if (epoch != epoch_)
        return;
      ending_ = false;
      // Otherwise the next tick repeats the request; alarms that have ended already stay ended.
      if (!finished)
        return;
      ends_.erase(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(ends->size()));
      flush();
    },
    store_patience, protocol::store_turn::patient);
}

void alarm_actor_state::arm() {
  next_tick_ = next_tick(next_tick_, period, now());
  protocol::send_at(self_, protocol::alarm_actor{self_}, next_tick_, protocol::tick_atom{});
}

} // namespace ringmaster::actors
