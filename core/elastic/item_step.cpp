#include "core/elastic/item_step.hpp"

#include <limits>
#include <utility>

namespace ringmaster::core::elastic {

void item_step::leave_run() {
  one_.cancel = cancel_reason::none;
  one_.cancel_sent = one_.kill_sent = one_.drain = one_.sent_once = false;
  one_.host_away = one_.host_dead = one_.silent = false;
  one_.began.reset();
  one_.due.reset();
}

void item_step::begin_wait(const run_cause& cause, std::uint8_t attempt) {
  one_.state = item_state::wanted;
  one_.cause = cause;
  one_.attempt = attempt;
  one_.wanted_since = scene_.now;
  one_.alarmed = false;
  one_.due.reset();
  if (is_compensation(one_))
    one_.due = moment_after(scene_.now, cause.fire.at + scene_.rules.misfire_max_age - scene_.wall);
}

item_grant item_step::begin_grant(const host_process& host) {
  one_.state = item_state::granting;
  one_.host = host;
  one_.lease = scene_.rules.lease;
  leave_run();
  if (is_compensation(one_))
    one_.missed = false;
  if (is_new_request(one_) && !one_.queue.empty()) {
    one_.request_until = one_.queue.front().keep_until;
    one_.queue.erase(one_.queue.begin());
  }
  return {one_.fence, host, one_.cause, one_.attempt, one_.lease};
}

std::optional<item_grant> item_step::grant_wanted() {
  const bool pauses = scene_.now < one_.avoided_until;
  // After a refusal one other host is asked at once, and each further one after a pause: hosts that refuse the item, each after
  // the other, must not be asked in a busy loop.
  if (pauses && one_.refusals > 1)
    return std::nullopt;
  auto host = scene_.choose(one_.cause, one_.avoided);
  if (!host && !pauses && !one_.avoided.empty()) {
    one_.avoided.clear();
    host = scene_.choose(one_.cause, {});
  }
  return host ? std::optional{begin_grant(*host)} : std::nullopt;
}

item_next item_step::next(const std::optional<again>& first) {
  leave_run();
  one_.state = item_state::idle;
  if (!first)
    one_.run = item_run_id{};
  one_.attempt = 1;
  expire_requests();
  if (is_off()) {
    drop_owed();
    one_.run = item_run_id{};
    return {};
  }
  if (first)
    begin_wait(first->cause, first->attempt);
  else if (one_.missed)
    begin_wait({run_source::misfire, one_.missed_fire}, 1);
  else if (!one_.queue.empty())
    begin_wait({run_source::manual, one_.queue.front().key}, 1);
  else
    return {};
  // The row of a waiting request is durable: the item stays idle in the store.
  item_next out{is_new_request(one_) ? stored_item_state::idle : stored_item_state::wanted, one_.run, one_.attempt};
  out.grant = grant_wanted();
  return out;
}

void item_step::miss_idle(const fire_key& key) {
  one_.state = item_state::idle;
  one_.run = item_run_id{};
  // A slot that is not free is no overrun of the item: it waits for one whatever the misfire rule is. A fire that is too old to
  // wait is dropped here, so that its row counts the item.
  const bool may_wait = scene_.wall < key.at + scene_.rules.misfire_max_age;
  if (!scene_.rules.misfire && !is_off() && may_wait && scene_.is_full != nullptr && *scene_.is_full) {
    one_.missed = true;
    one_.missed_fire = key;
    add(action::write_miss{key, miss_change::marked, true});
    return begin_wait({run_source::misfire, key}, 1);
  }
  miss(key);
  if (one_.missed && scene_.rules.misfire) {
    begin_wait({run_source::misfire, key}, 1);
    std::get<action::write_miss>(out_.actions.back()).wanted = true;
  } else if (auto after = next(); after.grant) {
    add(action::write_grant{std::move(*after.grant)});
  }
}

void item_step::retry(stored_item_state stored) {
  leave_run();
  avoid_host(false);
  if (is_new_request(one_))
    one_.queue.insert(one_.queue.begin(), {one_.cause.fire, one_.request_until});
  if (one_.cause.source == run_source::misfire && number(one_.run) == 0 && !std::exchange(one_.missed, true))
    one_.missed_fire = one_.cause.fire;
  const bool is_fire = one_.cause.source == run_source::normal && number(one_.run) == 0;
  begin_wait(one_.cause, one_.attempt);
  if (is_off()) {
    auto after = next();
    if (stored == stored_item_state::wanted)
      add(action::write_wait_end{one_.fence, std::move(after)});
    return end_surplus();
  }
  if (auto grant = grant_wanted())
    add(action::write_grant{std::move(*grant)});
  else if (is_fire)
    miss_idle(one_.cause.fire);
  else if (stored == stored_item_state::idle && !is_new_request(one_))
    add(action::write_wait_end{one_.fence, {stored_item_state::wanted, one_.run, one_.attempt}});
}

void item_step::avoid_host(bool lasting) {
  if (!is_among(one_.avoided, one_.host))
    one_.avoided.push_back(one_.host);
  one_.avoided_until = scene_.now + refusal_pause * (lasting ? 1 << one_.refusals : 1);
  if (one_.refusals < refusal_doublings_max)
    ++one_.refusals;
}

void item_step::end_surplus() {
  if (one_.surplus && one_.state == item_state::idle)
    add(action::delete_item{});
}

void item_step::miss(const fire_key& key) {
  if (is_off())
    return;
  if (!scene_.rules.misfire)
    return add(action::write_miss{key, miss_change::dropped});
  const auto change = one_.missed ? miss_change::merged : miss_change::marked;
  one_.missed = true;
  one_.missed_fire = key;
  // A compensation that waits now belongs to the newest fire, and its age counts from it.
  if (one_.state == item_state::wanted && is_compensation(one_)) {
    one_.cause.fire = key;
    one_.due = moment_after(scene_.now, key.at + scene_.rules.misfire_max_age - scene_.wall);
  }
  add(action::write_miss{key, change});
}

void item_step::forget_miss(miss_change why) {
  if (!std::exchange(one_.missed, false))
    return;
  add(action::write_miss{one_.missed_fire, why});
}

void item_step::drop_owed() {
  forget_miss(miss_change::disabled);
  for (const auto& each : one_.queue)
    add(action::drop_request{each.key.request, request_drop::disabled});
  one_.queue.clear();
}

void item_step::expire_requests() {
  std::erase_if(one_.queue, [this](const waiting_request& each) {
    const bool over = each.keep_until <= scene_.now;
    if (over)
      add(action::drop_request{each.key.request, request_drop::expired});
    return over;
  });
}

void item_step::end_wait() {
  const auto fence = one_.fence;
  // A request that waited was only in its own row.
  const bool stored = !is_new_request(one_);
  auto after = next();
  if (stored || after.grant || after.state == stored_item_state::wanted)
    add(action::write_wait_end{fence, std::move(after)});
}

void item_step::drop_waited() {
  if (is_compensation(one_))
    forget_miss(miss_change::cancelled);
  if (!is_new_request(one_) || one_.queue.empty())
    return;
  add(action::drop_request{one_.queue.front().key.request, request_drop::cancelled});
  one_.queue.erase(one_.queue.begin());
}

bool item_step::request_has_gone() const {
  return is_new_request(one_) && (one_.queue.empty() || one_.queue.front().key != one_.cause.fire);
}

void item_step::end(item_run_end how, const std::optional<again>& first) {
  action::write_end write{one_.run, one_.fence, how, {}};
  if (how == item_run_end::failed)
    write.alarm = alarm_cause::ignored;
  else if (one_.cancel == cancel_reason::timed_out)
    write.alarm = alarm_cause::time_limit;
  else if (how == item_run_end::error)
    write.alarm = alarm_cause::error;
  write.next = next(first);
  add(std::move(write));
  end_surplus();
}

void item_step::lose(loss why, loss_proof proof) {
  action::write_loss write{one_.run, one_.fence, proof, item_run_end::lost, {}};
  const bool free = why != loss::died;
  // A run that was to end anyway is not repeated, except by a host that leaves.
  const bool unwanted = one_.cancel == cancel_reason::asked || one_.cancel == cancel_reason::timed_out;
  std::optional<again> first;
  if (one_.cancel == cancel_reason::timed_out)
    write.alarm = alarm_cause::time_limit;
  if (!unwanted && why == loss::not_started && one_.cause.source == run_source::misfire && scene_.rules.misfire) {
    // The compensation is owed again; a fire that was missed meanwhile joins it.
    if (!std::exchange(one_.missed, true))
      one_.missed_fire = one_.cause.fire;
  } else if (!unwanted && free) {
    const auto source = why == loss::moved ? run_source::failover : one_.cause.source;
    first = again{{source, one_.cause.fire}, one_.attempt};
  } else if (!unwanted && scene_.rules.failover && !is_off()) {
    if (one_.attempt > scene_.rules.failover_max || one_.attempt == std::numeric_limits<std::uint8_t>::max()) {
      write.end = item_run_end::failed;
      write.alarm = alarm_cause::takeover_limit;
    } else {
      first = again{{run_source::failover, one_.cause.fire}, static_cast<std::uint8_t>(one_.attempt + 1)};
    }
  } else if (!unwanted) {
    write.alarm = alarm_cause::lost;
  }
  write.next = next(first);
  add(std::move(write));
  end_surplus();
}

void item_step::send_cancel() {
  one_.state = item_state::cancelling;
  one_.cancel_sent = true;
  one_.due = scene_.now + scene_.rules.cancel_grace;
  order(item_order::cancel);
}

void item_step::send_kill() {
  one_.state = item_state::cancelling;
  one_.cancel_sent = one_.kill_sent = true;
  one_.killed_at = scene_.now;
  one_.kill_heard = false;
  one_.due = scene_.now + scene_.rules.cancel_grace;
  order(item_order::kill);
  add(action::ask_inventory{one_.host});
}

// The host was asked on the same link: it has the order if that left before the question, and is asked again if not.
void item_step::hear_after_kill(steady_time asked_at) {
  if (asked_at < one_.killed_at)
    return add(action::ask_inventory{one_.host});
  one_.kill_heard = true;
  one_.due = scene_.now + scene_.rules.cancel_grace;
}

// The order to kill may have been lost or late, while the host has a lease from another node (I3).
void item_step::end_grace() {
  if (!one_.kill_sent)
    return send_kill();
  if (!one_.kill_heard) {
    one_.due = scene_.now + grant_answer_limit;
    return add(action::ask_inventory{one_.host});
  }
  const action::send_order close{one_.host, one_.run, one_.fence, item_order::close};
  add(action::taint_host{one_.host});
  end(item_run_end::failed);
  // The body goes on, but no longer as the owner of its item. After E6 another run may get the item.
  add(close);
}

void item_step::resume(std::optional<steady_time> began) {
  const bool was_away = one_.state == item_state::unreachable;
  if (one_.state == item_state::cancelling)
    return;
  one_.state = item_state::running;
  one_.silent = false;
  one_.due.reset();
  if (!one_.began)
    one_.began = began;
  if (one_.began && scene_.rules.timeout > milliseconds{0}) {
    one_.due = *one_.began + scene_.rules.timeout;
    if (was_away && *one_.due <= scene_.now && one_.cancel == cancel_reason::none)
      one_.cancel = cancel_reason::timed_out;
  }
  if (one_.cancel != cancel_reason::none)
    return one_.kill_sent ? send_kill() : send_cancel();
  if (was_away && one_.drain)
    order(item_order::drain);
}

} // namespace ringmaster::core::elastic
