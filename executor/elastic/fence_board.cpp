#include "executor/elastic/fence_board.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::executor::elastic {

void item_control::save_cursor(std::string value, std::function<void(core::result<void>)> done) const {
  if (!still_mine())
    return done(core::fail(core::errc::fenced, "the lease of the run is over"));
  saves_.save(std::move(value), std::move(done), now_());
}

void item_control::end() {
  over_.store(true, std::memory_order_release);
  saves_.end({core::errc::fenced, "the lease of the run is over"});
}

void fence_board::extend(boot_time from) {
  const std::scoped_lock lock{guard_};
  // After a pause of this process an acknowledgement may come before the timer's thread, but other hosts may run these items.
  const auto known = late_.size();
  end_over(late_);
  if (wake_ && late_.size() > known)
    wake_();
  const auto before = lease_from_->load(std::memory_order_relaxed);
  lease_from_->store(std::max(before, std::int64_t{from.count()}), std::memory_order_release);
}

item_control_ptr fence_board::open(core::elastic::item_run_id run, core::milliseconds lease) {
  const std::scoped_lock lock{guard_};
  auto& control = runs_[run];
  if (control)
    return control;
  control = std::make_shared<item_control>(run, lease, lease_from_, now_);
  if (wake_ && (!announced_ || control->lease_end() < *announced_))
    wake_();
  return control;
}

item_control_ptr fence_board::find(core::elastic::item_run_id run) const {
  const std::scoped_lock lock{guard_};
  const auto found = runs_.find(run);
  return found == runs_.end() ? nullptr : found->second;
}

void fence_board::close(core::elastic::item_run_id run) {
  if (const auto control = find(run))
    control->saves().end({core::errc::unavailable, "the run has ended"});
  const std::scoped_lock lock{guard_};
  runs_.erase(run);
}

item_control_ptr fence_board::end(core::elastic::item_run_id run) {
  auto control = find(run);
  if (control)
    control->end();
  return control;
}

void fence_board::take_stored_cursor(core::elastic::item_run_id run, std::uint64_t number) {
  if (const auto control = find(run))
    control->saves().take_stored(number);
}

std::vector<item_control_ptr> fence_board::controls() const {
  std::vector<item_control_ptr> out;
  const std::scoped_lock lock{guard_};
  for (const auto& [run, control] : runs_)
    out.push_back(control);
  return out;
}

void fence_board::pass_save_time() {
  const auto now = now_();
  for (const auto& control : controls())
    control->saves().pass_time(now);
}

void fence_board::end_saves() {
  for (const auto& control : controls())
    control->saves().end({core::errc::unavailable, "the executor stops"});
}

void fence_board::end_over(std::vector<item_control_ptr>& into) {
  const auto now = now_();
  for (const auto& [run, control] : runs_)
    if (!control->is_over() && control->lease_end() <= now) {
      control->end();
      into.push_back(control);
    }
}

std::vector<item_control_ptr> fence_board::end_due() {
  const std::scoped_lock lock{guard_};
  auto due = std::exchange(late_, {});
  end_over(due);
  return due;
}

std::optional<boot_time> fence_board::next_end() {
  const std::scoped_lock lock{guard_};
  announced_.reset();
  for (const auto& [run, control] : runs_)
    if (!control->is_over())
      announced_ = announced_ ? std::min(*announced_, control->lease_end()) : control->lease_end();
  return announced_;
}

void fence_board::set_wake(std::function<void()> wake) {
  const std::scoped_lock lock{guard_};
  wake_ = std::move(wake);
}

} // namespace ringmaster::executor::elastic
