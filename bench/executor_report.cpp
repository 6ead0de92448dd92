#include "bench/executor_report.hpp"

#include "bench/json_parts.hpp"

namespace ringmaster::bench {

namespace {

json p50_and_max(const spread_ms& of) { return {{"p50", rounded(of.p50)}, {"max", rounded(of.max)}}; }

} // namespace

std::string to_json(const executor_rate& report) {
  json out;
  out["load"] = "executor";
  out["way"] = report.way;
  out["shape"] = report.shape;
  out["jobs"] = report.jobs;
  out["seconds"] = report.seconds;
  out["expected"] = report.expected;
  out["stored"] = report.stored;
  out["runs_per_s"] = rounded(static_cast<double>(report.stored_meanwhile) / report.seconds, 10);
  out["lost"] = report.lost;
  out["doubled"] = report.doubled;
  out["unstored"] = report.unstored;
  out["cpu_us_per_run"] = {{"ringmaster", rounded(report.cpu.ringmaster, 10)}, {"executor", rounded(report.cpu.executor, 10)}};
  out["stolen_cpu_s"] = rounded(report.stolen_s);
  out["rss_mb_peak"] = {{"ringmaster", rounded(report.ringmaster_mb, 10)}, {"executor", rounded(report.executor_mb, 10)}};
  out["exit"] = {{"ringmaster", exit_of(report.ringmaster_exit)}, {"executor", exit_of(report.executor_exit)}};
  out["machine"] = machine();
  return out.dump();
}

std::string to_json(const executor_memory& report) {
  json out;
  out["load"] = "executor-memory";
  out["jobs"] = report.jobs;
  out["held"] = report.held;
  out["ran"] = report.ran;
  out["rss_mb"] = {{"before", rounded(report.before_mb, 10)}, {"after", rounded(report.after_mb, 10)}};
  out["kb_per_job"] = rounded((report.after_mb - report.before_mb) * 1000 / static_cast<double>(report.jobs), 10);
  out["exit"] = exit_of(report.executor_exit);
  out["machine"] = machine();
  return out.dump();
}

std::string to_json(const executor_starts& report) {
  json out;
  out["load"] = "executor-starts";
  out["starts"] = report.starts;
  out["ready_ms"] = p50_and_max(report.ms);
  out["machine"] = machine();
  return out.dump();
}

std::string to_json(const executor_kills& report) {
  json out;
  out["load"] = "executor-kills";
  out["kills"] = report.kills;
  out["handler_stopped_ms"] = p50_and_max(report.stopped);
  out["answered_ms"] = p50_and_max(report.answered);
  out["stored_ms"] = p50_and_max(report.stored);
  out["script_ended_ms"] = p50_and_max(report.script_ended);
  out["machine"] = machine();
  return out.dump();
}

} // namespace ringmaster::bench
