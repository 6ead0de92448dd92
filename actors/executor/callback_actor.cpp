#include "actors/executor/callback_actor.hpp"

#include <algorithm>
#include <utility>

#include "core/text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

callback_actor_state::callback_actor_state(protocol::callback_actor::pointer self, callback_tools tools)
  : self_{self},
    tools_{std::move(tools)},
    lane_{tools_.threads, [me = caf::actor_cast<caf::weak_actor_ptr>(self)](std::vector<std::function<void()>>&& then) {
            if (auto there = caf::actor_cast<protocol::callback_actor>(me))
              protocol::anon_send(there, protocol::work_done{std::move(then)});
          }} {}

protocol::callback_actor::behavior_type callback_actor_state::make_behavior() {
  pump();
  return {
    [this](protocol::run_reports& over) { take(std::move(over.reports)); },
    [this](protocol::callback_partners& partners) { links_ = std::move(partners.links); },
    [this](const protocol::flush_reports& asked) { return flush(asked.limit); },
    [this](const protocol::work_done& done) {
      lane_.done(done.then);
      pump();
    },
    [this](protocol::tick_atom) { tick(); },
  };
}

void callback_actor_state::take(std::vector<core::run_report>&& reports) {
  for (auto& report : reports) {
    if (unsent_.bytes() > bytes_limit && report.message)
      report.message->resize(core::cut_bytes(*report.message, shortened_bytes).size());
    unsent_.add(std::move(report));
  }
  pump();
}

void callback_actor_state::tick() {
  armed_ = false;
  lane_.retry();
  pump();
}

void callback_actor_state::arm() {
  const bool needed = away_ || !flushes_.empty() || !files_.empty() || unlisted_ || !lane_.idle() || !unsent_.empty();
  if (!needed || std::exchange(armed_, true))
    return;
  protocol::send_at(self_, protocol::callback_actor{self_}, now() + tick_period, protocol::tick_atom{});
}

void callback_actor_state::pump() {
  save();
  if (!flight_ && (!away_ || now() >= retry_at_))
    send_next();
  count();
  answer_flushes();
  arm();
}

// -- to admins -------------------------------------------------------------------------------------------------------------

void callback_actor_state::send_next() {
  if (turn_of_files_ || unsent_.empty())
    if (auto file = take_file()) {
      turn_of_files_ = false;
      return load(std::move(*file));
    }
  turn_of_files_ = true;
  if (!unsent_.empty()) {
    flight_.emplace();
    return send(unsent_);
  }
  if (unlisted_ && files_.empty())
    list();
}

std::optional<callback_actor_state::stored_file> callback_actor_state::take_file() {
  if (now() < disk_retry_at_)
    return std::nullopt;
  const auto ready = [t = now()](const stored_file& file) { return file.not_before <= t; };
  const auto found = std::find_if(files_.begin(), files_.end(), ready);
  if (found == files_.end())
    return std::nullopt;
  auto file = std::move(*found);
  files_.erase(found);
  return file;
}

void callback_actor_state::send(report_queue& from) {
  flight_->batch = std::make_shared<const std::vector<core::run_report>>(from.take());
  if (!links_)
    return send_to_admins();
  protocol::request(self_, links_, links_patience, protocol::run_reports{*flight_->batch})
    .then([this] { answered({.accepted = true, .reached = true, .refusals = {}}); },
          [this](const caf::error&) { send_to_admins(); });
}

void callback_actor_state::send_to_admins() {
  protocol::request(self_, tools_.admins, tools_.patience, protocol::report_batch{flight_->batch})
    .then([this](const protocol::admin_answer& answer) { answered(answer); },
          [this](const caf::error& reason) { answered({.refusals = {caf::to_string(reason)}}); });
}

void callback_actor_state::answered(const protocol::admin_answer& answer) {
  tell_logs(flight_->batch, answer);
  if (answer.accepted)
    accepted();
  else
    refused(answer.reached);
  pump();
}

void callback_actor_state::accepted() {
  if (std::exchange(away_, false))
    tools_.log->info("an admin takes results again");
  failures_ = 0;
  if (flight_->file && !flight_->rest.empty())
    return send(flight_->rest);
  if (flight_->file)
    remove(*flight_->file);
  flight_.reset();
}

void callback_actor_state::refused(bool reached) {
  // One that answers may take other results.
  failures_ = reached ? 0 : std::min(failures_ + 1, 4);
  retry_at_ = now() + std::min<std::chrono::seconds>(pause_min * (1 << std::max(failures_ - 1, 0)), pause_max);
  if (!std::exchange(away_, true))
    tools_.log->warn("no admin takes results; they are kept in files and sent again");
  if (auto& file = flight_->file) {
    // Others may be taken.
    file->not_before = reached ? now() + pause_max : steady{};
    files_.push_back(std::move(*file));
  } else if (!flight_->saved) {
    unsent_.put_back(std::vector<core::run_report>{*flight_->batch});
  }
  flight_.reset();
}

