#include "config/elasticjob/elasticjob_import.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "config/declared/declared_writer.hpp"
#include "config/elasticjob/imported_job.hpp"
#include "config/elasticjob/readers.hpp"
#include "config/text/diagnostics.hpp"
#include "core/columns.hpp"
#include "core/text/text.hpp"

namespace ringmaster::config {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

struct file_closer {
  void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
};

core::result<std::string> read_limited(const std::string& path) {
  const std::unique_ptr<std::FILE, file_closer> file{std::fopen(path.c_str(), "rbe")};
  if (!file)
    return core::fail(core::errc::invalid_argument, path + ": " + std::strerror(errno));
  std::string text(import_file_bytes_max + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0)
    return core::fail(core::errc::invalid_argument, path + ": " + std::strerror(errno));
  return text;
}

/// Returns the text without control characters.
std::string one_line_of(std::string_view text) {
  auto out = core::valid_utf8(text);
  std::replace_if(out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return out;
}

/// Returns the reason why no reader gets the text.
std::string_view defect_of(std::string_view text) {
  if (text.size() > import_file_bytes_max)
    return "the file is longer than 4 MiB";
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return "the file is UTF-16; convert it to UTF-8";
  if (text.find('\0') != std::string_view::npos)
    return "the file has a NUL character";
  for (std::size_t pos = 0; pos < text.size();) {
    const auto size = core::utf8_character_size(text, pos);
    if (size == 0)
      return "the file is not valid UTF-8; convert it";
    pos += size;
  }
  return core::is_blank(text) ? "the file is empty" : std::string_view{};
}

/// Import of all files: their jobs in the order of the files.
class elasticjob_import {
public:
  void read(const declared_document& document) {
    file_findings found{one_line_of(document.name), all_};
    std::string_view text = document.text;
    if (text.starts_with(byte_order_mark))
      text.remove_prefix(byte_order_mark.size());
    if (const auto defect = defect_of(text); !defect.empty())
      return found.refuse(1, defect);
    const auto before = jobs_.size();
    switch (syntax_of(text)) {
    case import_syntax::xml: read_xml(text, found, jobs_, names_); break;
    case import_syntax::yaml: read_documents(text, found); break;
    case import_syntax::properties: read_settings(read_properties(text, found), text, found); break;
    }
    if (jobs_.size() == before)
      found.remark("no jobs");
  }

  core::result<imported_jobs> write(std::span<const declared_document> documents, const std::string& group,
                                    core::time_point now) {
    if (jobs_.size() > import_jobs_max)
      return core::fail(core::errc::invalid_argument, "more than " + std::to_string(import_jobs_max) +
                                                        " jobs; import the files in several parts");
    std::vector<imported_job> converted;
    for (const auto& job : jobs_) {
      auto& made = converted.emplace_back(to_imported_job(job, names_, now, all_));
      // After an error only its name is of use: placeholders may make few bytes many.
      if (all_.failed()) {
        imported_job named;
        named.where = std::move(made.where);
        named.what.name_space = std::move(made.what.name_space);
        named.what.name = std::move(made.what.name);
        made = std::move(named);
      }
    }
    check_names(converted);
    if (group.empty())
      check_groups(converted);
    if (!all_.failed() && converted.empty())
      all_.refuse("no file has a job of ElasticJob");
    if (all_.failed())
      return tl::unexpected{errors()};
    return result_of(converted, documents, group);
  }

private:
  void read_documents(std::string_view text, file_findings& found) {
    std::vector<property> settings;
    for (auto& values : read_yaml(text, found))
      if (is_stored_job(values))
        read_stored_job(values, found, jobs_);
      else
        std::move(values.begin(), values.end(), std::back_inserter(settings));
    names_.add_values(settings);
    (void) read_boot_jobs(settings, found, jobs_);
  }

  void read_settings(const std::vector<property>& values, std::string_view text, file_findings& found) {
    names_.add_values(values);
    const bool any = read_boot_jobs(values, found, jobs_);
    if (any && std::any_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x80; }))
      found.remark("read as UTF-8; Spring Boot reads properties as ISO-8859-1");
  }

