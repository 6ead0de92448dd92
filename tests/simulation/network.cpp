// A node's requests on their way to executors and back.

#include <array>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/simulation/executor.hpp"
#include "tests/simulation/native.hpp"
#include "tests/simulation/node.hpp"
#include "tests/simulation/process.hpp"
#include "tests/simulation/world.hpp"

namespace ringmaster::simulation {

namespace {

protocol::http_result without_answer(protocol::delivery state, std::string error) {
  return {state, 0, {}, std::move(error), {}, {}};
}

/// Returns the answer of a gateway in place of the executor.
protocol::http_result foreign_answer(milliseconds which) {
  constexpr std::array<std::pair<unsigned, const char*>, 5> answers{{{504, "<html>504 Gateway Time-out</html>"},
                                                                     {502, "<html>502 Bad Gateway</html>"},
                                                                     {503, "upstream connect error or disconnect/reset"},
                                                                     {200, "<html>please sign in</html>"},
                                                                     {200, ""}}};
  const auto& [status, body] = answers.at(static_cast<std::size_t>(which.count()) % answers.size());
  return {protocol::delivery::answered, status, body, {}, {}, {}};
}

} // namespace

/// One request.
struct sim_node::call {
  protocol::http_call what;
  std::size_t index = 0;
  std::shared_ptr<protocol::http_client::completion> done;
  /// Id of the run, for `/run`.
  std::int64_t run = 0;
  bool answered = false;
  span checked{0};
};

void sim_node::post(std::vector<protocol::http_call>&& calls, protocol::http_client::completion done) {
  // Drops the calls of a process that ends, which would outlive its actor system.
  if (!is_up())
    return;
  auto shared = std::make_shared<protocol::http_client::completion>(std::move(done));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    auto one = std::make_shared<call>(call{std::move(calls[i]), i, shared});
    if (one->what.target.ends_with("/run"))
      one->run = nlohmann::json::parse(one->what.body).at("logId").get<std::int64_t>();
    calls_.push_back(one);
    auto leaves = one->what.not_before.time_since_epoch() - process::clock_base + frozen_;
    at(std::max<span>(world_.now(), leaves), [this, one] { write(one); });
  }
}

void sim_node::write(std::shared_ptr<call> one) {
  one->checked = world_.now();
  const bool looks = !world_.rule_off() || !world_.rule_off()->gate_always_open;
  if (looks && one->what.gate && !one->what.gate->open_at(one->what.incarnation, boot()))
    return answer(one, without_answer(protocol::delivery::gate_closed, "the lease is over"));
  const auto* meets = meet(one->what.target);
  if (meets && meets->what == effect::crash_before)
    return crash(meets->lasts);
  if (meets && meets->what == effect::away)
    return answer(one, without_answer(protocol::delivery::not_sent, "connection refused"));
  if (meets && meets->what == effect::pause_before) {
    pause(meets->lasts);
    backlog_.push_back([this, one] { transmit(one, nullptr); });
    return;
  }
  transmit(one, meets);
}

const fault* sim_node::meet(const std::string& request) {
  const auto index = requests_++;
  world_.points.push_back({site::outbound, name_, index, world_.now(), request});
  return world_.strike(site::outbound, name_, index);
}

