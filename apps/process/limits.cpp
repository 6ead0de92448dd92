#include "apps/process/limits.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <sys/resource.h>

namespace ringmaster::apps {

namespace {

/// Minimum number of open files: a few dozen for the database and clients, one connection to each of a few dozen executors.
constexpr std::uint64_t files_min = 128;

/// Returns the maximum number of connections opened in advance: the files left by `connections` client connections, minus one
/// eighth (at least 64) for the database and waiting calls.
std::size_t connections_ahead_allowed(std::size_t connections, std::uint64_t files) noexcept {
  constexpr std::uint64_t kept_min = 64;
  const auto left = files - std::min<std::uint64_t>(connections, files);
  return static_cast<std::size_t>(left - std::min(left, std::max(kept_min, left / 8)));
}

} // namespace

std::size_t connections_allowed(std::size_t wanted, std::uint64_t files) noexcept {
  constexpr std::uint64_t reserve_min = 64;
  const auto reserve = std::max(reserve_min, files / 4);
  return static_cast<std::size_t>(std::min<std::uint64_t>(wanted, files > reserve ? files - reserve : 1));
}

core::result<void> fit_to_open_files(config::settings& settings, actors::logger& log) {
  auto& server = settings.server;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0)
    return {};
  if (files.rlim_cur != files.rlim_max) {
    const rlimit raised{files.rlim_max, files.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) {
      settings.executor.limits.open_files = files.rlim_cur;
      files = raised;
    } else {
      log->warn("cannot raise the limit of open files from {}: {}", files.rlim_cur, std::strerror(errno));
    }
  }
  if (files.rlim_cur == RLIM_INFINITY)
    return {};
  if (files.rlim_cur < files_min)
    return core::fail(core::errc::unavailable, "the limit of open files is " + std::to_string(files.rlim_cur) +
                                                 "; the server needs at least " + std::to_string(files_min) +
                                                 " (LimitNOFILE, ulimit -n)");
  const auto allowed = connections_allowed(server.connections_max, files.rlim_cur);
  if (allowed < server.connections_max)
    log->warn("server.connections_max lowered to {} from {}, because the limit of open files is {} (LimitNOFILE, ulimit -n)",
              allowed, server.connections_max, files.rlim_cur);
  server.connections_max = allowed;
  settings.trigger.connections_ahead_max = connections_ahead_allowed(allowed, files.rlim_cur);
  return {};
}

} // namespace ringmaster::apps
