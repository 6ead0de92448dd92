// The disk access of callback_actor: results in files, accepted runs, and their logs.

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "actors/executor/callbacks/callback_actor.hpp"

namespace ringmaster::actors {

// -- taken runs ------------------------------------------------------------------------------------------------------------

void callback_actor_state::report_left() {
  auto left = tools_.runs->left();
  if (left.empty())
    return;
  tools_.log->warn("{} runs were open when this executor ended last; reporting them now", left.size());
  for (std::size_t i = 0; i < left.size() && i < log_work_max; ++i)
    tell_left(left[i]);
  for (auto& report : left)
    unsent_.add(std::move(report));
}

void callback_actor_state::tell_left(const core::run_report& report) {
  std::string lines{"<br>----------- reported by the next start of the executor<br>----------- Result: handleCode="};
  lines.append(std::to_string(report.code)).append(", handleMsg = ").append(report.message.value_or("null")).append("\n");
  write_logs({report}, std::move(lines), false);
}

/// Writes the logs. `are_safe`: the results are stored, so afterwards the logs detect copies of these runs.
void callback_actor_state::write_logs(const std::vector<core::run_report>& of, std::string lines, bool are_safe) {
  if (lines.empty() && !are_safe)
    return;
  std::vector<core::run_identity> which;
  for (const auto& report : of)
    which.push_back(core::identity_of(report));
  lane_.add([this, logs = tools_.logs, runs = tools_.runs, which = std::move(which), lines = std::move(lines),
             are_safe]() -> std::function<void()> {
    bool missing = false;
    for (const auto& run : which) {
      const bool is_there = logs->append(run, lines).has_value();
      missing = missing || (are_safe && !is_there);
      if (are_safe)
        is_there ? runs->remove(run) : runs->close(run);
    }
    if (!missing)
      return {};
    return [this] { logs_missing_ = true; };
  });
}

void callback_actor_state::make_missing_logs() {
  if (!logs_missing_ || now() < logs_retry_at_ || !lane_.idle())
    return;
  logs_missing_ = false;
  logs_retry_at_ = now() + pause_min;
  const auto closed = tools_.runs->closed(batch_of_logs);
  write_logs(closed, {}, !closed.empty());
  logs_missing_ = closed.size() == batch_of_logs;
}

// -- to and from files -----------------------------------------------------------------------------------------------------

bool callback_actor_state::must_save() const {
  return away_ || flush_is_late() || unsent_.size() > reports_max || unsent_.bytes() > bytes_max;
}

void callback_actor_state::save() {
  if (flush_is_late())
    for (auto& each : flights_)
      if (each.has_unsaved()) {
        each.saved = true;
        unsent_.put_back(each.reports.untold());
      }
  if (saving_ > 0 || unsent_.empty() || now() < disk_retry_at_ || !must_save())
    return;
  auto batch = std::make_shared<std::vector<core::run_report>>(unsent_.take());
  saving_ = batch->size();
  lane_.add([this, files = tools_.files, batch]() -> std::function<void()> {
    auto name = std::make_shared<core::result<std::string>>(files->save(*batch));
    return [this, batch, name] { saved(std::move(*batch), std::move(*name)); };
  });
}

void callback_actor_state::saved(std::vector<core::run_report>&& reports, core::result<std::string>&& name) {
  saving_ = 0;
  if (!name) {
    disk_failed("cannot write results to files", name.error());
    disk_retry_at_ = now() + pause_min;
    unsent_.put_back(std::move(reports));
    return;
  }
  disk_trouble_.clear();
  write_logs(reports, {}, true);
  if (files_.size() >= files_max) {
    unlisted_ = true;
    return;
  }
  on_disk_ += reports.size();
  files_.push_back({std::move(*name), reports.size()});
}

std::vector<callback_actor_state::stored_file> callback_actor_state::take_files() {
  std::vector<stored_file> out;
  if (now() < disk_retry_at_)
    return out;
  std::size_t reports = 0;
  for (auto it = files_.begin(); it != files_.end() && reports < report_queue::batch_max;) {
    const bool alike = out.empty() || (it->refusals > 0) == (out.front().refusals > 0);
    const bool fits = out.empty() || reports + it->reports <= report_queue::batch_max;
    if (it->not_before > now() || !alike || !fits) {
      ++it;
      continue;
    }
    reports += std::max<std::size_t>(it->reports, 1);
    out.push_back(std::move(*it));
    it = files_.erase(it);
  }
  return out;
}

void callback_actor_state::load(std::vector<stored_file>&& files) {
  std::vector<std::string> names;
  for (const auto& file : files)
    names.push_back(file.name);
  loading_ = std::move(files);
  lane_.add([this, files = tools_.files, names = std::move(names)]() -> std::function<void()> {
    auto read = std::make_shared<std::vector<core::result<report_list>>>();
    std::size_t reports = 0;
    for (std::size_t i = 0; i < names.size() && reports < report_queue::batch_max; ++i) {
      read->push_back(files->load(names[i]));
      reports += read->back() ? read->back()->size() : 0;
    }
    return [this, read] { loaded(std::move(*read)); };
  });
}

void callback_actor_state::loaded(std::vector<core::result<report_list>>&& read) {
  auto files = std::exchange(loading_, {});
  report_list reports;
  std::vector<flown_file> from;
  std::deque<stored_file> later;
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto& file = files[i];
    if (i < read.size() && !read[i]) {
      unreadable(file, read[i].error());
      continue;
    }
    if (i < read.size()) {
      disk_trouble_.clear();
      on_disk_ = on_disk_ - file.reports + read[i]->size();
      file.reports = read[i]->size();
    }
    if (i >= read.size() || (!from.empty() && reports.size() + file.reports > report_queue::batch_max)) {
      later.push_back(std::move(file));
    } else if (file.reports == 0) {
      remove(file);
    } else {
      std::vector<core::log_id> runs;
      for (const auto& report : *read[i])
        runs.push_back(report.run);
      std::move(read[i]->begin(), read[i]->end(), std::back_inserter(reports));
      from.push_back({std::move(file), std::move(runs)});
    }
  }
  files_.insert(files_.begin(), std::make_move_iterator(later.begin()), std::make_move_iterator(later.end()));
  if (!reports.empty())
    depart(std::move(reports), std::move(from));
}