void sim_node::transmit(const std::shared_ptr<call>& one, const fault* meets) {
  if (world_.is_cut_off(name_))
    return at(world_.now() + one->what.connect_timeout,
              [this, one] { answer(one, without_answer(protocol::delivery::not_sent, "no route")); });
  if (one->run != 0) {
    if (world_.tracing())
      world_.say(name_ + " writes run " + std::to_string(one->run));
    world_.checker().written(one->run, {{name_, one->what.incarnation}, one->checked});
  }
  at(world_.now() + one->what.request_timeout,
     [this, one] { answer(one, without_answer(protocol::delivery::unknown, "no answer in time")); });
  auto what = meets ? meets->what : effect::delay_before;
  span lasts = meets ? span{meets->lasts} : span{0};
  switch (what) {
  case effect::lose_request: return;
  case effect::foreign_answer:
    deliver(one, hop, span{0}, true);
    [[fallthrough]];
  case effect::foreign_refusal:
    return at(world_.now() + 2 * hop, [this, one, which = meets->lasts] { answer(one, foreign_answer(which)); });
  case effect::lose_answer: return deliver(one, hop, span{0}, true);
  case effect::duplicate:
    if (one->run != 0)
      world_.checker().copied(one->run);
    deliver(one, hop, span{0}, true);
    return deliver(one, hop + lasts, span{0}, false);
  case effect::delay_before: return deliver(one, hop + lasts, span{0}, false);
  case effect::delay_after: return deliver(one, hop, lasts, false);
  default: break;
  }
  deliver(one, hop, span{0}, false);
  if (what == effect::crash_after)
    crash(meets->lasts);
  else if (what == effect::pause_after)
    pause(meets->lasts);
}

// The request continues by itself, whatever happens to its sender.
void sim_node::deliver(const std::shared_ptr<call>& one, span when, span answer_takes, bool lost) {
  auto back = [this, one, answer_takes, lost, life = life_](protocol::http_result result) {
    if (!lost)
      world_.after(hop + answer_takes, [this, one, life, result = std::move(result)]() mutable {
        if (life == life_ && is_up() && !world_.is_cut_off(name_))
          at(world_.now(), [this, one, result = std::move(result)]() mutable { answer(one, std::move(result)); });
      });
  };
  world_.after(when, [this, one, back, written = world_.now()] {
    if (auto* reached = world_.executor(one->what.origin))
      reached->handle(one->what.target, one->what.body, written, back);
  });
}

void sim_node::answer(const std::shared_ptr<call>& one, protocol::http_result&& result) {
  if (std::exchange(one->answered, true) || !is_up())
    return;
  if (const auto* off = world_.rule_off(); off && off->answer)
    off->answer(one->what, result);
  if (result.state != protocol::delivery::gate_closed && result.state != protocol::delivery::not_sent)
    result.sent_at = protocol::wall_clock::steady{process::clock_base + one->checked - frozen_};
  if (world_.tracing())
    world_.say(name_ + " hears of " + one->what.target + (one->run != 0 ? " " + std::to_string(one->run) : "") + ": "
               + (result.error.empty() ? result.body : result.error));
  auto done = std::exchange(one->done, nullptr);
  std::erase(calls_, one);
  (*done)(one->index, std::move(result));
}

void sim_node::dial(const std::shared_ptr<sim_link>& link) {
  if (!is_up() || world_.is_cut_off(name_))
    return;
  at(world_.now() + hop, [this, link] {
    links_.push_back(link);
    process_->dial(*link);
  });
}

void sim_node::note_passage(const core::claimed_run& run) {
  passages_[core::number(run.id)] = {{name_, run.incarnation}, world_.now()};
}

gate_passage sim_node::passage_of(std::int64_t run) {
  if (const auto passed = passages_.find(run); passed != passages_.end())
    return passed->second;
  world_.checker().broken("F6", "node " + name_ + " sends run " + std::to_string(run) + " without a check of its deadline");
  return {{name_, 0}, world_.now()};
}

void sim_node::note_written(std::int64_t run, const gate_passage& passage) {
  if (world_.tracing())
    world_.say(name_ + " writes run " + std::to_string(run) + " over a native link");
  world_.checker().written_to_link(run, passage);
}

void sim_node::forget_calls() {
  for (const auto& weak : std::exchange(links_, {}))
    if (const auto link = weak.lock())
      link->forget_node();
  for (auto& one : std::exchange(calls_, {})) {
    one->answered = true;
    one->done = nullptr;
  }
}

} // namespace ringmaster::simulation
