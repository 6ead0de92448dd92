#include "gateway/exchange/http_metrics.hpp"

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

#include <caf/telemetry/counter.hpp>
#include <caf/telemetry/metric_registry.hpp>

namespace ringmaster::gateway {

http_metrics::http_metrics(caf::actor_system& system) {
  auto& registry = system.metrics();
  requests_ = registry.counter_family("ringmaster", "http-requests", {"route", "code"}, "Answered requests.", "1", true);
  reply_time_ = registry.counter_family<double>("ringmaster", "http-reply-time", {"route"},
                                                "Time from a request's arrival to its reply.", "seconds", true);
  callback_items_ = registry.counter_singleton("ringmaster", "callback-items", "Results that executors reported.", "1", true);
  callback_items_skipped_ =
    registry.counter_singleton("ringmaster", "callback-items-skipped", "Reported results that name no run.", "1", true);
  callback_items_unanswered_ = registry.counter_singleton(
    "ringmaster", "callback-items-unanswered", "Reported results that are not known to be stored.", "1", true);
  auto* refused =
    registry.counter_family("ringmaster", "executors-refused", {"reason"}, "Refused requests of executors.", "1", true);
  for (std::size_t why = 0; why < refused_for_names.size(); ++why) {
    const std::string name{refused_for_names[why]};
    refused_[why] = refused->get_or_add({{"reason", name}});
  }
}

void http_metrics::count_refused(refused_for why) const { refused_[static_cast<std::size_t>(why)]->inc(); }

void http_metrics::count_reply(std::string_view route, const std::string& code, std::chrono::steady_clock::duration took) const {
  const std::string label{route};
  requests_->get_or_add({{"route", label}, {"code", code}})->inc();
  reply_time_->get_or_add({{"route", label}})->inc(std::chrono::duration<double>(took).count());
}

void http_metrics::count_callbacks(std::size_t taken, std::size_t skipped) const {
  // CAF treats inc(0) as an error.
  if (taken != 0)
    callback_items_->inc(static_cast<std::int64_t>(taken));
  if (skipped != 0)
    callback_items_skipped_->inc(static_cast<std::int64_t>(skipped));
}

void http_metrics::count_unanswered(std::size_t items) const {
  if (items != 0)
    callback_items_unanswered_->inc(static_cast<std::int64_t>(items));
}

void append_transport_metrics(std::string& out, const transport_counters& counters) {
  auto append = [&out](std::string_view name, std::string_view type, std::string_view help, std::uint64_t value) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name).append(" ").append(type);
    out.append("\n").append(name).append(" ").append(std::to_string(value)).append("\n");
  };
  append("ringmaster_http_connections_open", "gauge", "Open connections of clients.", counters.connections_open);
  append("ringmaster_http_connections_refused_total", "counter", "Connections refused beyond server.connections_max.",
         counters.connections_refused);
  append("ringmaster_http_requests_received_total", "counter", "Requests that were received completely.", counters.requests);
  append("ringmaster_http_body_waits_total", "counter", "Waits for room below server.buffered_bytes_max.", counters.body_waits);
  append("ringmaster_http_tls_handshakes_failed_total", "counter", "Failed TLS handshakes of clients.",
         counters.handshakes_failed);
  append("ringmaster_executor_calls_total", "counter", "Calls to executors.", counters.calls);
  append("ringmaster_executor_calls_ended_total", "counter", "Calls to executors that ended, successfully or not.",
         counters.calls - counters.calls_in_flight);
}

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
