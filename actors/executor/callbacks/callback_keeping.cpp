// callback_actor: results to and from files.

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "actors/executor/callbacks/callback_actor.hpp"

namespace ringmaster::actors {

bool callback_actor_state::must_save() const {
  return reach_.is_away() || flush_is_late() || unsent_.size() > reports_max || unsent_.bytes() > bytes_max;
}

void callback_actor_state::save() {
  if (flush_is_late())
    for (auto& each : flights_)
      if (each.has_unsaved()) {
        each.saved = true;
        unsent_.put_back(each.reports.untold());
      }
  if (saving_ > 0 || unsent_.empty() || !files_.may_use_disk(now()) || !must_save())
    return;
  auto batch = std::make_shared<report_list>(unsent_.take());
  saving_ = batch->size();
  lane_.add([this, files = tools_.files, batch]() -> std::function<void()> {
    auto name = std::make_shared<core::result<std::string>>(files->save(*batch));
    return [this, batch, name] { saved(std::move(*batch), std::move(*name)); };
  });
}

void callback_actor_state::saved(report_list&& reports, core::result<std::string>&& name) {
  saving_ = 0;
  if (!name) {
    files_.write_failed(name.error(), now());
    unsent_.put_back(std::move(reports));
    return;
  }
  files_.disk_worked();
  logs_.note_safe(reports);
  files_.add(std::move(*name), reports.size());
}

void callback_actor_state::load(std::vector<std::string>&& names) {
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
  auto content = files_.end_read(std::move(read), now());
  for (const auto& file : content.empty)
    remove(file);
  if (!content.reports.empty())
    depart(std::move(content.reports), std::move(content.from));
}

/// Moves individually refused results to files of their own, in place of the files they came from.
void callback_actor_state::keep_aside(report_list&& reports, std::vector<kept_file>&& instead_of) {
  if (instead_of.empty())
    saving_aside_ += reports.size();
  auto kept = std::make_shared<report_list>(std::move(reports));
  auto from = std::make_shared<std::vector<kept_file>>(std::move(instead_of));
  lane_.add([this, files = tools_.files, kept, from]() -> std::function<void()> {
    auto saved = std::make_shared<std::vector<kept_file>>();
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

void callback_actor_state::aside_kept(report_list&& reports, std::vector<kept_file>&& from, std::vector<kept_file>&& saved,
                                      const std::optional<core::error>& problem) {
  const bool of_memory = from.empty();
  if (of_memory)
    saving_aside_ -= reports.size();
  for (auto& file : saved)
    files_.add_refused(std::move(file), now());
  if (problem) {
    files_.write_failed(*problem, now());
    for (auto& file : from)
      files_.put_back(std::move(file), true, now());
    if (of_memory)
      unsent_.put_back(std::move(reports));
    return;
  }
  for (const auto& file : from)
    files_.gone(file);
  if (of_memory)
    logs_.note_safe(reports);
}

void callback_actor_state::list() {
  if (!files_.begin_list(now()))
    return;
  lane_.add([this, files = tools_.files]() -> std::function<void()> {
    auto names = std::make_shared<core::result<std::vector<std::string>>>(files->names(kept_files::files_max));
    return [this, names] { files_.end_list(std::move(*names), now()); };
  });
}

void callback_actor_state::remove(const kept_file& file) {
  files_.gone(file);
  lane_.add([this, files = tools_.files, name = file.name]() -> std::function<void()> {
    auto removed = files->remove(name);
    if (removed)
      return {};
    return [this, why = removed.error()] { files_.disk_failed("cannot remove a file with delivered results", why, now()); };
  });
}

} // namespace ringmaster::actors
