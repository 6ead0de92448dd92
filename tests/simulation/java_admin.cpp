#include "tests/simulation/java_admin.hpp"

#include <algorithm>
#include <utility>

#include "tests/simulation/world.hpp"

namespace ringmaster::simulation {

namespace {

constexpr core::milliseconds pre_read{5000};
/// Pause between two passes that found something, and between two attempts to take the lock.
constexpr span between_passes = 1s;
constexpr span lock_retry = 40ms;

std::string text(const xxl_row& row) {
  return "job " + std::to_string(core::number(row.id)) + (row.running ? " running, next " : " stopped, next ") +
         std::to_string(core::to_ms(row.next));
}

/// A time that has been reached is not refreshed to itself.
void refresh(xxl_row& row, core::time_point from) {
  const auto next = rule_of(row).next(from);
  row.last = next ? row.next : core::time_point{};
  row.running = row.running && next.has_value();
  row.next = next.value_or(core::time_point{});
}

} // namespace

java_admin::java_admin(world& in, shared_schedule& schedule, shared_checker& checker, std::string name, java_script script)
  : world_{in}, schedule_{schedule}, checker_{checker}, name_{std::move(name)}, script_{std::move(script)} {
  for (const auto& [at, lasts] : script_.crashes)
    world_.at(at, [this, lasts = lasts] { crash(lasts); });
}

core::time_point java_admin::clock() const { return world_.true_time() + script_.skew; }

void java_admin::after(span wait, void (java_admin::*what)()) {
  world_.after(wait, [this, what, life = life_] {
    if (up_ && life == life_)
      (this->*what)();
  });
}

void java_admin::start() {
  ++life_;
  up_ = true;
  world_.say(name_ + " starts");
  begin_pass();
}

void java_admin::crash(milliseconds lasts) {
  if (!up_)
    return;
  world_.say(name_ + " crashes");
  up_ = false;
  schedule_.unlock(name_);
  for (const auto& [when, one] : std::exchange(ring_, {}))
    checker_.java_lost(one.job, one.at);
  for (const auto& one : std::exchange(fired_in_pass_, {}))
    checker_.java_rolled_back(one.job, one.at);
  // Instants that its ring fired of a hung pass are due again, too.
  for (const auto& one : std::exchange(pass_, {}))
    for (const auto at : one.instants)
      checker_.java_rolled_back(one.as_read.id, at);
  world_.after(lasts, [this] { start(); });
}

// -- the schedule thread ---------------------------------------------------------------------------------------------------

void java_admin::begin_pass() {
  if (!schedule_.lock(name_))
    return after(lock_retry, &java_admin::begin_pass);
  const auto now = pass_began_ = clock();
  for (const auto& row : schedule_.table().due(now + pre_read))
    decide(row, now);
  auto takes = milliseconds{5 + world_.random(static_cast<std::uint64_t>(script_.pass_takes.count()))};
  if (stalls_ < script_.stalls.size() && world_.now() >= script_.stalls[stalls_].first) {
    takes = script_.stalls[stalls_++].second;
    world_.say(name_ + " hangs in its pass for " + std::to_string(takes.count()) + " ms");
  }
  after(takes, &java_admin::end_pass);
}

// Late instants are triggered at once, before the commit; instants due soon go to the ring, and the row moves one instant
// further.
void java_admin::decide(const xxl_row& row, core::time_point now) {
  taken_row taken{row, row, {}};
  if (now > row.next + pre_read) {
    if (row.misfire == core::misfire_policy::fire_once_now) {
      fired_in_pass_.push_back({row.id, row.next});
      checker_.java_misfired(row.id, row.next);
    }
    refresh(taken.moved, now);
  } else if (now > row.next || (script_.late_at_once && now == row.next)) {
    taken.instants.push_back(row.next);
    fired_in_pass_.push_back({row.id, row.next});
    checker_.java_fired(row.id, row.next);
    refresh(taken.moved, now);
    if (!script_.guards_status && taken.moved.running && now + pre_read > taken.moved.next) { // not done since 2.5
      taken.instants.push_back(taken.moved.next);
      into_ring(row.id, taken.moved.next);
      refresh(taken.moved, taken.moved.next);
    }
  } else {
    taken.instants.push_back(row.next);
    into_ring(row.id, row.next);
    refresh(taken.moved, row.next);
  }
  pass_.push_back(std::move(taken));
}

void java_admin::end_pass() {
  bool found = false;
  for (const auto& one : std::exchange(pass_, {})) {
    const auto before = schedule_.table().row(one.as_read.id).value();
    found = true;
    if (script_.guards_status && !before.running)
      continue;
    auto after = one.moved;
    after.param = before.param;
    after.conf = before.conf;
    const bool writes_status = !script_.guards_status || !after.running;
    schedule_.table().write(after, writes_status ? xxl_columns::times_and_status : xxl_columns::times);
    if (world_.tracing())
      world_.say(name_ + " takes " + text(one.as_read) + " to " + text(after));
    checker_.java_took(before, after, one.instants, schedule_.mode().mode);
  }
  fired_in_pass_.clear();
  schedule_.unlock(name_);
  after(script_.sleeps ? sleep_after(found) : found ? between_passes / 2 + milliseconds{world_.random(500)} : between_passes,
        &java_admin::begin_pass);
}

// A pass that took a second or more is followed by the next one at once.
span java_admin::sleep_after(bool found) const {
  const auto now = clock();
  if (now - pass_began_ >= milliseconds{1000})
    return span{0};
  return milliseconds{(found ? 1000 : 5000) - core::to_ms(now) % 1000};
}

// -- the ring --------------------------------------------------------------------------------------------------------------

void java_admin::into_ring(core::job_id job, core::time_point at) {
  ring_.emplace(at, instant{job, at});
  const auto wait = std::max(at - clock(), core::milliseconds{0});
  after(wait, &java_admin::fire_due);
}

void java_admin::fire_due() {
  while (!ring_.empty() && ring_.begin()->first <= clock()) {
    const auto one = ring_.begin()->second;
    ring_.erase(ring_.begin());
    if (world_.tracing())
      world_.say(name_ + " fires job " + std::to_string(core::number(one.job)) + " of " + std::to_string(core::to_ms(one.at)));
    checker_.java_fired(one.job, one.at);
  }
}

// -- the console -----------------------------------------------------------------------------------------------------------

void java_admin::edit(const console_edit& wanted) {
  const auto row = schedule_.table().row(wanted.job);
  if (!up_ || !row)
    return;
  world_.after(wanted.takes, [this, wanted, as_read = *row, life = life_, mode = schedule_.mode().mode] {
    if (up_ && life == life_)
      save(wanted, as_read, mode);
  });
}

void java_admin::save(const console_edit& wanted, const xxl_row& as_read, core::cluster_mode read_in) {
  auto row = as_read;
  const auto begin = rule_of(row).next(clock() + pre_read);
  switch (wanted.what) {
  case console_edit::kind::parameter: row.param += " j=1"; break;
  case console_edit::kind::stop:
    row.running = false;
    row.last = row.next = core::time_point{};
    break;
  case console_edit::kind::start:
    if (!begin)
      return;
    row.running = true;
    row.last = core::time_point{};
    row.next = *begin;
    break;
  case console_edit::kind::reschedule:
    if (wanted.conf == row.conf)
      return;
    row.conf = wanted.conf;
    if (const auto next = rule_of(row).next(clock() + pre_read); row.running && next)
      row.next = *next;
    else if (row.running)
      return;
    break;
  }
  const auto before = schedule_.table().row(wanted.job).value();
  schedule_.table().write(row, xxl_columns::all);
  world_.say(name_ + "'s console makes " + text(before) + " to " + text(row));
  const auto mode = schedule_.mode().mode;
  checker_.java_saved({as_read, read_in, before, row}, mode);
  if (mode == core::cluster_mode::native)
    world_.checker().edited_by_hand(wanted.job);
}

} // namespace ringmaster::simulation
