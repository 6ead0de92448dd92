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
  while (may_send() && send_next()) {
  }
  count();
  answer_flushes();
  arm();
}

// -- to admins -------------------------------------------------------------------------------------------------------------

bool callback_actor_state::may_send() const {
  if (away_ && now() < retry_at_)
    return false;
  return flights_.empty() || (taken_ && flights_.size() < flights_max);
}

bool callback_actor_state::send_next() {
  const auto of_file = [](const flight& each) { return each.file.has_value(); };
  if ((turn_of_files_ || unsent_.empty()) && std::none_of(flights_.begin(), flights_.end(), of_file))
    if (auto file = take_file()) {
      turn_of_files_ = false;
      load(std::move(*file));
      return true;
    }
  turn_of_files_ = true;
  // Beside others only what fills a request.
  if (unsent_.size() >= (flights_.empty() ? 1 : report_queue::batch_max)) {
    send(flights_.emplace(flights_.end()), unsent_);
    return true;
  }
  if (unlisted_ && files_.empty() && unsent_.empty())
    list();
  return false;
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

void callback_actor_state::send(flight_place which, report_queue& from) {
  which->batch = std::make_shared<const std::vector<core::run_report>>(from.take());
  if (!links_)
    return send_to_admins(which);
  protocol::request(self_, links_, links_patience, protocol::run_reports{*which->batch})
    .then([this, which] { answered(which, {.accepted = true, .reached = true, .refusals = {}}); },
          [this, which](const caf::error&) { send_to_admins(which); });
}

void callback_actor_state::send_to_admins(flight_place which) {
  protocol::request(self_, tools_.admins, tools_.patience, protocol::report_batch{which->batch})
    .then([this, which](const protocol::admin_answer& answer) { answered(which, answer); },
          [this, which](const caf::error& reason) { answered(which, {.refusals = {caf::to_string(reason)}}); });
}

void callback_actor_state::answered(flight_place which, const protocol::admin_answer& answer) {
  tell_logs(which->batch, answer);
  taken_ = answer.accepted;
  if (answer.accepted)
    accepted(which);
  else
    refused(which, answer.reached);
  pump();
}

void callback_actor_state::accepted(flight_place which) {
  if (std::exchange(away_, false))
    tools_.log->info("an admin takes results again");
  failures_ = 0;
  if (which->file && !which->rest.empty())
    return send(which, which->rest);
  if (which->file)
    remove(*which->file);
  flights_.erase(which);
}

void callback_actor_state::refused(flight_place which, bool reached) {
  // One that answers may take other results.
  if (!away_ || now() >= retry_at_) { // else it is one of many that failed together
    failures_ = reached ? 0 : std::min(failures_ + 1, 4);
    retry_at_ = now() + std::min<std::chrono::seconds>(pause_min * (1 << std::max(failures_ - 1, 0)), pause_max);
  }
  if (!std::exchange(away_, true))
    tools_.log->warn("no admin takes results; they are kept in files and sent again");
  if (auto& file = which->file) {
    // Others may be taken.
    file->not_before = reached ? now() + pause_max : steady{};
    files_.push_back(std::move(*file));
  } else if (!which->saved) {
    unsent_.put_back(std::vector<core::run_report>{*which->batch});
  }
  flights_.erase(which);
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
  if (flush_is_late())
    for (auto& each : flights_)
      if (each.has_unsaved()) {
        each.saved = true;
        unsent_.put_back(std::vector<core::run_report>{*each.batch});
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
  const auto which = flights_.emplace(flights_.end());
  lane_.add([this, which, files = tools_.files, name = file.name]() -> std::function<void()> {
    auto reports = std::make_shared<core::result<std::vector<core::run_report>>>(files->load(name));
    return [this, which, reports] { loaded(which, std::move(*reports)); };
  });
  which->file = std::move(file);
}

void callback_actor_state::loaded(flight_place which, core::result<std::vector<core::run_report>>&& reports) {
  auto& file = *which->file;
  if (!reports) {
    on_disk_ -= file.reports;
    disk_failed("kept results cannot be read", reports.error());
    // What is broken is put aside; what is still there is found again.
    unlisted_ = unlisted_ || reports.error().code != core::errc::invalid_argument;
    flights_.erase(which);
    return;
  }
  disk_trouble_.clear();
  on_disk_ = on_disk_ - file.reports + reports->size();
  file.reports = reports->size();
  for (auto& report : *reports)
    which->rest.add(std::move(report));
  if (!which->rest.empty())
    return send(which, which->rest);
  remove(file);
  flights_.erase(which);
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
    const auto has_it = [&same](const flight& each) { return each.file && same(*each.file); };
    const bool known =
      std::any_of(files_.begin(), files_.end(), same) || std::any_of(flights_.begin(), flights_.end(), has_it);
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
  const bool flies = std::any_of(flights_.begin(), flights_.end(), [](const flight& each) { return each.has_unsaved(); });
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
  std::size_t flying = 0;
  for (const auto& each : flights_)
    flying += each.has_unsaved() ? each.batch->size() : 0;
  tools_.counts->unreported = unsent_.size() + flying + saving_ + on_disk_;
}

} // namespace ringmaster::actors
