#include "actors/executor/callbacks/callback_actor.hpp"

#include <algorithm>
#include <utility>

#include "core/text/text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

callback_actor_state::callback_actor_state(protocol::callback_actor::pointer self, callback_tools tools)
  : self_{self},
    tools_{std::move(tools)},
    lane_{tools_.threads, [me = caf::actor_cast<caf::weak_actor_ptr>(self)](std::vector<std::function<void()>>&& then) {
            if (auto there = caf::actor_cast<protocol::callback_actor>(me))
              protocol::anon_send(there, protocol::work_done{std::move(then)});
          }},
    logs_{lane_, tools_.logs, tools_.runs},
    files_{tools_.log} {}

protocol::callback_actor::behavior_type callback_actor_state::make_behavior() {
  report_left();
  logs_.make_missing(now());
  pump();
  return {
    [this](protocol::run_reports& over) { take(std::move(over.reports)); },
    [this](protocol::callback_partners& partners) {
      links_ = std::move(partners.links);
      reach_.offer(!flights_.empty(), now());
      pump();
    },
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
    if (report.message && unsent_.bytes() + report.message->size() > bytes_limit)
      shorten(report);
    unsent_.add(std::move(report));
  }
  pump();
}

// A new text: a string that is resized keeps its memory.
void callback_actor_state::shorten(core::run_report& report) {
  const auto bytes = report.message->size();
  if (bytes <= shortened_bytes)
    return;
  const auto kept = core::cut_bytes(*report.message, shortened_bytes - shortened_mark.size());
  report.message = std::string{kept}.append(shortened_mark);
  if (const auto line_end = shortened_.admit(now()))
    tools_.log->warn("run={} its message of {} bytes is cut to {}: {} MiB of results are in memory, as no admin accepts them and "
                     "they cannot be written to files{}",
                     core::number(report.run), bytes, report.message->size(), unsent_.bytes() / (1024 * 1024), *line_end);
}

void callback_actor_state::tick() {
  armed_ = false;
  lane_.retry();
  logs_.make_missing(now());
  pump();
}

void callback_actor_state::arm() {
  const bool needed = reach_.is_away() || !flushes_.empty() || files_.has_any() || logs_.are_missing() || !lane_.idle()
                      || !unsent_.empty();
  if (!needed || std::exchange(armed_, true))
    return;
  protocol::send_at(self_, protocol::callback_actor{self_}, now() + tick_period, protocol::tick_atom{});
}

void callback_actor_state::pump() {
  save();
  while (reach_.may_send(flights_.size(), now()) && send_next()) {
  }
  count();
  answer_flushes();
  arm();
}

void callback_actor_state::report_left() {
  auto left = tools_.runs->left();
  if (left.empty())
    return;
  tools_.log->warn("{} runs were open when this executor ended last; reporting them now", left.size());
  for (std::size_t i = 0; i < left.size() && i < report_logs::log_work_max; ++i)
    logs_.tell_left(left[i]);
  for (auto& report : left)
    unsent_.add(std::move(report));
}

// -- to admins -------------------------------------------------------------------------------------------------------------

bool callback_actor_state::send_next() {
  const auto is_of_files = [](const flight& each) { return !each.files.empty(); };
  const bool flies_files = files_.is_reading() || std::any_of(flights_.begin(), flights_.end(), is_of_files);
  if ((turn_of_files_ || unsent_.empty()) && !flies_files)
    if (auto names = files_.begin_read(now()); !names.empty()) {
      turn_of_files_ = false;
      load(std::move(names));
      return true;
    }
  turn_of_files_ = true;
  // While other requests are in flight, only full requests are sent. Files that are being read may wait for a disk.
  if (unsent_.size() >= (flights_.empty() ? 1 : report_queue::batch_max)) {
    depart(unsent_.take(), {});
    return true;
  }
  // Files that are already known wait for their retry time.
  if (flights_.empty() && !files_.is_reading())
    list();
  return false;
}

void callback_actor_state::depart(report_list&& reports, std::vector<sent_file>&& files) {
  std::rotate(reports.begin(), reports.begin() + static_cast<std::ptrdiff_t>((turn_ >> 33) % reports.size()), reports.end());
  send(flights_.emplace(flights_.end(), flight{report_flight{std::move(reports), refused_in_row_}, std::move(files)}));
}

