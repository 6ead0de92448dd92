// Random walks of one elastic item through a store, three hosts, lost links, crashes, late messages and users.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/from_environment.hpp"
#include "tests/unit/item_walk_checks.hpp"
#include "tests/unit/item_walk_store.hpp"

namespace ringmaster::test::item_walks_test {

namespace {

class item_walk {
public:
  explicit item_walk(std::uint32_t seed) : random_{seed} {
    rules_.failover = chance(2);
    rules_.failover_max = static_cast<std::uint8_t>(1 + below(3));
    rules_.misfire = !chance(4);
    rules_.misfire_max_age = 1h;
    rules_.timeout = chance(2) ? 20s : 0s;
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i)
      step();
    rest();
  }

private:
  struct body {
    item_run_id run;
    fence_number fence;
  };
  struct host {
    std::int64_t incarnation = 1;
    bool up = true;
    bool linked = true;
    std::vector<body> bodies;
    /// Results without a receipt.
    std::vector<event::finished> results;
  };

  bool chance(int one_in) { return random_() % static_cast<unsigned>(one_in) == 0; }
  std::size_t below(std::size_t limit) { return random_() % limit; }
  [[nodiscard]] host_process process(std::size_t index) const {
    return {host_number{static_cast<std::int32_t>(index) + 1}, host_incarnation{hosts_[index].incarnation}};
  }
  [[nodiscard]] walk_identities live() const {
    walk_identities out;
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if (hosts_[i].up)
        out.insert({static_cast<std::int32_t>(i) + 1, hosts_[i].incarnation});
    return out;
  }
  host* find(const host_process& which) {
    auto& found = hosts_[static_cast<std::size_t>(number(which.host)) - 1];
    return found.up && found.linked && found.incarnation == number(which.incarnation) ? &found : nullptr;
  }

  std::optional<host_process> choose(std::span<const host_process> avoided) {
    std::vector<host_process> free;
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if (hosts_[i].up && hosts_[i].linked && hosts_[i].bodies.size() < 2 && !is_among(avoided, process(i)) && !scarce_)
        free.push_back(process(i));
    return free.empty() ? std::nullopt : std::optional{free[below(free.size())]};
  }

  /// Passes an event to the item and checks the transition.
  void pass(const item_event& what) {
    const host_choice choice = [this](const run_cause&, std::span<const host_process> avoided) { return choose(avoided); };
    const auto before = one_;
    const auto decision = apply(one_, what, {now_, wall_begin + (now_ - walk_begin) / 1ms * 1ms, rules_, choice});
    trace_ += "\n" + std::to_string(what.index()) + ": " + text_of(before.state) + " " + text_of(decision);
    trace_ += " >" + text_of(one_.state);
    trace_.erase(0, trace_.size() > 1000 ? trace_.size() - 1000 : 0);
    INFO("last events, by index in item_event:" << trace_);
    if (decision.outcome != item_decision::kind::taken) {
      REQUIRE(decision.actions.empty());
      REQUIRE(one_.state == before.state);
    }
    check_transition(before, one_, what, decision, rules_, now_);
    for (const auto& each : decision.actions)
      if (!waits_for_writes(each))
        std::visit([this](const auto& one) { act(one); }, each);
    if (!decision.actions.empty())
      writes_.push_back(decision.actions);
  }

  /// The run of an earlier write may be open still: its host must not drop it yet.
  static bool waits_for_writes(const item_action& what) {
    const auto* order = std::get_if<action::send_order>(&what);
    return std::holds_alternative<action::count_gone>(what) || (order != nullptr && order->order == item_order::close);
  }

  /// At a grant no body of the item runs (I3), except those that ignored cancel and kill.
  void check_bodies() {
    for (const auto& of : hosts_)
      for (const auto& each : of.bodies)
        REQUIRE(tainted_.contains(number(each.run)));
  }

  void act(const action::send_grant& what) {
    auto* to = find(what.host);
    if (to == nullptr)
      return;
    if (chance(10))
      return messages_.push_back(event::refused{what.run, what.fence});
    to->bodies.push_back({what.run, what.fence});
    messages_.push_back(event::accepted{what.host, what.run, what.fence});
    messages_.push_back(event::started{what.host, what.run, what.fence});
  }
  void act(const action::send_order& what) {
    auto* to = find(what.host);
    if (to == nullptr || chance(3))
      return; // a body that ignores it
    const auto how = what.order == item_order::drain ? host_outcome::yielded : host_outcome::cancelled;
    end_body(*to, what.run, how);
  }
  void act(const action::ask_inventory& what) {
    if (auto* of = find(what.host))
      inventory(*of, what.host);
    else if (!live().contains(identity_of(what.host)))
      verdict(event::host_gone{what.host});
    else if (store_.is_silent(what.host))
      verdict(event::host_silent{what.host, now_ - 700ms});
  }
  void act(const action::count_gone& what) { receipt(what.run); }
  void act(const action::reread_item&) {}
  void act(const auto&) {}

