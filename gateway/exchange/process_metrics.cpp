#include "gateway/exchange/process_metrics.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace ringmaster::gateway {

namespace {

struct process_state {
  double cpu_seconds = 0;
  /// Seconds from the boot of the machine to the start of the process.
  double began_after = 0;
  std::int64_t virtual_bytes = 0;
  std::int64_t resident_bytes = 0;
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end != 0)
      out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::int64_t number_of(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Reads proc(5) fields, counted from 3 after the name, which may hold any characters.
std::optional<process_state> read_state() {
  std::ifstream file{"/proc/self/stat"};
  std::string line;
  if (!std::getline(file, line))
    return std::nullopt;
  const auto name_end = line.rfind(") ");
  if (name_end == std::string::npos)
    return std::nullopt;
  const auto fields = words_of(std::string_view{line}.substr(name_end + 2));
  constexpr std::size_t user_time = 11, system_time = 12, start_time = 19, virtual_size = 20, resident_pages = 21;
  if (fields.size() <= resident_pages)
    return std::nullopt;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  process_state out;
  out.cpu_seconds = static_cast<double>(number_of(fields[user_time]) + number_of(fields[system_time])) / ticks;
  out.began_after = static_cast<double>(number_of(fields[start_time])) / ticks;
  out.virtual_bytes = number_of(fields[virtual_size]);
  out.resident_bytes = number_of(fields[resident_pages]) * sysconf(_SC_PAGESIZE);
  return out;
}

std::optional<std::int64_t> machine_started() {
  std::ifstream file{"/proc/stat"};
  constexpr std::string_view label{"btime "};
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(label))
      return number_of(line.substr(label.size()));
  return std::nullopt;
}

std::optional<std::int64_t> open_files() {
  std::error_code failed;
  std::filesystem::directory_iterator at{"/proc/self/fd", failed};
  std::int64_t count = -1; // listing the folder itself opens one descriptor
  for (; !failed && at != std::filesystem::directory_iterator{}; at.increment(failed))
    ++count;
  return failed ? std::nullopt : std::optional{count};
}

class series {
public:
  explicit series(std::string& out) : out_{out} {}

  void add(std::string_view name, std::string_view type, std::string_view help, double value) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.2f", value);
    append(name, type, help, text.data());
  }
  void add(std::string_view name, std::string_view type, std::string_view help, std::int64_t value) {
    append(name, type, help, std::to_string(value));
  }

private:
  void append(std::string_view name, std::string_view type, std::string_view help, std::string_view value) {
    out_.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name).append(" ").append(type);
    out_.append("\n").append(name).append(" ").append(value).append("\n");
  }

  std::string& out_;
};

} // namespace

void append_process_metrics(std::string& out) {
  series all{out};
  if (const auto state = read_state()) {
    all.add("process_cpu_seconds_total", "counter", "Total user and system CPU time in seconds.", state->cpu_seconds);
    if (const auto machine = machine_started())
      all.add("process_start_time_seconds", "gauge", "Start time of the process in seconds since the epoch.",
              static_cast<double>(*machine) + state->began_after);
    all.add("process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.", state->virtual_bytes);
    all.add("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", state->resident_bytes);
  }
  if (const auto files = open_files())
    all.add("process_open_fds", "gauge", "Number of open file descriptors.", *files);
  if (rlimit limit{}; getrlimit(RLIMIT_NOFILE, &limit) == 0)
    all.add("process_max_fds", "gauge", "Maximum number of open file descriptors.", static_cast<std::int64_t>(limit.rlim_cur));
}

} // namespace ringmaster::gateway
