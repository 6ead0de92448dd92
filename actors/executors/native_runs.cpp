// native_link: runs on their way to the executor, until their outcome is known.

#include <algorithm>
#include <utility>

#include "actors/executors/native_link.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/executor/executor_codec.hpp"

namespace ringmaster::actors {

namespace {

core::trigger_request to_request(const core::claimed_run& run) {
  const auto& job = *run.plan.spec;
  return {.job = job.id,
          .run = run.id,
          .log_time = core::cut_to_second(run.plan.fire_at),
          .handler = job.handler,
          .param = run.plan.effective_param(),
          .block = job.block,
          .timeout_s = std::max(job.timeout_s, 0),
          .glue_type = job.glue_type,
          .glue_source = job.glue_source ? *job.glue_source : std::string{},
          .glue_updated_ms = std::max<std::int64_t>(core::to_ms(job.glue_updated), 0),
          .shard_index = std::max(run.plan.part.index, 0),
          .shard_total = std::max(run.plan.part.total, 1)};
}

} // namespace

class native_link_state::told_results {
public:
  explicit told_results(native_link_state& of) : of_{of} {}

  void add(waiting_run&& one, protocol::send_state state, std::int32_t code, std::string message, steady sent = {},
           bool repeated = false) {
    const auto elapsed = sent == steady{} ? steady::duration{0} : of_.now() - sent;
    groups_.add(one.listener,
                {.run = std::move(one.run), .state = state, .code = code, .message = std::move(message),
                 .elapsed = std::chrono::duration_cast<std::chrono::microseconds>(elapsed), .sent_at = sent,
                 .unreachable = code == core::executor_stops, .repeated = repeated});
  }

  void tell() { groups_.tell(of_.self_); }

private:
  native_link_state& of_;
  result_groups groups_;
};

void native_link_state::send_runs(protocol::send_batch&& batch) {
  std::vector<waiting_run> elsewhere;
  told_results told{*this};
  for (auto& run : batch.runs) {
    waiting_run one{std::move(run), batch.listener, now()};
    auto obstacle = phase_ == phase::up ? obstacle_to(one.run) : std::string{};
    if (!obstacle.empty() && protocol::is_native_only(peer_.address))
      told.add(std::move(one), protocol::send_state::not_sent, 0, std::move(obstacle)); // there is no other link
    else if (phase_ != phase::up || !obstacle.empty())
      elsewhere.push_back(std::move(one));
    else if (waiting_.size() >= link_windows::runs_waiting)
      told.add(std::move(one), protocol::send_state::not_sent, 0, "too many runs wait for the native link");
    else
      waiting_.emplace(one.run.leave_at, std::move(one));
  }
  told.tell();
  return_runs(std::move(elsewhere));
  pump();
  arm();
}

void native_link_state::return_runs(std::vector<waiting_run>&& runs) {
  hand_back(self_, tools_.pool, peer_.address, std::move(runs));
}

std::string native_link_state::obstacle_to(const core::claimed_run& run) const {
  if (!peer_.admitted.serves(run.plan.spec->group))
    return "the executor is connected with the token of another group";
  const bool fits = protocol::bytes_of(to_request(run)) <= protocol::link_limits::bytes_max;
  return fits ? std::string{} : "source and parameter are too large for the native link";
}

void native_link_state::pump() {
  told_results told{*this};
  std::vector<waiting_run> batch;
  std::size_t bytes = 0;
  full_ = false;
  for (const auto at = now(); !waiting_.empty() && waiting_.begin()->first <= at;) {
    const auto more = protocol::bytes_of(to_request(waiting_.begin()->second.run));
    full_ = !flights_.has_room(batch.size() + 1, bytes + more);
    if (full_)
      break;
    auto one = std::move(waiting_.extract(waiting_.begin()).mapped());
    if (!tools_.gate->is_open_for(one.run)) {
      told.add(std::move(one), protocol::send_state::gate_closed, 0, {});
      continue;
    }
    if (batch.size() == protocol::link_limits::items_max || bytes + more > protocol::link_limits::bytes_max) {
      leave(std::exchange(batch, {}), bytes);
      bytes = 0;
    }
    bytes += more;
    batch.push_back(std::move(one));
  }
  if (!batch.empty())
    leave(std::move(batch), bytes);
  told.tell();
}

void native_link_state::leave(std::vector<waiting_run>&& runs, std::size_t bytes) {
  protocol::link_runs batch;
  batch.runs.reserve(runs.size());
  for (const auto& one : runs) {
    if (peer_.admitted.token != core::token_kind::common)
      sent_.add(one.run.id);
    batch.runs.push_back(to_request(one.run));
  }
  batch.batch = flights_.add(std::move(runs), bytes, now());
  tell_peer(std::move(batch));
}

void native_link_state::take(const protocol::link_verdicts& batch) {
  if (breaks(protocol::breach_of(batch)))
    return;
  const auto size = flights_.size_of(batch.batch);
  if (!size)
    return;
  if (batch.replies.size() != *size) {
    std::ignore = breaks("verdicts that do not match their batch");
    return;
  }
  auto sent = flights_.take(batch.batch);
  told_results told{*this};
  // Recovery takes care of runs whose deadline has passed.
  for (std::size_t i = 0; i < sent.runs.size(); ++i) {
    const auto& reply = batch.replies[i];
    auto& one = sent.runs[i];
    const bool repeated = reply.code != 200 && protocol::wire::is_repeat_of(reply.message, one.run.id);
    const bool taken = reply.code == 200 || (repeated && one.run.attempt > 0);
    auto state = protocol::send_state::answered;
    if (!taken && (repeated || reply.code == 0))
      state = protocol::send_state::unknown;
    else if (reply.code == core::executor_stops)
      state = protocol::send_state::not_sent;
    auto said = repeated && !taken ? protocol::wire::unexpected_repeat(reply.message) : reply.message;
    told.add(std::move(one), state, taken ? 200 : reply.code, core::to_message(said), sent.sent, repeated);
  }
  told.tell();
  pump();
  arm();
}

void native_link_state::sweep_runs() {
  told_results told{*this};
  const auto& limits = tools_.settings;
  for (auto& late : flights_.take_late(now() - limits.request_timeout))
    for (auto& one : late.runs)
      told.add(std::move(one), protocol::send_state::unknown, 0,
               "no answer over the native link within " + std::to_string(limits.request_timeout.count()) + " ms", late.sent);
  while (!waiting_.empty() && std::max(waiting_.begin()->first, waiting_.begin()->second.since) + limits.connect_timeout <= now())
    told.add(std::move(waiting_.extract(waiting_.begin()).mapped()), protocol::send_state::not_sent, 0,
             "the native link had no room for the run within " + std::to_string(limits.connect_timeout.count()) + " ms");
  told.tell();
}

// Runs that were on their way become unknown, as over HTTP.
void native_link_state::give_up_runs(const std::string& why) {
  told_results told{*this};
  for (auto& sent : flights_.take_all())
    for (auto& one : sent.runs)
      told.add(std::move(one), protocol::send_state::unknown, 0, why, sent.sent);
  told.tell();
}

} // namespace ringmaster::actors
