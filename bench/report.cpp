#include "bench/report.hpp"

#include "bench/json_parts.hpp"

namespace ringmaster::bench {

namespace {

json to_object(const cpu_shares& cpu) {
  return {{"ringmaster", rounded(cpu.ringmaster)}, {"store", rounded(cpu.store)}, {"executors", rounded(cpu.executors)}};
}

json to_object(const memory_peaks& memory) {
  return {{"ringmaster", rounded(memory.ringmaster, 10)}, {"store", rounded(memory.store, 10)}};
}

json to_object(const spread_ms& late) {
  return {{"p50", rounded(late.p50)}, {"p99", rounded(late.p99)}, {"p999", rounded(late.p999)}, {"max", rounded(late.max)}};
}

json to_object(const viewer_account& seen) {
  return {{"count", seen.viewers},
          {"per_s", rounded(seen.reads.per_second, 10)},
          {"ms", to_object(seen.reads.ms)},
          {"failed", seen.reads.failed},
          {"unchanged", rounded(seen.unchanged)},
          {"bytes", rounded(seen.bytes, 10)},
          {"late_ms_without", to_object(seen.late_without)},
          {"late_ms_with", to_object(seen.late_with)},
          {"cpu_percent_without", rounded(seen.percent_without)},
          {"cpu_percent_with", rounded(seen.percent_with)}};
}

} // namespace

std::string to_json(const load_report& report) {
  json out;
  out["store"] = report.store;
  out["load"] = report.shape;
  out["jobs"] = report.jobs;
  out["rate"] = rounded(report.rate);
  out["seconds"] = report.seconds;
  out["callbacks"] = report.callbacks;
  out["expected"] = report.expected;
  out["sent"] = report.seen.sent;
  out["cycles"] = report.cycles;
  out["cycles_per_s"] = rounded(static_cast<double>(report.seen.acknowledged_meanwhile) / report.seconds, 10);
  out["lost"] = report.lost;
  out["doubled"] = report.doubled;
  out["unstored"] = report.unstored;
  out["early"] = report.seen.early;
  out["callbacks_refused"] = report.refused;
  out["late_ms"] = to_object(report.seen.late);
  out["read_late_ms"] = to_object(report.seen.read_late);
  out["cpu_s"] = report.trouble ? json() : to_object(report.cpu);
  const auto cpu = report.cpu.ringmaster + report.cpu.store;
  out["cpu_us_per_cycle"] =
    report.cycles == 0 || report.trouble ? json() : json(rounded(cpu * 1e6 / static_cast<double>(report.cycles), 10));
  out["stolen_cpu_s"] = rounded(report.stolen_s);
  out["rss_mb_peak"] = to_object(report.memory);
  out["ready_ms"] = rounded(report.ready_ms, 10);
  if (report.prefilled > 0)
    out["prefilled"] = report.prefilled;
  if (const auto& reads = report.reads)
    out["reads"] = {{"per_s", rounded(reads->per_second, 10)}, {"ms", to_object(reads->ms)}, {"failed", reads->failed}};
  if (report.viewers)
    out["viewers"] = to_object(*report.viewers);
  if (const auto& applied = report.applied)
    out["apply"] = {{"jobs", applied->jobs},
                    {"seconds", rounded(applied->seconds)},
                    {"jobs_per_s", rounded(static_cast<double>(applied->jobs) / applied->seconds, 10)},
                    {"late_ms", to_object(applied->late)}};
  if (const auto& trouble = report.trouble)
    out["trouble"] = {{"away_ms", trouble->back_ms - trouble->began_ms},
                      {"dropped_meanwhile", trouble->dropped},
                      {"steady_ms", rounded(trouble->steady_ms, 10)}};
  out["exit"] = exit_of(report.exit_status);
  out["machine"] = machine();
  return out.dump();
}

std::string to_json(const ingest_report& report) {
  json out;
  out["store"] = report.store;
  out["load"] = "ingest";
  out["connections"] = report.connections;
  out["results"] = report.results;
  out["acknowledged"] = report.acknowledged;
  out["results_per_s"] = rounded(static_cast<double>(report.acknowledged) / report.seconds, 10);
  out["unstored"] = report.unstored;
  out["callbacks_refused"] = report.refused;
  out["cpu_s"] = to_object(report.cpu);
  const auto cpu = report.cpu.ringmaster + report.cpu.store;
  out["cpu_us_per_result"] =
    report.acknowledged == 0 ? json() : json(rounded(cpu * 1e6 / static_cast<double>(report.acknowledged), 10));
  out["exit"] = exit_of(report.exit_status);
  out["machine"] = machine();
  return out.dump();
}

std::string to_json(const idle_report& report) {
  json out;
  out["store"] = report.store;
  out["load"] = "idle";
  out["jobs"] = report.jobs;
  out["seconds"] = report.seconds;
  out["apply_ms"] = rounded(report.apply_ms, 10);
  out["ready_ms"] = rounded(report.ready_ms, 10);
  out["cpu_s"] = {{"ringmaster", rounded(report.cpu.ringmaster)}, {"store", rounded(report.cpu.store)}};
  out["cpu_percent_of_core"] = rounded(report.cpu.ringmaster * 100 / report.seconds);
  out["rss_mb"] = rounded(report.rss_mb, 10);
  out["rss_mb_peak"] = to_object(report.memory);
  out["exit"] = exit_of(report.exit_status);
  out["machine"] = machine();
  return out.dump();
}

std::string to_json(const page_report& report) {
  json out;
  out["store"] = report.store;
  out["load"] = "pages";
  out["jobs"] = report.jobs;
  out["runs"] = report.runs;
  out["requests"] = report.requests;
  for (const auto& page : report.pages) {
    auto told = to_object(page.ms);
    told["total"] = page.total;
    out["pages_ms"][page.name] = std::move(told);
  }
  out["exit"] = exit_of(report.exit_status);
  out["machine"] = machine();
  return out.dump();
}

} // namespace ringmaster::bench
