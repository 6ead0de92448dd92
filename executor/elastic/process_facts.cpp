#include "executor/elastic/process_facts.hpp"

#include <cerrno>
#include <fstream>
#include <random>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/elastic/process_start.hpp"

namespace ringmaster::executor::elastic {

namespace {

constexpr std::size_t key_digits = 32;

std::string line_of(const std::string& path) {
  std::string line;
  std::ifstream from{path};
  std::getline(from, line);
  return line;
}

bool is_key(const std::string& text) {
  return text.size() == key_digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

} // namespace

core::result<process_facts> read_process_facts() {
  process_facts out;
  const std::string boot_path = "/proc/sys/kernel/random/boot_id";
  const std::string stat_path = "/proc/self/stat";
  out.boot = line_of(boot_path);
  if (out.boot.empty())
    return core::fail(core::errc::unavailable, boot_path + " cannot be read");
  out.pid = ::getpid();
  struct stat status {};
  if (::stat("/proc/self/ns/pid", &status) == 0)
    out.pid_namespace = static_cast<std::int64_t>(status.st_ino);
  out.start_ticks = core::elastic::start_ticks_in(line_of(stat_path)).value_or(0);
  if (out.start_ticks <= 0)
    return core::fail(core::errc::unavailable, stat_path + " cannot be read");
  return out;
}

std::string draw_process_key() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::random_device source;
  std::string out(key_digits, '0');
  for (auto& digit : out)
    digit = digits[source() % digits.size()];
  return out;
}

core::result<std::string> folder_id(const std::string& folder, const file& lock) {
  const auto path = folder + "/elastic-folder";
  struct stat status {};
  if (::fstat(lock.get(), &status) != 0)
    return tl::unexpected{file_error(folder, "locked", errno)};
  const auto place = std::to_string(status.st_dev) + ' ' + std::to_string(status.st_ino);
  const auto kept = line_of(path);
  if (kept.size() == key_digits + 1 + place.size() && is_key(kept.substr(0, key_digits)) && kept.ends_with(' ' + place))
    return kept.substr(0, key_digits);
  auto made = draw_process_key();
  const file target{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640)};
  if (!target)
    return tl::unexpected{file_error(path, "written", errno)};
  if (const auto done = write_all(target, made + ' ' + place + '\n'); done.reason != 0)
    return tl::unexpected{file_error(path, "written", done.reason)};
  return made;
}

} // namespace ringmaster::executor::elastic