  void receipt(item_run_id run) {
    for (auto& each : hosts_)
      std::erase_if(each.results, [run](const event::finished& one) { return one.run == run; });
  }
  void end_body(host& of, item_run_id run, host_outcome how) {
    std::erase_if(of.bodies, [&](const body& each) {
      if (each.run != run)
        return false;
      of.results.push_back({each.run, each.fence, how});
      if (of.linked)
        messages_.push_back(of.results.back());
      return true;
    });
  }
  void inventory(host& of, const host_process& which) {
    for (const auto& each : of.results)
      messages_.push_back(each);
    const auto is_asked = [this](const auto& each) { return each.run == one_.run; };
    const auto found = std::find_if(of.bodies.begin(), of.bodies.end(), is_asked);
    if (found != of.bodies.end())
      messages_.push_back(event::run_present{which, found->run, found->fence, true, now_});
    else if (std::none_of(of.results.begin(), of.results.end(), is_asked))
      messages_.push_back(event::run_absent{which, now_});
  }

  void write() {
    if (writes_.empty())
      return;
    const auto actions = writes_.front();
    writes_.pop_front();
    for (const auto& each : actions) {
      const auto text = std::visit(ringmaster::test::action_text{}, each);
      INFO("last events, by index in item_event:" << trace_ << " [" << text << "]");
      if (const auto* read = std::get_if<action::reread_item>(&each)) {
        pass(event::row_read{store_.row, read->writes});
        continue;
      }
      const auto answer = store_.apply(each, live());
      const bool is_lost = answer && std::holds_alternative<event::guard_lost>(*answer);
      trace_ += " [stored " + text + (is_lost ? " guard lost]" : "]");
      if (const auto* end = std::get_if<action::write_end>(&each)) {
        if (end->end == item_run_end::failed)
          tainted_.insert(number(end->run));
        receipt(end->run);
      }
      if (const auto* drop = std::get_if<action::drop_request>(&each))
        ++dropped_[number(drop->request)];
      if (answer && std::holds_alternative<event::grant_stored>(*answer))
        check_bodies();
      if (answer)
        pass(*answer);
      if (waits_for_writes(each))
        std::visit([this](const auto& one) { act(one); }, each);
    }
  }
  void deliver() {
    if (messages_.empty())
      return;
    now_ += 1ms;
    const auto what = messages_.front();
    if (!chance(8)) // now and then it comes twice
      messages_.pop_front();
    if (std::holds_alternative<event::run_absent>(what) && one_.state == item_state::granting)
      return;
    pass(what);
  }
  void crash(host& of, const host_process& which) {
    of.up = false;
    of.bodies.clear();
    of.results.clear();
    verdict(event::host_gone{which});
  }
  void verdict(const item_event& what) {
    if (is_open(one_.state))
      pass(what);
  }
  void cut(host& of, const host_process& which) {
    of.linked = false;
    verdict(event::link_lost{which});
  }
  void join(host& of, std::size_t index) {
    if (!of.up)
      ++of.incarnation;
    of.up = of.linked = true;
    store_.silent.erase(identity_of(process(index)));
    inventory(of, process(index));
    offer();
  }
  void fence(host& of, const host_process& which) {
    for (const auto bodies = of.bodies; const auto& each : bodies)
      end_body(of, each.run, host_outcome::cancelled);
    store_.silent.insert(identity_of(which));
    verdict(event::host_silent{which, now_ - 700ms});
  }
  /// Another coordinator adopts the item; writes that were not stored are fenced.
  void restart() {
    const host_choice none = [](const run_cause&, std::span<const host_process>) { return std::nullopt; };
    writes_.clear();
    messages_.clear();
    one_ = restore(store_.row, {now_, wall_begin + std::chrono::duration_cast<milliseconds>(now_ - walk_begin), rules_, none});
    trace_ += "\nrestart >" + text_of(one_.state);
    for (std::int64_t id = 1; id <= requests_; ++id)
      if (store_.runs_of_request[id] == 0 && dropped_[id] == 0)
        pass(event::requested{{wall_begin, run_source::manual, request_id{id}}, request_policy::queue, now_ + 30min});
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if (hosts_[i].up && hosts_[i].linked)
        inventory(hosts_[i], process(i));
    if (is_open(one_.state) && one_.state != item_state::granting && !live().contains(identity_of(one_.host)))
      pass(event::host_gone{one_.host});
    else if (store_.is_silent(one_.host))
      verdict(event::host_silent{one_.host, now_});
  }
  void offer() {
    if (one_.state == item_state::wanted)
      pass(event::host_freed{});
  }
  void clock(milliseconds span) {
    now_ += span;
    if (const auto due = due_at(one_); due && *due <= now_)
      pass(event::time_passed{});
  }
  void ask(request_policy policy) {
    const fire_key key{wall_begin + std::chrono::duration_cast<milliseconds>(now_ - walk_begin), run_source::manual,
                       request_id{++requests_}};
    pass(event::requested{key, policy, now_ + 30min});
  }

