// Settings of ElasticJob's Spring Boot starter: `elasticjob.jobs.<name>.*` and their neighbours (EJ §18).

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "config/elasticjob/source_job.hpp"
#include "core/text/text.hpp"

namespace ringmaster::config {

namespace {

using namespace std::string_view_literals;

/// Settings beside the jobs, in uniform spelling, and what the remark says of them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> dropped_settings{{
  {"regcenter", "elasticjob.reg-center is left out, except for its namespace: Ringmaster needs no registry"},
  {"tracing", "elasticjob.tracing is left out: the history of jobs is in Ringmaster's database"},
  {"dump", "elasticjob.dump is left out"},
}};

/// Reader of the values of one document.
class boot_reader {
public:
  boot_reader(file_findings& found, std::vector<source_job>& jobs) : found_(found), jobs_(jobs), first_(jobs.size()) {}

  bool run(std::span<const property> values) {
    bool any = false;
    for (const auto& each : values) {
      // Most values of an application are not ElasticJob's: their paths are not divided.
      const auto first = std::string_view{each.path}.substr(0, each.path.find_first_of(".["));
      if (uniform(first) != "elasticjob")
        continue;
      any = true;
      read(each, parts_of(each.path));
    }
    for (auto job = first_; job < jobs_.size(); ++job)
      jobs_[job].name_space = name_space_;
    return any;
  }

private:
  void read(const property& each, const std::vector<path_part>& parts) {
    if (each.is_alias)
      return found_.refuse(each.line, "aliases are not supported; write the values");
    if (parts.size() < 2)
      return;
    const auto section = uniform(parts[1].text);
    if (section == "jobs")
      return parts.size() > 2 ? read_job(each, parts) : void();
    if (section == "regcenter" && parts.size() == 3 && uniform(parts[2].text) == "namespace")
      name_space_ = each.value.value_or("");
    else if (section == "enabled" && parts.size() == 2)
      remark_once("elasticjob.enabled is left out: enabled = false of a job stops it here");
    else
      drop(each, section);
  }

  void drop(const property& each, std::string_view section) {
    const auto* at = std::find_if(dropped_settings.begin(), dropped_settings.end(),
                                  [&](const auto& setting) { return setting.first == section; });
    if (at == dropped_settings.end())
      found_.refuse(each.line, "unknown key '" + core::valid_utf8(core::cut_bytes(each.path, 100)) + "'");
    else
      remark_once(at->second);
  }

  void remark_once(std::string_view what) {
    if (said_.emplace(what).second)
      found_.remark(what);
  }

  source_job& job_of(const property& each, const path_part& name) {
    const auto [at, is_new] = by_name_.emplace(name.text, jobs_.size());
    if (!is_new)
      return jobs_[at->second];
    auto& job = jobs_.emplace_back();
    job.kind = source_kind::boot;
    job.file = found_.file();
    job.line = each.line;
    job.name = name.text;
    const auto is_kept = [](unsigned char c) {
      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-';
    };
    if (!name.is_bracketed && !std::all_of(name.text.begin(), name.text.end(), is_kept))
      found_.remark("job '" + job.name + "': Spring Boot leaves out some characters of a name without brackets; compare it with "
                                         "the name in the registry");
    return job;
  }

  void read_job(const property& each, const std::vector<path_part>& parts) {
    auto& job = job_of(each, parts[2]);
    if (!each.value)
      return;
    if (parts.size() == 3)
      return found_.refuse(each.line, "expected the options of a job below '" + job.name + "'");
    const std::string_view key = std::string_view{each.path}.substr(parts[2].rest);
    const auto first = uniform(parts[3].text);
    if (first == "props" && parts.size() > 4)
      add_prop(job, prop_name(std::string_view{each.path}.substr(parts[3].rest)), *each.value, each.line, found_);
    else if (uniform(key) == "streaming.process")
      add_prop(job, "streaming.process", *each.value, each.line, found_);
    else if (first == "joblistenertypes" && parts.size() == 5 && parts[4].is_bracketed)
      add_listener(job, *each.value, each.line);
    else
      add_option(job, key, *each.value, each.line, found_);
  }

  /// Returns `a.b` for `[a.b]`.
  static std::string prop_name(std::string_view key) {
    if (key.size() > 2 && key.front() == '[' && key.back() == ']')
      key = key.substr(1, key.size() - 2);
    return std::string{key};
  }

  file_findings& found_;
  std::vector<source_job>& jobs_;
  std::size_t first_;
  std::string name_space_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::set<std::string, std::less<>> said_;
};

} // namespace

bool read_boot_jobs(std::span<const property> values, file_findings& found, std::vector<source_job>& jobs) {
  return boot_reader{found, jobs}.run(values);
}

} // namespace ringmaster::config