void callback_actor_state::tell_logs(const batch_ptr& batch, const protocol::admin_answer& answer) {
  if (lane_.waiting() >= log_work_max)
    return;
  std::string lines;
  for (const auto& refusal : answer.refusals)
    lines.append("<br>----------- xxl-job job callback fail, callbackResult:").append(refusal).append("\n");
  if (answer.accepted)
    lines += "<br>----------- xxl-job job callback finish.\n";
  lane_.add([logs = tools_.logs, batch, lines = std::move(lines)]() -> std::function<void()> {
    for (const auto& report : *batch)
      logs->append(report.run, report.log_time, lines);
    return {};
  });
}

// -- to and from files -----------------------------------------------------------------------------------------------------

bool callback_actor_state::must_save() const {
  return away_ || flush_is_late() || unsent_.size() > reports_max || unsent_.bytes() > bytes_max;
}

void callback_actor_state::save() {
  if (flush_is_late() && flight_ && !flight_->file && !std::exchange(flight_->saved, true))
    unsent_.put_back(std::vector<core::run_report>{*flight_->batch});
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
    disk_failed("results are not kept", name.error());
    disk_retry_at_ = now() + pause_min;
    unsent_.put_back(std::move(reports));
    return;
  }
  disk_trouble_.clear();
  on_disk_ += reports.size();
  if (files_.size() < files_max)
    files_.push_back({std::move(*name), reports.size()});
  else
    unlisted_ = true;
}

void callback_actor_state::load(stored_file&& file) {
  flight_.emplace();
  lane_.add([this, files = tools_.files, name = file.name]() -> std::function<void()> {
    auto reports = std::make_shared<core::result<std::vector<core::run_report>>>(files->load(name));
    return [this, reports] { loaded(std::move(*reports)); };
  });
  flight_->file = std::move(file);
}

void callback_actor_state::loaded(core::result<std::vector<core::run_report>>&& reports) {
  auto& file = *flight_->file;
  if (!reports) {
    on_disk_ -= file.reports;
    disk_failed("kept results cannot be read", reports.error());
    // What is broken is put aside; what is still there is found again.
    unlisted_ = unlisted_ || reports.error().code != core::errc::invalid_argument;
    return flight_.reset();
  }
  disk_trouble_.clear();
  on_disk_ = on_disk_ - file.reports + reports->size();
  file.reports = reports->size();
  for (auto& report : *reports)
    flight_->rest.add(std::move(report));
  if (!flight_->rest.empty())
    return send(flight_->rest);
  remove(file);
  flight_.reset();
}

void callback_actor_state::list() {
  if (listing_ || now() < disk_retry_at_)
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
    return disk_failed("kept results are not found", names.error());
  unlisted_ = names->size() >= files_max;
  for (auto& name : *names) {
    const auto same = [&name](const stored_file& file) { return file.name == name; };
    const bool known = std::any_of(files_.begin(), files_.end(), same) || (flight_ && flight_->file && same(*flight_->file));
    if (!known)
      files_.push_back({std::move(name)});
  }
}

void callback_actor_state::remove(const stored_file& file) {
  on_disk_ -= file.reports;
  lane_.add([this, files = tools_.files, name = file.name]() -> std::function<void()> {
    auto removed = files->remove(name);
    if (removed)
      return {};
    return [this, why = removed.error()] { disk_failed("results that an admin has stay in their file", why); };
  });
}

void callback_actor_state::disk_failed(const char* what, const core::error& why) {
  if (std::exchange(disk_trouble_, why.context) != why.context)
    tools_.log->error("{}: {}: {}", what, core::to_string(why.code), why.context);
  if (why.code != core::errc::invalid_argument)
    disk_retry_at_ = now() + pause_min;
}

// -- at a stop -------------------------------------------------------------------------------------------------------------

caf::result<void> callback_actor_state::flush(std::chrono::milliseconds limit) {
  auto promise = self_->make_response_promise<void>();
  flushes_.push_back({promise, now() + limit});
  pump();
  return promise;
}

bool callback_actor_state::flush_is_late() const {
  return std::any_of(flushes_.begin(), flushes_.end(), [t = now()](const auto& each) { return each.until <= t; });
}

bool callback_actor_state::has_unsaved() const {
  const bool flies = flight_ && flight_->batch && !flight_->file && !flight_->saved;
  return flies || saving_ > 0 || !unsent_.empty();
}

void callback_actor_state::answer_flushes() {
  if (flushes_.empty())
    return;
  const bool done = !has_unsaved() && lane_.idle();
  std::erase_if(flushes_, [&](waiting_flush& each) {
    if (done)
      each.promise.deliver();
    else if (each.until + flush_grace <= now())
      each.promise.deliver(protocol::to_caf({core::errc::unavailable, std::to_string(tools_.counts->unreported)
                                                                        + " results are neither at an admin nor in files"}));
    else
      return false;
    return true;
  });
}

void callback_actor_state::count() {
  const auto flying = flight_ && flight_->batch && !flight_->file && !flight_->saved ? flight_->batch->size() : 0;
  tools_.counts->unreported = unsent_.size() + flying + saving_ + on_disk_;
}

} // namespace ringmaster::actors