  void step() {
    const auto index = below(hosts_.size());
    auto& of = hosts_[index];
    const auto which = process(index);
    switch (random_() % 21) {
    case 0:
    case 1:
      pass(event::fired{{wall_begin + std::chrono::duration_cast<milliseconds>(now_ - walk_begin), run_source::normal, {}}});
      break;
    case 2: ask(static_cast<request_policy>(below(3))); break;
    case 3:
    case 4:
    case 5:
    case 6: write(); break;
    case 7:
    case 8:
    case 9: deliver(); break;
    case 10:
      if (!of.bodies.empty())
        end_body(of, of.bodies.front().run, chance(4) ? host_outcome::error : host_outcome::success);
      break;
    case 11:
      if (of.up && chance(3))
        crash(of, which);
      break;
    case 12:
      if (of.up && of.linked && chance(2))
        cut(of, which);
      break;
    case 13: join(of, index); break;
    case 14:
      if (of.up && !of.linked)
        fence(of, which);
      break;
    case 15: clock(milliseconds{random_() % 15'000}); break;
    case 16:
      if (one_.state != item_state::idle && chance(3))
        pass(event::cancelled{chance(2) ? cancel_reason::asked : cancel_reason::moved});
      break;
    case 17: user(); break;
    case 18: scarce_ = chance(2); break;
    case 19: offer(); break;
    case 20:
      if (chance(4))
        restart();
      break;
    }
  }

  void user() {
    switch (random_() % 6) {
    case 0:
    case 1:
      store_.row.disabled = chance(3);
      if (chance(2)) // the other times, the lost guard tells
        pass(event::disabled_set{store_.row.disabled});
      break;
    case 2:
      rules_.misfire = !rules_.misfire;
      if (!rules_.misfire)
        pass(event::misfire_off{});
      break;
    case 3:
      rules_.failover = !rules_.failover;
      if (!rules_.failover)
        pass(event::failover_off{});
      break;
    case 4:
      if (is_open(one_.state) && one_.state != item_state::cancelling)
        pass(event::stream_moved{});
      break;
    case 5: pass(event::job_off{}); break;
    }
  }

  /// Everything works from here on: the item comes to rest (I6).
  void rest() {
    scarce_ = false;
    store_.row.disabled = false;
    pass(event::disabled_set{false});
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      join(hosts_[i], i);
    for (int round = 0; round < 1000 && !is_at_rest(); ++round) {
      while (!writes_.empty())
        write();
      while (!messages_.empty())
        deliver();
      for (auto& each : hosts_)
        for (const auto bodies = each.bodies; const auto& one : bodies)
          end_body(each, one.run, host_outcome::success);
      offer();
      if (messages_.empty() && writes_.empty())
        clock(500ms);
    }
    INFO("last events, by index in item_event:" << trace_);
    REQUIRE(is_at_rest());
    REQUIRE(store_.row.state == stored_item_state::idle);
    REQUIRE(store_.row.fence == one_.fence);
    REQUIRE_FALSE(store_.row.missed);
    // Each request ran once or was dropped once.
    for (std::int64_t id = 1; id <= requests_; ++id)
      REQUIRE((store_.runs_of_request[id] > 0) != (dropped_[id] == 1));
  }
  [[nodiscard]] bool is_at_rest() const { return one_.state == item_state::idle && writes_.empty() && messages_.empty(); }

  std::mt19937 random_;
  item_rules rules_;
  item one_;
  walk_store store_;
  std::vector<host> hosts_{3};
  std::deque<item_event> messages_;
  std::deque<std::vector<item_action>> writes_;
  steady_time now_ = walk_begin;
  std::int64_t requests_ = 0;
  std::map<std::int64_t, int> dropped_;
  std::set<std::int64_t> tainted_;
  bool scarce_ = false;
  std::string trace_;
};

} // namespace

TEST_CASE("an item keeps its invariants on random walks and comes to rest", "[unit][elastic]") {
  const auto seed = static_cast<std::uint32_t>(from_environment("RINGMASTER_SEED", std::random_device{}()));
  const auto end = static_cast<std::uint32_t>(from_environment("RINGMASTER_WALKS", 2000));
  for (std::uint32_t round = 0; round < end; ++round) {
    INFO("seed " << seed << " round " << round);
    item_walk walk{seed + round};
    walk.run(20 + static_cast<int>(round % 200));
  }
}

} // namespace ringmaster::test::item_walks_test
