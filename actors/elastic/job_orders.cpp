// job_coordination: orders of operators.

#include <array>

#include "actors/elastic/job_coordination.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;
using order_kind = protocol::elastic_order_kind;

constexpr std::array<const char*, 7> state_words{"idle", "wanted", "granting", "sent", "running", "cancelling", "unreachable"};

} // namespace

core::result<protocol::elastic_reply> job_coordination::order(const protocol::elastic_order& what, job_moment at) {
  if (is_idle_now())
    return core::fail(core::errc::unavailable, "the job is being handed over or read again; try again");
  protocol::elastic_reply out;
  switch (what.kind) {
  case order_kind::trigger:
    out.items = start_request({what.request, who_.job, what.item, what.policy, what.param, at.wall}, at);
    break;
  case order_kind::cancel: out.items = cancel(what, at); break;
  case order_kind::drain: paused_ = true; break;
  case order_kind::resume:
    paused_ = false;
    slot_freed_ = true;
    break;
  case order_kind::reshare: replan(at); break;
  case order_kind::describe: break;
  }
  settle(at);
  if (what.kind == order_kind::describe || what.kind == order_kind::reshare)
    out.text = description();
  return out;
}

std::size_t job_coordination::cancel(const protocol::elastic_order& what, job_moment at) {
  std::size_t reached = 0;
  for (const auto which : busy_items()) {
    if (what.item && *what.item != which)
      continue;
    elastic::event::cancelled event;
    if (core::number(what.run) != 0)
      event.run = what.run;
    if (apply(which, event, at) == elastic::item_decision::kind::taken)
      ++reached;
  }
  return reached;
}

std::string job_coordination::description() const {
  std::array<std::size_t, state_words.size()> counts{};
  for (const auto& [which, one] : items_)
    ++counts[static_cast<std::size_t>(one.state.state)];
  std::string out = paused_ ? "paused; " : "";
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] != 0)
      out += std::string{state_words[i]} + ": " + std::to_string(counts[i]) + "; ";
  out += "plan " + std::to_string(plan_.version) + ": " + (plan_.plan ? plan_.plan->encode() : "none");
  return out;
}

} // namespace ringmaster::actors
