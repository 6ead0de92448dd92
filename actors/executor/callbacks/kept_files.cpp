#include "actors/executor/callbacks/kept_files.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "actors/executor/callbacks/admin_reach.hpp"
#include "actors/executor/callbacks/report_queue.hpp"

namespace ringmaster::actors {

void kept_files::add(std::string&& name, std::size_t reports) {
  if (files_.size() >= files_max) {
    unlisted_ = true;
    return;
  }
  reports_ += reports;
  files_.push_back({std::move(name), reports});
}

void kept_files::add_refused(kept_file&& file, steady t) {
  reports_ += file.reports;
  put_back(std::move(file), true, t);
}

void kept_files::put_back(kept_file&& file, bool was_refused, steady t) {
  if (was_refused)
    file.refusals = std::min(file.refusals + 1, report_failures_max);
  file.not_before = was_refused ? t + report_pause(file.refusals) : steady{};
  files_.push_back(std::move(file));
}

std::vector<std::string> kept_files::begin_read(steady t) {
  std::vector<std::string> names;
  std::size_t reports = 0;
  for (auto it = files_.begin(); may_use_disk(t) && it != files_.end() && reports < report_queue::batch_max;) {
    const bool alike = names.empty() || (it->refusals > 0) == (reading_.front().refusals > 0);
    const bool fits = names.empty() || reports + it->reports <= report_queue::batch_max;
    if (it->not_before > t || !alike || !fits) {
      ++it;
      continue;
    }
    reports += std::max<std::size_t>(it->reports, 1);
    names.push_back(it->name);
    reading_.push_back(std::move(*it));
    it = files_.erase(it);
  }
  return names;
}

files_to_send kept_files::end_read(std::vector<core::result<std::vector<core::run_report>>>&& read, steady t) {
  files_to_send out;
  std::deque<kept_file> later;
  std::size_t at = 0;
  for (auto& file : std::exchange(reading_, {})) {
    auto* content = at < read.size() ? &read[at] : nullptr;
    ++at;
    if (content && !*content) {
      take_unreadable(file, content->error(), t);
      continue;
    }
    if (content) {
      disk_worked();
      reports_ = reports_ - file.reports + (*content)->size();
      file.reports = (*content)->size();
    }
    if (!content || (!out.from.empty() && out.reports.size() + file.reports > report_queue::batch_max)) {
      later.push_back(std::move(file));
    } else if (file.reports == 0) {
      out.empty.push_back(std::move(file));
    } else {
      std::vector<core::log_id> runs;
      for (const auto& report : **content)
        runs.push_back(report.run);
      std::move((*content)->begin(), (*content)->end(), std::back_inserter(out.reports));
      out.from.push_back({std::move(file), std::move(runs)});
    }
  }
  files_.insert(files_.begin(), std::make_move_iterator(later.begin()), std::make_move_iterator(later.end()));
  return out;
}

void kept_files::take_unreadable(const kept_file& file, const core::error& why, steady t) {
  gone(file);
  disk_failed("cannot read kept results", why, t);
  // A broken file is moved aside; other files are found again by the next listing.
  unlisted_ = unlisted_ || why.code != core::errc::invalid_argument;
}

bool kept_files::begin_list(steady t) {
  if (!unlisted_ || listing_ || !may_use_disk(t) || t < list_retry_at_)
    return false;
  listing_ = true;
  return true;
}

void kept_files::end_list(core::result<std::vector<std::string>>&& names, steady t) {
  listing_ = false;
  if (!names)
    return disk_failed("cannot list kept results", names.error(), t);
  unlisted_ = names->size() >= files_max;
  const auto known_before = files_.size();
  for (auto& name : *names) {
    const auto same = [&name](const kept_file& file) { return file.name == name; };
    if (!std::any_of(files_.begin(), files_.end(), same) && !std::any_of(reading_.begin(), reading_.end(), same))
      files_.push_back({std::move(name)});
  }
  if (files_.size() == known_before)
    list_retry_at_ = t + report_pause_min;
}

void kept_files::disk_failed(const char* what, const core::error& why, steady t) {
  if (std::exchange(disk_trouble_, why.context) != why.context)
    log_->error("{}: {}: {}", what, core::to_string(why.code), why.context);
  if (why.code != core::errc::invalid_argument)
    disk_retry_at_ = t + report_pause_min;
}

void kept_files::write_failed(const core::error& why, steady t) {
  disk_failed("cannot write results to files", why, t);
  disk_retry_at_ = t + report_pause_min;
}

} // namespace ringmaster::actors
