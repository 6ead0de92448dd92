#include "config/declared/declared_file.hpp"

#include <algorithm>
#include <filesystem>
#include <glob.h>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "config/declared/declared_table.hpp"
#include "config/text/diagnostics.hpp"
#include "core/text/text.hpp"

namespace ringmaster::config {

namespace {

constexpr std::string_view wildcards = "*?[";

/// Reader of any number of documents into one set.
class set_reader {
public:
  explicit set_reader(std::string source, std::int64_t revision) {
    set_.source = std::move(source);
    set_.revision = revision;
  }

  void read_file(std::string_view text, const std::string& name) {
    set_.files.push_back(std::filesystem::path{name}.filename().string());
    read(text, name);
  }

  void read(std::string_view text, const std::string& name) {
    const auto document = parse_toml(text, name);
    if (!document)
      return add(document.error().context);
    problems found{name};
    for (const auto& [key, node] : *document)
      read_top(key, node, found);
    for (auto& line : found.lines())
      add(std::move(line));
  }

  void add(std::string line) { lines_.push_back(std::move(line)); }

  core::result<core::declared_set> finish() && {
    if (!lines_.empty())
      return tl::unexpected(to_error(lines_));
    return std::move(set_);
  }

private:
  void read_top(const toml::key& key, const toml::node& node, problems& found) {
    constexpr std::string_view known[] = {"group", "job", "alarm", "elastic_job"};
    const std::string name{key.str()};
    const auto* tables = node.as_array();
    if (std::find(std::begin(known), std::end(known), name) == std::end(known))
      found.add(key.source(), "unknown key '" + name + "'" + suggestion(name, known));
    else if (!tables || !tables->is_array_of_tables())
      found.add(key.source(), name + ": expected a table in double brackets, [[" + name + "]]");
    else
      for (const toml::node& each : *tables)
        keep(name, *each.as_table(), found);
  }

  void keep(const std::string& what, const toml::table& table, problems& found) {
    if (what == "group")
      keep_group(table, found);
    else if (what == "job")
      keep_job(table, found);
    else if (what == "elastic_job")
      keep_elastic_job(table, found);
    else
      keep_alarm(table, found);
  }

  void keep_alarm(const toml::table& table, problems& found) {
    auto alarm = read_alarm(table, found);
    if (const auto first = first_place("alarm " + alarm.rule.key, alarm.where))
      return found.add(table.source(), "alarm '" + alarm.rule.key + "' is declared twice, first at " + *first);
    set_.alarms.push_back(std::move(alarm));
  }

  void keep_group(const toml::table& table, problems& found) {
    auto group = read_group(table, found);
    if (const auto first = first_place("group " + group.app_name, group.where))
      return found.add(table.source(), "group '" + group.app_name + "' is declared twice, first at " + *first);
    set_.groups.push_back(std::move(group));
  }

  void keep_job(const toml::table& table, problems& found) {
    auto job = read_job(table, found);
    if (const auto first = first_place("job " + job.group + "/" + job.key, job.where))
      return found.add(table.source(), "job '" + job.group + "/" + job.key + "' is declared twice, first at " + *first);
    set_.jobs.push_back(std::move(job));
  }

  void keep_elastic_job(const toml::table& table, problems& found) {
    auto job = read_elastic_job(table, found);
    const auto name = core::full_name(job.what);
    if (const auto first = first_place("elastic_job " + name, job.where))
      return found.add(table.source(), "elastic_job '" + name + "' is declared twice, first at " + *first);
    set_.elastic_jobs.push_back(std::move(job));
  }

  /// Returns the place of an earlier declaration of the object; unset the first time.
  std::optional<std::string> first_place(const std::string& object, const std::string& here) {
    const auto [at, inserted] = places_.emplace(object, here);
    return inserted || object.back() == ' ' || object.back() == '/' ? std::nullopt : std::optional{at->second};
  }

  core::declared_set set_;
  std::map<std::string, std::string> places_;
  std::vector<std::string> lines_;
};

std::string escaped(const std::string& folder) {
  std::string out;
  for (const char c : folder) {
    if (c == '\\' || wildcards.find(c) != std::string_view::npos)
      out += '\\';
    out += c;
  }
  return out;
}

/// Returns the matching files, sorted by bytes.
std::vector<std::string> matches(const std::string& base_dir, const std::string& pattern) {
  const bool absolute = pattern.starts_with('/');
  const std::string whole = absolute || base_dir.empty() || base_dir == "." ? pattern : escaped(base_dir) + "/" + pattern;
  glob_t found{};
  std::vector<std::string> out;
  if (::glob(whole.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::error_code ignored;
  std::erase_if(out, [&](const std::string& path) { return std::filesystem::is_directory(path, ignored); });
  for (std::string& path : out)
    path = std::filesystem::path{path}.lexically_normal().string();
  std::sort(out.begin(), out.end());
  return out;
}

std::string shown_path(const std::string& base_dir, const std::string& pattern) {
  return (std::filesystem::path{base_dir} / pattern).lexically_normal().string();
}

/// Calls `read(name, text)` for each file, and `wrong(line)` for each file or pattern that cannot be read.
template <class Read, class Wrong>
void visit_files(const declared_request& request, Read read, Wrong wrong) {
  const std::string asked_by = request.asked_by.empty() ? "" : request.asked_by + ": ";
  std::vector<std::string> seen;
  for (const std::string& pattern : request.patterns) {
    std::vector<std::string> files = matches(request.base_dir, pattern);
    // A pattern without a match is an error and not an empty set: with prune it would remove every job.
    if (files.empty() && pattern.find_first_of(wildcards) != std::string::npos)
      wrong(asked_by + "no file matches " + shown_path(request.base_dir, pattern));
    else if (files.empty())
      files.push_back(shown_path(request.base_dir, pattern));
    for (const std::string& file : files) {
      if (std::find(seen.begin(), seen.end(), file) != seen.end())
        continue;
      seen.push_back(file);
      // A name may contain any bytes; it is shown and stored as valid text.
      if (auto text = read_file(file))
        read(core::valid_utf8(file), std::move(*text));
      else
        wrong(asked_by + text.error().context);
    }
  }
}

} // namespace

core::result<core::declared_set> load_declared(const declared_request& request) {
  set_reader in{request.source, request.revision};
  visit_files(request, [&in](const std::string& file, std::string&& text) { in.read_file(text, file); },
              [&in](std::string&& line) { in.add(std::move(line)); });
  return std::move(in).finish();
}

core::result<std::vector<declared_document>> find_declared(const declared_request& request) {
  std::vector<declared_document> documents;
  std::vector<std::string> lines;
  visit_files(request, [&](const std::string& file, std::string&& text) { documents.push_back({file, std::move(text)}); },
              [&lines](std::string&& line) { lines.push_back(std::move(line)); });
  if (!lines.empty())
    return tl::unexpected(to_error(lines));
  return documents;
}

core::result<core::declared_set> parse_declared(std::span<const declared_document> documents, const std::string& source,
                                                std::int64_t revision) {
  set_reader in{source, revision};
  for (const auto& document : documents)
    in.read_file(document.text, document.name);
  return std::move(in).finish();
}

core::result<core::declared_set> parse_declared(std::string_view text, const std::string& name, const std::string& source) {
  set_reader in{source, 0};
  in.read(text, name);
  return std::move(in).finish();
}

} // namespace ringmaster::config
