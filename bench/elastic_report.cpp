#include "bench/elastic_report.hpp"

#include "bench/json_parts.hpp"

namespace ringmaster::bench {

namespace {

json spread_object(const spread_ms& of) {
  return {{"p50", rounded(of.p50)}, {"p99", rounded(of.p99)}, {"max", rounded(of.max)}};
}

} // namespace

std::string to_json(const elastic_times& report) {
  json out;
  out["load"] = report.load;
  out["rounds"] = report.rounds;
  out["ms"] = spread_object(report.ms);
  if (report.late)
    out["late_ms"] = spread_object(*report.late);
  out["exit"] = exit_of(report.exit_status);
  out["machine"] = machine();
  return out.dump();
}

std::string to_json(const elastic_rate& report) {
  json out;
  out["load"] = "elastic";
  out["jobs"] = report.jobs;
  out["items"] = report.items;
  out["seconds"] = report.seconds;
  out["expected"] = report.expected;
  out["runs_per_s"] = rounded(static_cast<double>(report.expected - report.lost) / report.seconds, 10);
  out["lost"] = report.lost;
  out["doubled"] = report.doubled;
  out["unstored"] = report.unstored;
  out["late_ms"] = spread_object(report.late);
  out["last_ms"] = spread_object(report.last);
  const auto per_run = report.expected == 0 ? 0 : 1e6 / static_cast<double>(report.expected);
  out["cpu_us_per_run"] = {{"ringmaster", rounded(report.server_cpu_s * per_run, 10)},
                           {"workers", rounded(report.workers_cpu_s * per_run, 10)}};
  out["stolen_cpu_s"] = rounded(report.stolen_s);
  out["rss_mb_peak"] = rounded(report.server_mb, 10);
  out["exit"] = exit_of(report.exit_status);
  out["machine"] = machine();
  return out.dump();
}

std::string to_json(const elastic_idle& report) {
  json out;
  out["load"] = "elastic-idle";
  out["jobs"] = report.jobs;
  out["seconds"] = report.seconds;
  out["ready_ms"] = rounded(report.ready_ms, 10);
  out["cpu_percent_of_core"] = rounded(report.cpu_s * 100 / report.seconds);
  out["rss_mb"] = rounded(report.rss_mb, 10);
  out["exit"] = exit_of(report.exit_status);
  out["machine"] = machine();
  return out.dump();
}

} // namespace ringmaster::bench
