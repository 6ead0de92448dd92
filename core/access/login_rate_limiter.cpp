#include "core/access/login_rate_limiter.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/text/network_text.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

/// Returns the key of a name in a network. Names compare without case and, in some databases, without trailing blanks. An address
/// has no line end, so keys of different addresses never collide.
std::string key_of(std::string_view typed, std::string_view network) {
  const auto name = trimmed(typed);
  std::string key{network};
  key += '\n';
  std::transform(name.begin(), name.end(), std::back_inserter(key),
                 [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::tolower(c) : c); });
  return key;
}

} // namespace

login_rate_limiter::wait login_rate_limiter::remaining(std::string_view name, std::string_view remote, time now) const {
  const auto network = client_network(remote);
  return std::max(remaining(key_of(name, network), of_name, now), remaining(network, of_remote, now));
}

void login_rate_limiter::began(std::string_view name, std::string_view remote, time now) {
  auto network = client_network(remote);
  count(key_of(name, network), of_name, now);
  count(std::move(network), of_remote, now);
}

void login_rate_limiter::taken_back(std::string_view name, std::string_view remote) {
  const auto network = client_network(remote);
  uncount(key_of(name, network));
  uncount(network);
}

void login_rate_limiter::succeeded(std::string_view name, std::string_view remote) {
  const auto network = client_network(remote);
  forget(key_of(name, network));
  uncount(network);
}

void login_rate_limiter::uncount(const std::string& key) {
  const auto found = found_.find(key);
  if (found == found_.end())
    return;
  auto& known = *found->second;
  if (--known.failures == 0)
    return forget(key);
  known.last = known.before;
}

void login_rate_limiter::forget(const std::string& key) {
  if (const auto found = found_.find(key); found != found_.end()) {
    const auto at = found->second;
    found_.erase(found);
    entries_.erase(at);
  }
}

login_rate_limiter::wait login_rate_limiter::remaining(const std::string& key, const rule& by, time now) const {
  const auto found = found_.find(key);
  if (found == found_.end())
    return wait{0};
  return std::max(wait{0}, found->second->last + wait_after(counting(*found->second, by, now), by) - now);
}

void login_rate_limiter::count(std::string key, const rule& by, time now) {
  if (const auto found = found_.find(key); found != found_.end()) {
    auto& known = *found->second;
    const auto counted = counting(known, by, now);
    // Keeps the elapsed part of the next minute.
    known.since = counted == 0 ? now : known.since + leak * static_cast<std::int64_t>(known.failures - counted);
    known.failures = std::min(counted + 1, by.counted_max);
    known.before = std::exchange(known.last, now);
    entries_.splice(entries_.end(), entries_, found->second);
    return;
  }
  if (entries_.size() >= entries_max) {
    found_.erase(entries_.front().key);
    entries_.pop_front();
  }
  entries_.push_back({std::move(key), 1, now, now, now});
  found_.emplace(entries_.back().key, std::prev(entries_.end()));
}

std::size_t login_rate_limiter::counting(const entry& one, const rule& by, time now) noexcept {
  if (!by.leaks)
    return now - one.last > wait_after(one.failures, by) + window ? 0 : one.failures;
  const auto leaked = static_cast<std::size_t>(std::max<std::int64_t>((now - one.since) / leak, 0));
  return one.failures - std::min(one.failures, leaked);
}

login_rate_limiter::wait login_rate_limiter::wait_after(std::size_t failures, const rule& by) noexcept {
  if (failures < by.free)
    return wait{0};
  constexpr std::size_t doublings_max = 10; // 1024 s are more than the longest wait
  return std::min<wait>(by.longest, wait_min * (1 << std::min(failures - by.free, doublings_max)));
}

} // namespace ringmaster::core