  void check_names(const std::vector<imported_job>& converted) {
    std::map<std::pair<std::string_view, std::string_view>, std::string_view> seen;
    for (const auto& job : converted)
      if (const auto [at, is_first] = seen.try_emplace({job.what.name_space, job.what.name}, job.where); !is_first)
        all_.refuse(job.where + ": job '" + core::valid_utf8(job.what.name) + "' is there twice, first at " +
                    std::string{at->second});
  }

  void check_groups(const std::vector<imported_job>& converted) {
    for (const auto& job : converted)
      if (core::is_blank(job.what.name_space))
        return all_.refuse(job.where + ": job '" + core::valid_utf8(job.what.name) +
                           "' has no namespace that names its group; give --group");
  }

  core::error errors() {
    if (all_.more_errors > 0)
      all_.errors.push_back("and " + std::to_string(all_.more_errors) + " more errors");
    return to_error(all_.errors);
  }

  imported_jobs result_of(const std::vector<imported_job>& converted, std::span<const declared_document> documents,
                          const std::string& group) {
    imported_jobs out;
    out.text = "# Jobs of ElasticJob";
    for (const auto& document : documents)
      out.text += (&document == documents.data() ? ", imported from " : ", ") + one_line_of(document.name);
    out.text += "\n";
    out.text += comment_text(
      "monitorExecution, reconcileIntervalMinutes and overwrite are left out: runs of items are always recorded, items are\n"
      "always checked, and this file owns its jobs.\n"
      "A job without time_zone has the server's schedule.time_zone; in ElasticJob it has the time zone of each Java process.\n"
      "Each group must exist; its executors must have handlers with these names.");
    add_implied(converted);
    for (const auto& remark : all_.remarks)
      out.text += comment_text(one_line_of(remark));
    for (const auto& job : converted) {
      out.text += '\n' + elastic_job_text(job, group.empty() ? job.what.name_space : group);
      ++(job.unsupported.empty() ? out.declared : out.left_out);
      add_remarks(job);
    }
    for (const auto& remark : all_.remarks)
      out.remarks.push_back(one_line_of(remark));
    return out;
  }

  /// Adds a remark for each file whose jobs have a default that is not Ringmaster's.
  void add_implied(const std::vector<imported_job>& converted) {
    std::map<std::string, std::size_t> implied;
    for (const auto& job : converted)
      if (job.implies_no_misfire && job.unsupported.empty())
        ++implied[job.where.substr(0, job.where.rfind(':'))];
    for (const auto& [file, count] : implied)
      all_.remarks.push_back(file + ": misfire is off in jobs that do not set it, as ElasticJob implies for this form of file (" +
                             std::to_string(count) + (count == 1 ? " job)" : " jobs)"));
  }

  void add_remarks(const imported_job& job) {
    const auto begin = job.where + ": job '" + core::valid_utf8(job.what.name) + "': ";
    if (!job.unsupported.empty())
      all_.remarks.push_back(begin + "left out: " + job.unsupported);
    else
      for (const auto& note : job.notes)
        all_.remarks.push_back(begin + note);
  }

  import_findings all_;
  std::vector<source_job> jobs_;
  source_names names_;
};

} // namespace

core::result<std::vector<declared_document>> read_import_files(std::span<const std::string> paths) {
  std::vector<declared_document> out;
  std::vector<std::string> errors;
  std::set<std::filesystem::path> seen;
  for (const auto& path : paths) {
    std::error_code ignored;
    if (const auto real = std::filesystem::canonical(path, ignored); !ignored && !seen.insert(real).second)
      continue;
    if (auto text = read_limited(path))
      out.push_back({path, std::move(*text)});
    else
      errors.push_back(text.error().context);
  }
  if (!errors.empty())
    return tl::unexpected{to_error(errors)};
  return out;
}

core::result<imported_jobs> import_elasticjob(std::span<const declared_document> documents, const std::string& group,
                                              core::time_point now) {
  if (!core::fits(group, core::app_name_chars))
    return core::fail(core::errc::invalid_argument,
                      "--group: longer than " + std::to_string(core::app_name_chars) + " characters");
  elasticjob_import work;
  for (const auto& document : documents)
    work.read(document);
  return work.write(documents, group, now);
}

} // namespace ringmaster::config
