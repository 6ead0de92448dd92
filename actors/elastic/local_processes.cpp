#include "actors/elastic/local_processes.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/elastic/process_stat.hpp"

namespace ringmaster::actors {

namespace {

/// Returns the start of a process in clock ticks since the boot; unset: there is no such process.
std::optional<std::int64_t> start_of(std::int64_t pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
  std::string line;
  return std::getline(file, line) ? core::elastic::start_ticks_in(line) : std::nullopt;
}

int open_pidfd(std::int64_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)); }

bool is_over(int pidfd) {
  pollfd handle{pidfd, POLLIN, 0};
  return ::poll(&handle, 1, 0) > 0;
}

} // namespace

local_processes::local_processes() {
  std::getline(std::ifstream{"/proc/sys/kernel/random/boot_id"}, boot_);
  struct stat found {};
  if (::stat("/proc/self/ns/pid", &found) == 0)
    pid_namespace_ = static_cast<std::int64_t>(found.st_ino);
}

local_processes::~local_processes() {
  for (const auto& each : watched_)
    ::close(each.pidfd);
  while (!families_.empty())
    forget_programs(core::elastic::host_process{families_.back().process});
}

bool local_processes::watch(const core::elastic::host_process& process, const core::elastic::host_facts& facts) {
  const bool is_here = !boot_.empty() && facts.boot == boot_ && pid_namespace_ != 0 && facts.pid_namespace == pid_namespace_;
  if (!is_here || facts.pid <= 0 || facts.pid > std::numeric_limits<pid_t>::max())
    return false;
  const auto is_same = [&](const watched& each) { return each.process == process; };
  if (std::any_of(watched_.begin(), watched_.end(), is_same))
    return true;
  make_room(process.host);
  if (watched_.size() >= watched_max)
    return false;
  const auto pidfd = open_pidfd(facts.pid);
  if (pidfd < 0 && errno != ESRCH)
    return false;
  // The number belongs to another process if the start differs. It is read after the pidfd was opened, so that it is of the same
  // process. This is no proof: in another time namespace the same process has another start. Without permission to read the
  // start there is no proof, either.
  const auto start = pidfd < 0 ? std::nullopt : start_of(facts.pid);
  const bool is_it = start && *start == facts.start_ticks;
  const bool has_ended = pidfd < 0 || (!start && is_over(pidfd));
  if (has_ended)
    ended_before_.push_back(process);
  if (pidfd >= 0 && !is_it)
    ::close(pidfd);
  else if (pidfd >= 0)
    watched_.push_back({process, pidfd});
  return has_ended || is_it;
}

void local_processes::make_room(core::elastic::host_number host) {
  const auto is_of_host = [host](const watched& each) { return each.process.host == host; };
  while (static_cast<std::size_t>(std::count_if(watched_.begin(), watched_.end(), is_of_host)) >= watched_of_host) {
    const auto oldest = std::find_if(watched_.begin(), watched_.end(), is_of_host)->process;
    forget(oldest);
  }
}

void local_processes::forget(const core::elastic::host_process& process) {
  std::erase_if(watched_, [&](const watched& each) {
    const bool is_this = each.process == process;
    if (is_this)
      ::close(each.pidfd);
    return is_this;
  });
}

// -- programs --------------------------------------------------------------------------------------------------------------

std::vector<local_processes::family>::iterator local_processes::family_of(const core::elastic::host_process& process) {
  return std::find_if(families_.begin(), families_.end(), [&](const family& each) { return each.process == process; });
}

void local_processes::watch_program(const core::elastic::host_process& process, core::elastic::item_run_id run,
                                    std::int64_t pid) {
  auto found = family_of(process);
  if (found == families_.end()) {
    const auto host =
      std::find_if(watched_.begin(), watched_.end(), [&](const watched& each) { return each.process == process; });
    const int own = host == watched_.end() ? -1 : ::fcntl(host->pidfd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
      return;
    families_.push_back({process, own, {}});
    found = std::prev(families_.end());
  }
  forget_program(process, run);
  std::size_t all = 0;
  for (const auto& each : families_)
    all += each.programs.size();
  const bool is_possible = pid > 0 && pid <= std::numeric_limits<pid_t>::max() && all < programs_max;
  const auto pidfd = is_possible ? open_pidfd(pid) : -1;
  // A supervisor that is gone already proves nothing less than one that ends later.
  if (pidfd >= 0)
    found->programs.emplace_back(run, pidfd);
  else if (!is_possible || errno != ESRCH)
    found->is_incomplete = true;
}

void local_processes::forget_program(const core::elastic::host_process& process, core::elastic::item_run_id run) {
  if (const auto found = family_of(process); found != families_.end())
    std::erase_if(found->programs, [run](const auto& program) {
      const bool is_this = program.first == run;
      if (is_this)
        ::close(program.second);
      return is_this;
    });
}

bool local_processes::programs_ended(const core::elastic::host_process& process) {
  const auto found = family_of(process);
  return found != families_.end() && !found->is_incomplete && is_over(found->pidfd) &&
         std::all_of(found->programs.begin(), found->programs.end(), [](const auto& each) { return is_over(each.second); });
}

bool local_processes::has_programs(const core::elastic::host_process& process) const {
  return std::any_of(families_.begin(), families_.end(), [&](const family& each) { return each.process == process; });
}

void local_processes::forget_programs(const core::elastic::host_process& process) {
  const auto found = family_of(process);
  if (found == families_.end())
    return;
  ::close(found->pidfd);
  for (const auto& [run, pidfd] : found->programs)
    ::close(pidfd);
  families_.erase(found);
}

std::vector<core::elastic::host_process> local_processes::ended() {
  auto out = std::exchange(ended_before_, {});
  std::vector<pollfd> handles;
  handles.reserve(watched_.size());
  for (const auto& each : watched_)
    handles.push_back({each.pidfd, POLLIN, 0});
  if (handles.empty() || ::poll(handles.data(), handles.size(), 0) <= 0)
    return out;
  const auto first = out.size();
  for (std::size_t i = 0; i < handles.size(); ++i)
    if ((handles[i].revents & POLLIN) != 0)
      out.push_back(watched_[i].process);
  for (auto i = first; i < out.size(); ++i)
    forget(std::as_const(out)[i]);
  return out;
}

} // namespace ringmaster::actors