void callback_actor_state::unreadable(const stored_file& file, const core::error& why) {
  on_disk_ -= file.reports;
  disk_failed("cannot read kept results", why);
  // A broken file is moved aside; other files are found again by the next listing.
  unlisted_ = unlisted_ || why.code != core::errc::invalid_argument;
}

/// Moves individually refused results to files of their own, in place of the files they came from.
void callback_actor_state::keep_aside(report_list&& reports, std::vector<stored_file>&& instead_of) {
  if (instead_of.empty())
    saving_aside_ += reports.size();
  auto kept = std::make_shared<report_list>(std::move(reports));
  auto from = std::make_shared<std::vector<stored_file>>(std::move(instead_of));
  lane_.add([this, files = tools_.files, kept, from]() -> std::function<void()> {
    auto saved = std::make_shared<std::vector<stored_file>>();
    std::optional<core::error> problem;
    for (std::size_t at = 0; at < kept->size() && !problem; at += report_queue::batch_max) {
      const auto part = std::span{*kept}.subspan(at, std::min(report_queue::batch_max, kept->size() - at));
      if (auto name = files->save(part))
        saved->push_back({std::move(*name), part.size()});
      else
        problem = std::move(name.error());
    }
    // A file that remains is found again after the next start.
    for (const auto& file : *from)
      if (!problem)
        (void)files->remove(file.name);
    return [this, kept, from, saved, problem] { aside_kept(std::move(*kept), std::move(*from), std::move(*saved), problem); };
  });
}

void callback_actor_state::aside_kept(report_list&& reports, std::vector<stored_file>&& from, std::vector<stored_file>&& saved,
                                      const std::optional<core::error>& problem) {
  const bool of_memory = from.empty();
  if (of_memory)
    saving_aside_ -= reports.size();
  for (auto& file : saved) {
    on_disk_ += file.reports;
    put_back(std::move(file), true);
  }
  if (problem) {
    disk_failed("cannot write results to files", *problem);
    disk_retry_at_ = now() + pause_min;
    for (auto& file : from)
      put_back(std::move(file), true);
    if (of_memory)
      unsent_.put_back(std::move(reports));
    return;
  }
  for (const auto& file : from)
    on_disk_ -= file.reports;
  if (of_memory)
    write_logs(reports, {}, true);
}

void callback_actor_state::put_back(stored_file&& file, bool was_refused) {
  file.refusals = was_refused ? std::min(file.refusals + 1, 4) : file.refusals;
  file.not_before = was_refused ? now() + std::min<std::chrono::seconds>(pause_min * (1 << (file.refusals - 1)), pause_max)
                                : steady{};
  files_.push_back(std::move(file));
}

void callback_actor_state::list() {
  if (listing_ || now() < std::max(disk_retry_at_, list_retry_at_))
    return;
  listing_ = true;
  lane_.add([this, files = tools_.files]() -> std::function<void()> {
    auto names = std::make_shared<core::result<std::vector<std::string>>>(files->names(files_max));
    return [this, names] { listed(std::move(*names)); };
  });
}

void callback_actor_state::listed(core::result<std::vector<std::string>>&& names) {
  listing_ = false;
  if (!names)
    return disk_failed("cannot list kept results", names.error());
  unlisted_ = names->size() >= files_max;
  const auto known_before = files_.size();
  for (auto& name : *names) {
    const auto same = [&name](const stored_file& file) { return file.name == name; };
    const bool known = std::any_of(files_.begin(), files_.end(), same) || std::any_of(loading_.begin(), loading_.end(), same);
    if (!known)
      files_.push_back({std::move(name)});
  }
  if (files_.size() == known_before)
    list_retry_at_ = now() + pause_min;
}

void callback_actor_state::remove(const stored_file& file) {
  on_disk_ -= file.reports;
  lane_.add([this, files = tools_.files, name = file.name]() -> std::function<void()> {
    auto removed = files->remove(name);
    if (removed)
      return {};
    return [this, why = removed.error()] { disk_failed("cannot remove a file with delivered results", why); };
  });
}

void callback_actor_state::disk_failed(const char* what, const core::error& why) {
  if (std::exchange(disk_trouble_, why.context) != why.context)
    tools_.log->error("{}: {}: {}", what, core::to_string(why.code), why.context);
  if (why.code != core::errc::invalid_argument)
    disk_retry_at_ = now() + pause_min;
}

} // namespace ringmaster::actors
