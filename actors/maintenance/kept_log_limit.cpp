#include "actors/maintenance/kept_log_limit.hpp"

#include <algorithm>
#include <chrono>

#include "actors/maintenance/log_keeper_times.hpp"

namespace ringmaster::actors {

namespace {

constexpr std::chrono::minutes measure_period{10};
/// Pause when there is nothing to remove.
constexpr auto idle_pause = keeper_period * 10;
constexpr std::size_t dropped_at_once = 1'000;
/// Up to 4 MiB of text.
constexpr std::size_t removed_at_once = 64;

} // namespace

kept_log_limit::kept_log_limit(protocol::log_keeper::pointer self, store_access& store, std::size_t bytes_max)
  : self_{self},
    store_{store},
    bytes_max_{static_cast<std::int64_t>(bytes_max)},
    shown_bytes_{self->system().metrics().gauge_singleton("ringmaster", "kept-log-bytes", "Bytes of all kept logs.")} {}

void kept_log_limit::restart() {
  under_way_ = removing_ = has_measured_ = false;
  set_bytes(0); // the new leader shows it
  next_ = next_measure_ = now();
}

// Dropped texts are removed between the steps that drop more.
void kept_log_limit::step() {
  if (under_way_ || now() < next_)
    return;
  under_way_ = true;
  if (now() >= next_measure_ || (is_too_much() && !has_measured_))
    measure();
  else if (is_too_much() && !removing_)
    drop_oldest();
  else
    remove_dropped();
}

void kept_log_limit::add(std::size_t bytes) {
  set_bytes(bytes_ + static_cast<std::int64_t>(bytes));
  if (is_too_much())
    next_ = std::min(next_, now());
}

void kept_log_limit::measure() {
  store_.read<std::int64_t>([](storage::store& store) { return store.kept_logs().bytes(); },
                            [this](const core::result<std::int64_t>& bytes) {
                              under_way_ = false;
                              if (!bytes) {
                                next_measure_ = next_ = now() + keeper_retry;
                                return;
                              }
                              set_bytes(*bytes);
                              has_measured_ = is_too_much();
                              next_measure_ = now() + measure_period;
                              next_ = now();
                            });
}

// Drops a little more than necessary, so that the size is not measured again for each log.
void kept_log_limit::drop_oldest() {
  store_.write_much<std::int64_t>(
    [excess = bytes_ - bytes_max_ + bytes_max_ / 20](storage::store& store) {
      return store.kept_logs().drop_oldest(excess, dropped_at_once);
    },
    [this](const core::result<std::int64_t>& freed) {
      under_way_ = false;
      removing_ = true;
      set_bytes(bytes_ - freed.value_or(0));
      has_measured_ = is_too_much() && freed.value_or(0) > 0;
      next_ = now() + (freed ? keeper_busy_pause : keeper_retry);
    });
}

void kept_log_limit::remove_dropped() {
  store_.write_much<std::size_t>(
    [](storage::store& store) { return store.kept_logs().remove_dropped(removed_at_once); },
    [this](const core::result<std::size_t>& removed) {
      under_way_ = false;
      removing_ = removed && *removed == removed_at_once;
      next_ = now() + (!removed ? keeper_retry : is_busy() ? keeper_busy_pause : idle_pause);
    });
}

void kept_log_limit::set_bytes(std::int64_t bytes) {
  bytes_ = bytes;
  shown_bytes_->value(bytes_);
}

} // namespace ringmaster::actors
