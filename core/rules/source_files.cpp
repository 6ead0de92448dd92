#include "core/rules/source_files.hpp"

#include <algorithm>

namespace ringmaster::core {

namespace {

/// Maximum number of names in one message.
constexpr std::size_t named_files_max = 5;

std::vector<std::string> sorted_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < named_files_max; ++i)
    text.append(i == 0 ? "" : ", ").append(names[i]);
  return names.size() > named_files_max ? text + " and " + std::to_string(names.size() - named_files_max) + " more" : text;
}

} // namespace

std::string belongs_to_text(const std::string& source) {
  return "belongs to the source " + source + " and stays unchanged; to change it, apply with --source " + source +
         " (of files in the configuration: deploy.source)";
}

result<void> check_prune(const std::vector<std::string>& known, const declared_set& declared, const deploy_report& report) {
  const auto removed = std::count_if(report.changes.begin(), report.changes.end(),
                                     [](const auto& change) { return change.kind == change_kind::remove; });
  if (removed == 0 || declared.files.empty() || declared.prunes_other_files)
    return {};
  const auto given = sorted_names(declared.files);
  std::vector<std::string> missing;
  std::set_difference(known.begin(), known.end(), given.begin(), given.end(), std::back_inserter(missing));
  if (missing.empty())
    return {};
  return fail(errc::conflict, "prune would remove " + std::to_string(removed) + (removed == 1 ? " object" : " objects") +
                                ", but files of the source " +
                                declared.source + " are missing: " + listed(missing) +
                                "; apply all files of the source together, or add --prune-all (in the API: \"prune_all\")");
}

std::vector<std::string> files_after(const std::vector<std::string>& known, const declared_set& declared, bool prune) {
  auto names = declared.files;
  if (!prune || declared.files.empty())
    names.insert(names.end(), known.begin(), known.end());
  return sorted_names(std::move(names));
}

} // namespace ringmaster::core
