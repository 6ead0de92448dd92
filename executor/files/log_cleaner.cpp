#include "executor/files/log_cleaner.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace ringmaster::executor {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono;

std::optional<unsigned> digits_of(std::string_view text) noexcept {
  unsigned value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9')
      return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

/// Returns the names of the folders in `folder`, without links.
core::result<std::vector<std::string>> folders_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator it{folder, problem}, end; !problem && it != end; it.increment(problem)) {
    std::error_code ignored;
    if (fs::is_directory(it->symlink_status(ignored)))
      names.push_back(it->path().filename().string());
  }
  if (problem && problem != std::errc::no_such_file_or_directory)
    return core::fail(core::errc::unavailable, folder + " cannot be read: " + problem.message());
  return names;
}

/// Removes file by file, so that a stop need not wait for a million of them. Returns false when stopped.
bool empty_folder(const fs::path& folder, const std::stop_token& stop, std::error_code& problem) {
  for (fs::directory_iterator it{folder, problem}, end; !problem && it != end; it.increment(problem)) {
    if (stop.stop_requested())
      return false;
    fs::remove_all(it->path(), problem);
    if (problem)
      break;
  }
  return true;
}

} // namespace

std::optional<year_month_day> parse_date(std::string_view name) noexcept {
  if (name.size() != 10 || name[4] != '-' || name[7] != '-')
    return std::nullopt;
  const auto y = digits_of(name.substr(0, 4)), m = digits_of(name.substr(5, 2)), d = digits_of(name.substr(8, 2));
  if (!y || !m || !d)
    return std::nullopt;
  const auto date = year{static_cast<int>(*y)} / month{*m} / day{*d};
  return date.ok() ? std::optional{date} : std::nullopt;
}

std::vector<std::string> outdated_folders(const std::vector<std::string>& names, year_month_day today, std::int32_t days_kept) {
  std::vector<std::string> out;
  if (days_kept < retention_days_min)
    return out;
  for (const auto& name : names) {
    const auto date = parse_date(name);
    if (date && sys_days{today} - sys_days{*date} > days{days_kept})
      out.push_back(name);
  }
  return out;
}

core::result<cleaned_logs> clean_logs(const log_options& options, std::int32_t days_kept, const std::stop_token& stop) {
  cleaned_logs done;
  if (days_kept < retention_days_min)
    return done;
  auto names = folders_in(options.folder);
  if (!names)
    return tl::unexpected(std::move(names.error()));
  for (const auto& name : outdated_folders(*names, local_date(options.zone, options.now()), days_kept)) {
    const auto path = fs::path{options.folder} / name;
    std::error_code problem;
    if (!empty_folder(path, stop, problem))
      break;
    if (!problem)
      fs::remove(path, problem);
    if (!problem)
      ++done.folders;
    else if (done.problem.empty())
      done.problem = path.string() + " cannot be removed: " + problem.message();
  }
  return done;
}

log_cleaner::log_cleaner(log_options options, std::int32_t days, std::function<void(const core::result<cleaned_logs>&)> said,
                         core::milliseconds look_every)
  : options_{std::move(options)},
    days_{days},
    said_{std::move(said)},
    look_every_{look_every},
    thread_{[this](const std::stop_token& stop) { live(stop); }} {}

log_cleaner::~log_cleaner() = default;

void log_cleaner::live(const std::stop_token& stop) {
  std::optional<year_month_day> cleaned_on;
  std::unique_lock lock{mutex_};
  while (!stop.stop_requested()) {
    const auto today = local_date(options_.zone, options_.now());
    if (cleaned_on != today) {
      const auto done = clean_logs(options_, days_, stop);
      if (!done || done->folders > 0 || !done->problem.empty())
        said_(done);
      cleaned_on = today;
    }
    stopping_.wait_for(lock, stop, look_every_, [] { return false; });
  }
}

} // namespace ringmaster::executor
