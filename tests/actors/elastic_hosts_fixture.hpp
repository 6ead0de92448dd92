#pragma once

// elastic_hosts of a node, with the director, links and processes of hosts played by the test.

#include "actors/elastic/elastic_hosts.hpp"
#include "tests/actors/elastic_node_fixture.hpp"

namespace ringmaster::test::elastic_hosts_tests {

using ringmaster::protocol::elastic_verdict;
using ringmaster::protocol::host_fate;

/// Processes whose ends a test proves.
struct scripted_processes final : actors::process_watch {
  bool watch(const elastic::host_process& process, const elastic::host_facts&) override {
    watched.push_back(process);
    return true;
  }
  void forget(const elastic::host_process& process) override { std::erase(watched, process); }
  void watch_program(const elastic::host_process& process, elastic::item_run_id run, std::int64_t pid) override {
    programs.push_back({process, run, pid});
  }
  void forget_program(const elastic::host_process& process, elastic::item_run_id run) override {
    std::erase_if(programs, [&](const program& each) { return each.process == process && each.run == run; });
  }
  bool programs_ended(const elastic::host_process& process) override { return programs_over && has_programs(process); }
  bool has_programs(const elastic::host_process& process) const override {
    return std::any_of(programs.begin(), programs.end(), [&](const program& each) { return each.process == process; });
  }
  void forget_programs(const elastic::host_process& process) override {
    std::erase_if(programs, [&](const program& each) { return each.process == process; });
  }
  struct program {
    elastic::host_process process;
    elastic::item_run_id run{};
    std::int64_t pid = 0;
  };
  std::vector<program> programs;
  bool programs_over = false;
  std::vector<elastic::host_process> ended() override { return std::exchange(over, {}); }
  std::vector<elastic::host_process> watched;
  std::vector<elastic::host_process> over;
};

/// A played link of one host process.
struct played_link {
  std::uint64_t number = 0;
  protocol::host_link actor;
  std::shared_ptr<std::vector<protocol::host_message>> heard = std::make_shared<std::vector<protocol::host_message>>();
  std::uint64_t beats = 0;

  template <class T>
  [[nodiscard]] std::vector<T> all() const {
    std::vector<T> out;
    for (const auto& each : *heard)
      if (const auto* what = std::get_if<T>(&each.what))
        out.push_back(*what);
    return out;
  }
  [[nodiscard]] protocol::elastic_welcome welcome() const {
    const auto found = all<protocol::elastic_welcome>();
    REQUIRE_FALSE(found.empty());
    return found.back();
  }
  [[nodiscard]] protocol::elastic_ack ack() const {
    const auto found = all<protocol::elastic_ack>();
    REQUIRE_FALSE(found.empty());
    return found.back();
  }
};

struct hosts_fixture : elastic_world {
  hosts_fixture() {
    director = track(system().spawn([this]() -> protocol::elastic_director::behavior_type {
      return {
        [](const protocol::hosts_subscription&) {},
        [](const protocol::incarnation_change&) {},
        [](const protocol::slot_change&) {},
        [](protocol::edit_hint) {},
        [this](protocol::host_view& view) { known = std::move(view.known); },
        [this](protocol::host_events& events) { heard.push_back(std::move(events)); },
        [this](const protocol::host_notice& notice) { notices.push_back(notice); },
        [this](const protocol::host_epochs& seen) { epochs = seen.epochs; },
        [](const protocol::coordinator_wish&) {},
        [](const protocol::pending_work_update&) {},
        [](protocol::stop_request) {},
        [](protocol::tick_atom) {},
      };
    }));
    const auto draw_id = [] { return std::string(32, 'c'); };
    actors::elastic_hosts_parts parts{"a", worker.actor, director, processes, draw_id, clock(), silent_log()};
    hosts = spawn<actors::elastic_hosts_state, protocol::elastic_hosts>(std::move(parts));
    tell(hosts, protocol::incarnation_change{me});
    run();
  }
  ~hosts_fixture() { end_all(); }

  played_link link(std::uint64_t number) {
    played_link made;
    made.number = number;
    made.actor = track(protocol::host_link{system().spawn([heard = made.heard]() -> protocol::host_link::behavior_type {
      return {[heard](protocol::host_message& message) { heard->push_back(std::move(message)); }};
    })});
    return made;
  }
  template <class What>
  void say(const played_link& at, What&& what) {
    tell(hosts, protocol::host_said{at.number, at.actor, now(), std::forward<What>(what)});
    run();
  }
  void introduce(const played_link& at, const std::string& process = "p1", const std::string& cluster = {}) {
    protocol::host_introduction who;
    who.app_name = "pay-worker";
    who.address = "ringmaster://pay-worker/one";
    who.hello.process = process;
    who.hello.folder = folder;
    who.hello.ip = "10.0.0.3";
    who.hello.capacity = 8;
    who.hello.cluster = cluster;
    who.hello.epochs = seen_epochs;
    say(at, std::move(who));
  }
  void beat(played_link& at, bool asks = false) {
    protocol::elastic_heartbeat sent;
    sent.number = ++at.beats;
    sent.incarnation = at.welcome().host.incarnation;
    sent.wall = civil();
    sent.free_slots = 8;
    sent.keeper_no = accepted;
    sent.asks_keeper = asks;
    say(at, sent);
  }
  /// Lets time pass while the host of a link beats.
  void beat_for(played_link& at, std::chrono::milliseconds duration) {
    for (const auto end = now() + duration; now() < end; advance(150ms))
      beat(at);
  }
  [[nodiscard]] std::vector<host_fate> fates() {
    std::vector<host_fate> out;
    for (const auto& notice : std::exchange(notices, {}))
      out.push_back(notice.fate);
    return out;
  }
  elastic::host_row stored_host() { return expect(ej().hosts_since(0, 10)).at(0); }

  std::string folder = "f1";
  std::int64_t accepted = 1;
  std::shared_ptr<scripted_processes> processes = std::make_shared<scripted_processes>();
  std::shared_ptr<const protocol::known_hosts> known;
  std::vector<protocol::host_events> heard;
  std::vector<protocol::host_notice> notices;
  /// Epochs of the next hello, and those that the director got.
  std::vector<elastic::slot_lease> seen_epochs, epochs;
  protocol::elastic_director director;
  protocol::elastic_hosts hosts;
};

} // namespace ringmaster::test::elastic_hosts_tests
