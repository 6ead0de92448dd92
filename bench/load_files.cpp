#include "bench/load_files.hpp"

#include <ctime>
#include <fstream>
#include <stdexcept>

namespace ringmaster::bench {

namespace {

std::string cron_of(const load_plan& plan, std::size_t job) {
  switch (plan.shape) {
  case load_shape::every_second: return "* * * * * ?";
  case load_shape::over_a_minute: return std::to_string(job % 60) + " * * * * ?";
  case load_shape::yearly: return std::to_string(plan.second) + " 0 0 1 1 ?";
  case load_shape::evenly:
  case load_shape::at_once: break;
  }
  const std::time_t second = plan.instant_ms / 1000;
  std::tm utc{};
  ::gmtime_r(&second, &utc);
  std::string cron;
  for (const int field : {utc.tm_sec, utc.tm_min, utc.tm_hour, utc.tm_mday, utc.tm_mon + 1})
    cron += std::to_string(field) + ' ';
  return cron + '?'; // again next year: a job that never fires again would be stopped, which costs one more statement
}

/// Returns a time in 2026, in the past.
std::string start_of(std::size_t millisecond) {
  const auto digits = std::to_string(millisecond);
  return "2026-01-01T00:00:00." + std::string(3 - digits.size(), '0') + digits + "Z";
}

/// Returns a TOML basic string; the texts here have no control characters.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    (c == '"' || c == '\\' ? out += '\\' : out) += c;
  return out + '"';
}

void finish(std::ofstream& out, const std::filesystem::path& file) {
  if (!out.flush())
    throw std::runtime_error("cannot write " + file.string());
}

} // namespace

std::vector<std::uint32_t> load_plan::expected(const load_window& window) const {
  std::vector<std::uint32_t> counts;
  for (auto at = window.begin_ms; at < window.end_ms; at += 1000) {
    const auto second = static_cast<std::size_t>(at / 1000 % 60);
    switch (shape) {
    case load_shape::every_second:
    case load_shape::evenly: counts.push_back(static_cast<std::uint32_t>(jobs)); break;
    case load_shape::over_a_minute: counts.push_back(static_cast<std::uint32_t>(jobs / 60 + (second < jobs % 60 ? 1 : 0))); break;
    case load_shape::at_once: counts.push_back(at == instant_ms ? static_cast<std::uint32_t>(jobs) : 0); break;
    case load_shape::yearly: counts.push_back(0); break;
    }
  }
  return counts;
}

void write_jobs(const std::filesystem::path& file, const load_plan& plan, const std::vector<std::string>& addresses) {
  std::ofstream out{file};
  out << "[[group]]\napp_name = " << quoted(plan.group) << "\ntitle = \"bench\"\naddresses = [";
  for (std::size_t i = 0; i < addresses.size(); ++i)
    out << (i > 0 ? ", " : "") << quoted(addresses[i]);
  out << "]\n";
  for (std::size_t i = 0; i < plan.jobs; ++i) {
    out << "\n[[job]]\ngroup = " << quoted(plan.group) << "\nkey = \"job-" << i << "\"\nroute = \"ROUND\"\n"
        << "handler = " << quoted(plan.handler) << "\n";
    if (const auto millisecond = i * 1000 / plan.jobs; plan.shape == load_shape::evenly)
      out << "interval_ms = 1000\nstart_at = " << start_of(millisecond) << "\nparams = \"" << millisecond << "\"\n";
    else
      out << "schedule = { cron = " << quoted(cron_of(plan, i)) << " }\n";
  }
  finish(out, file);
}

void write_config(const std::filesystem::path& file, const load_config& config) {
  std::ofstream out{file};
  out << "data_dir = " << quoted(file.parent_path().string()) << "\n\n[server]\nlisten = \"127.0.0.1:" << config.port
      << "\"\n\n[security]\naccess_token = " << quoted(config.token) << "\n\n[database]\nurl = " << quoted(config.database_url)
      << "\nmigrate = \"auto\"\n\n[schedule]\ntime_zone = \"UTC\"\n\n[log]\nlevel = \"warn\"\n\n[deploy]\nfiles = ["
      << (config.job_file.empty() ? "" : quoted(config.job_file)) << "]\n";
  finish(out, file);
}

} // namespace ringmaster::bench
