#include "config/elasticjob/source_job.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "config/text/diagnostics.hpp"
#include "core/text/ascii_case.hpp"
#include "core/text/text.hpp"

namespace ringmaster::config {

namespace {

/// Kinds of files whose jobs can have an option, as bits.
constexpr unsigned in_stored = 1U << static_cast<unsigned>(source_kind::stored);
constexpr unsigned in_boot = 1U << static_cast<unsigned>(source_kind::boot);
constexpr unsigned in_xml = 1U << static_cast<unsigned>(source_kind::xml);
constexpr unsigned in_all = in_stored | in_boot | in_xml;

struct source_option {
  std::string_view name;
  unsigned kinds = in_all;
};

/// Options of jobs by kind (EJ §3, §18). Spring's own attributes of an XML element are read with the element.
constexpr std::array<source_option, 24> source_options{{
  {"jobName", in_stored},
  {"elasticJobClass", in_boot},
  {"elasticJobType", in_boot},
  {"jobBootstrapBeanName", in_boot},
  {"shardingTotalCount"},
  {"cron"},
  {"timeZone"},
  {"shardingItemParameters"},
  {"jobParameter"},
  {"monitorExecution"},
  {"failover"},
  {"misfire"},
  {"maxTimeDiffSeconds"},
  {"reconcileIntervalMinutes"},
  {"jobShardingStrategyType"},
  {"jobExecutorThreadPoolSizeProviderType"},
  {"jobExecutorServiceHandlerType"},
  {"jobErrorHandlerType"},
  {"jobListenerTypes"},
  {"description"},
  {"disabled"},
  {"overwrite"},
  {"label", in_stored | in_xml},
  {"staticSharding", in_stored | in_xml},
}};

const source_option* find_option(std::string_view key, source_kind kind) {
  const auto name = uniform(key);
  for (const auto& option : source_options)
    if ((option.kinds >> static_cast<unsigned>(kind) & 1U) != 0 && uniform(option.name) == name)
      return &option;
  return nullptr;
}

std::string unknown_option(std::string_view key, source_kind kind) {
  std::vector<std::string_view> known;
  for (const auto& option : source_options)
    if ((option.kinds >> static_cast<unsigned>(kind) & 1U) != 0)
      known.push_back(option.name);
  return "unknown key '" + core::valid_utf8(core::cut_bytes(key, 100)) + "'" + suggestion(key, known);
}

constexpr std::string_view given_twice = "is given twice";

} // namespace

std::string uniform(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '-' && c != '_')
      out += core::ascii_lower(c);
  return out;
}

void add_option(source_job& job, std::string_view key, std::string text, std::size_t line, file_findings& found) {
  const auto* option = find_option(key, job.kind);
  if (!option)
    return found.refuse(line, unknown_option(key, job.kind));
  if (!job.options.emplace(option->name, source_value{std::move(text), line}).second)
    found.refuse(line, std::string{option->name}.append(" ").append(given_twice));
}

void add_listener(source_job& job, std::string_view name, std::size_t line) {
  auto& list = job.options.try_emplace("jobListenerTypes", source_value{"", line}).first->second;
  list.text.append(list.text.empty() ? "" : ",").append(name);
}

void add_prop(source_job& job, std::string key, std::string text, std::size_t line, file_findings& found) {
  if (const auto [at, added] = job.props.emplace(std::move(key), source_value{std::move(text), line}); !added)
    found.refuse(line, "props: '" + core::valid_utf8(at->first) + "' " + std::string{given_twice});
}

std::vector<path_part> parts_of(std::string_view path) {
  std::vector<path_part> out;
  for (std::size_t pos = 0; pos < path.size();) {
    const bool is_bracketed = path[pos] == '[';
    const auto end = std::min(is_bracketed ? path.find(']', pos) : path.find_first_of(".[", pos), path.size());
    const auto begin = is_bracketed ? pos + 1 : pos;
    auto rest = is_bracketed ? std::min(end + 1, path.size()) : end;
    if (rest < path.size() && path[rest] == '.')
      ++rest;
    if (end > begin || is_bracketed)
      out.push_back({path.substr(begin, end - begin), rest, is_bracketed});
    // An empty part between two dots is left out.
    pos = std::max(rest, pos + (end == begin && !is_bracketed ? 1U : 0U));
  }
  return out;
}

bool is_stored_job(std::span<const property> values) {
  return std::any_of(values.begin(), values.end(), [](const property& each) {
    const auto name = uniform(each.path);
    return name == "jobname" || name == "shardingtotalcount";
  });
}

void read_stored_job(std::span<const property> values, file_findings& found, std::vector<source_job>& jobs) {
  source_job job;
  job.kind = source_kind::stored;
  job.file = found.file();
  job.line = values.front().line;
  for (const auto& each : values) {
    const auto parts = parts_of(each.path);
    const auto first = parts.empty() ? std::string{} : uniform(parts[0].text);
    if (each.is_alias)
      found.refuse(each.line, "aliases are not supported; write the value");
    else if (first == "jobextraconfigurations" || first == "extraconfigurations")
      found.remark("the extra configurations, such as tracing, are left out");
    else if (!each.value)
      continue;
    else if (first == "props" && parts.size() > 1)
      add_prop(job, each.path.substr(parts[0].rest), *each.value, each.line, found);
    else if (first == "joblistenertypes" && parts.size() == 2 && parts[1].is_bracketed)
      add_listener(job, *each.value, each.line);
    else
      add_option(job, each.path, *each.value, each.line, found);
  }
  if (const auto* name = job.find("jobName"))
    job.name = name->text;
  jobs.push_back(std::move(job));
}

} // namespace ringmaster::config
