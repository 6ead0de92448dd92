#include "executor/elastic/cursor_saves.hpp"

#include <utility>

#include "core/elastic/stored_rows.hpp"

namespace ringmaster::executor::elastic {

cursor_saves::~cursor_saves() { end({core::errc::unavailable, "the run has ended"}); }

void cursor_saves::open(sender send) {
  const std::scoped_lock lock{guard_};
  send_ = std::move(send);
}

void cursor_saves::save(std::string&& value, saved done, boot_time now) {
  if (value.size() > core::elastic::cursor_bytes)
    return done(
      core::fail(core::errc::too_large, "a cursor has at most " + std::to_string(core::elastic::cursor_bytes) + " bytes"));
  std::unique_lock lock{guard_};
  if (ended_ || !send_) {
    const auto why = ended_.value_or(core::error{core::errc::unavailable, "the run has not begun"});
    lock.unlock();
    return done(tl::unexpected{why});
  }
  const auto number = ++last_;
  waiting_.emplace(number, waiting{std::move(done), now + save_limit});
  // Under the lock, so that values leave in the order of their numbers.
  send_(number, std::move(value));
}

void cursor_saves::take_stored(std::uint64_t number) {
  std::map<std::uint64_t, waiting> over;
  {
    const std::scoped_lock lock{guard_};
    const auto end = waiting_.upper_bound(number);
    for (auto each = waiting_.begin(); each != end;)
      over.insert(waiting_.extract(each++));
  }
  for (auto& [of, each] : over)
    each.done({});
}

void cursor_saves::end(const core::error& why) {
  std::map<std::uint64_t, waiting> over;
  {
    const std::scoped_lock lock{guard_};
    if (ended_)
      return;
    ended_ = why;
    send_ = nullptr;
    over.swap(waiting_);
  }
  for (auto& [of, each] : over)
    each.done(tl::unexpected{why});
}

void cursor_saves::pass_time(boot_time now) {
  std::map<std::uint64_t, waiting> over;
  {
    const std::scoped_lock lock{guard_};
    // Limits have the order of the numbers.
    while (!waiting_.empty() && waiting_.begin()->second.until <= now)
      over.insert(waiting_.extract(waiting_.begin()));
  }
  for (auto& [of, each] : over)
    each.done(core::fail(core::errc::unavailable, "no node has stored the cursor yet"));
}

} // namespace ringmaster::executor::elastic