void callback_actor_state::send(flight_place which) {
  const auto& batch = which->reports.next();
  if (!links_)
    return send_to_admins(which);
  protocol::request(self_, links_, links_patience, protocol::run_reports{*batch})
    .then([this, which] { answered(which, {.accepted = true, .reached = true, .refusals = {}}); },
          [this, which](const caf::error&) { send_to_admins(which); });
}

void callback_actor_state::send_to_admins(flight_place which) {
  protocol::request(self_, tools_.admins, tools_.patience, protocol::report_batch{which->reports.batch()})
    .then([this, which](const protocol::admin_answer& answer) { answered(which, answer); },
          [this, which](const caf::error& reason) { answered(which, {.refusals = {caf::to_string(reason)}}); });
}

void callback_actor_state::answered(flight_place which, const protocol::admin_answer& answer) {
  using step = report_flight::step;
  auto& reports = which->reports;
  const bool were_away = reach_.note_answer(answer.accepted);
  const auto batch = reports.batch();
  auto next = step::give_up;
  if (answer.accepted)
    next = reports.accepted();
  else if (answer.reached)
    next = reports.refused();
  // A request that will be halved has no result yet.
  if (next == step::give_up)
    logs_.tell_answer(reports.untold(), answer);
  else if (answer.accepted || batch->size() == 1)
    logs_.tell_answer(*batch, answer);
  if (were_away)
    tools_.log->info("an admin accepts results again");
  if (next == step::go_on)
    send(which);
  else if (next == step::done)
    land(which);
  else
    give_up(which, answer.reached);
  pump();
}

void callback_actor_state::land(flight_place which) {
  auto landed = std::move(*which);
  flights_.erase(which);
  refused_in_row_ = landed.reports.refused_in_row();
  const auto& aside = landed.reports.aside();
  if (landed.files.empty()) {
    if (!aside.empty() && !landed.saved)
      keep_aside(report_list{aside}, {});
    return;
  }
  report_list kept;
  std::vector<kept_file> in_part;
  for (auto& [file, runs] : landed.files) {
    const auto was_told = [&](core::log_id run) { return landed.reports.was_told(run); };
    const auto told = static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), was_told));
    if (told == runs.size()) {
      remove(file);
    } else if (told == 0) {
      files_.put_back(std::move(file), true, now());
    } else {
      in_part.push_back(std::move(file));
      for (const auto& report : aside)
        if (std::find(runs.begin(), runs.end(), report.run) != runs.end())
          kept.push_back(report);
    }
  }
  if (!in_part.empty())
    keep_aside(std::move(kept), std::move(in_part));
}

void callback_actor_state::give_up(flight_place which, bool reached) {
  auto ended = std::move(*which);
  flights_.erase(which);
  refused_in_row_ = ended.reports.refused_in_row();
  const bool were_refused = !ended.files.empty() && ended.files.front().file.refusals > 0;
  // Reorders at random, because results that are refused individually are often adjacent.
  if (reached)
    turn_ = turn_ * 6364136223846793005U + 1442695040888963407U;
  if (reach_.give_up(!(reached && were_refused), now()))
    tools_.log->warn("no admin accepts results; they are kept in files and sent again later");
  if (ended.files.empty() && !ended.saved)
    unsent_.put_back(ended.reports.untold());
  for (auto& [file, runs] : ended.files) {
    const auto was_told = [&](core::log_id run) { return ended.reports.was_told(run); };
    if (std::all_of(runs.begin(), runs.end(), was_told))
      remove(file);
    else
      files_.put_back(std::move(file), reached, now()); // waits on its own, also a file of an earlier process
  }
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
  return flies || saving_ > 0 || saving_aside_ > 0 || !unsent_.empty();
}

void callback_actor_state::answer_flushes() {
  if (flushes_.empty())
    return;
  const bool done = !has_unsaved() && lane_.idle();
  std::erase_if(flushes_, [&](waiting_flush& each) {
    if (done)
      each.promise.deliver();
    else if (each.until + flush_grace <= now())
      each.promise.deliver(protocol::to_caf({core::errc::unavailable, std::to_string(tools_.counts->unreported) +
                                                                        " results are neither with an admin nor in files"}));
    else
      return false;
    return true;
  });
}

void callback_actor_state::count() {
  std::size_t flying = 0;
  for (const auto& each : flights_)
    flying += each.has_unsaved() ? each.reports.size() : 0;
  tools_.counts->unreported = unsent_.size() + flying + saving_ + saving_aside_ + files_.reports();
}

} // namespace ringmaster::actors
