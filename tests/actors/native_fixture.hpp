#pragma once

// Fixture for native links: a node's end and an executor's end in one world, everything else doubled.

#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/sinks/ostream_sink.h>

#include "actors/executor/link_dialer.hpp"
#include "actors/executors/native_links.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/link_doubles.hpp"

namespace ringmaster::test {

inline const std::string worker_address = "http://10.0.0.3:9999/";

/// Group 4 is `pay-worker`, group 9 `mail-worker`, which has its own token.
struct natively_linked : virtual_time {
  static constexpr std::int64_t life = 3;

  natively_linked() {
    gate->open_until(life, boot_now() + std::chrono::nanoseconds{24h}.count());
    listener = track(system().spawn([this]() -> protocol::send_listener::behavior_type {
      return {[this](protocol::send_results& told) {
        std::move(told.items.begin(), told.items.end(), std::back_inserter(results));
      }};
    }));
    const auto make_host = [record = executor](protocol::executor_host::pointer self) { return host_double(self, record); };
    host = track(system().spawn(make_host));
    http = pool.executor(worker_address);
    view = view_of_groups();
    auto gate_of_runs = std::make_shared<const actors::run_gate>(gate, boot());
    actors::native_links_parts parts{{{}, pool.actor, storage_like(), 10s, std::move(gate_of_runs), log},
                                     registry.actor, ports, "secret", {}, 30s, clock()};
    parts.judge = [](std::string_view address) {
      return address.starts_with("http://8.") ? std::string{"not a private network"} : std::string{};
    };
    links = spawn<actors::native_links_state, protocol::native_links>(std::move(parts));
    tell(links, protocol::registry_change{view});
    run();
  }
  ~natively_linked() {
    ports->door = nullptr;
    end_all();
  }

  static std::shared_ptr<protocol::registry_view> view_of_groups() {
    auto made = std::make_shared<protocol::registry_view>();
    for (auto [id, app_name] : {std::pair{4, "pay-worker"}, std::pair{9, "mail-worker"}}) {
      core::group group;
      group.id = core::group_id{id};
      group.app_name = app_name;
      made->groups.emplace(id, std::move(group));
    }
    made->groups.at(9).access_token = "mail-token";
    return made;
  }

  /// Returns the part of completion_actor that links use.
  protocol::completion_actor storage_like() {
    return track(system().spawn([this](protocol::completion_actor::pointer self) -> protocol::completion_actor::behavior_type {
      return {
        [](const protocol::sent_runs&) {},
        [](const protocol::ending_run&) {},
        [this, self](protocol::callback_batch& batch) -> caf::result<protocol::callbacks_stored> {
          std::move(batch.items.begin(), batch.items.end(), std::back_inserter(callbacks));
          if (store_is_silent) {
            unstored.push_back(self->make_response_promise<protocol::callbacks_stored>());
            return unstored.back();
          }
          if (store_fails)
            return protocol::to_caf({core::errc::unavailable, "the store is away"});
          return protocol::callbacks_stored{};
        },
      };
    }));
  }

  /// Owner of the results of the connecting executor. None unless a test creates one.
  protocol::callback_actor reporter;
  /// Creates an executor that connects.
  protocol::link_dialer dial(actors::link_identity who = {"pay-worker", worker_address, "secret"},
                             std::vector<std::string> nodes = {"10.0.0.1:9100"}) {
    actors::dialer_parts parts{std::move(nodes), std::move(who), host, reporter, ports, {}, 42, log, elastic};
    dialer = spawn<actors::link_dialer_state, protocol::link_dialer>(std::move(parts));
    run();
    return dialer;
  }
  /// Answers a challenge with a proof of the token.
  void prove(const protocol::link_door& door, const protocol::link_hello& hello, const protocol::link_key& challenge,
             const std::string& token) {
    tell(door, protocol::link_proof{challenge, seal_of(protocol::link_end::executor, hello, challenge, token)});
  }
  [[nodiscard]] std::string seal_of(protocol::link_end end, const protocol::link_hello& hello,
                                    const protocol::link_key& challenge, const std::string& token) const {
    return scripted_ports::seal_of(ports->binding, token, protocol::proof_text(end, hello, challenge));
  }
  [[nodiscard]] bool is_linked(const std::string& address = worker_address) const { return pool.natives->contains(address); }
  /// Returns the native link of the executor, which must be up.
  protocol::executor_link native(const std::string& address = worker_address) { return pool.natives->at(address); }

  [[nodiscard]] core::claimed_run run_of(std::int64_t id, std::int32_t group = 4, std::string param = "a=1") {
    auto spec = std::make_shared<core::job>();
    spec->id = core::job_id{7};
    spec->group = core::group_id{group};
    spec->handler = "settle";
    spec->param = std::move(param);
    spec->timeout_s = 30;
    spec->block = core::block_strategy::discard_later;
    core::claimed_run made;
    made.id = core::log_id{id};
    made.claim = 5;
    made.incarnation = life;
    made.plan.fire_at = civil() + 123ms;
    made.leave_at = now();
    made.plan.part = {1, 3, true};
    made.plan.spec = std::move(spec);
    return made;
  }
  void send(const protocol::executor_link& to, std::vector<core::claimed_run> runs) {
    tell(to, protocol::send_batch{std::move(runs), listener});
    run();
  }
  void send(const std::vector<std::int64_t>& ids) {
    std::vector<core::claimed_run> runs;
    for (auto id : ids)
      runs.push_back(run_of(id));
    send(native(), std::move(runs));
  }
  /// Returns the number of results with this state and code.
  [[nodiscard]] std::size_t count(protocol::send_state state, std::int32_t code = 0) const {
    return static_cast<std::size_t>(std::count_if(results.begin(), results.end(), [&](const auto& one) {
      return one.state == state && (code == 0 || one.code == code);
    }));
  }
  /// Ends the process of the executor, and with it its links.
  void kill_executor() {
    caf::anon_send_exit(dialer, caf::exit_reason::kill);
    run();
  }

  /// Counts lines of the log with this text.
  [[nodiscard]] std::size_t count_logged(const std::string& text) const {
    const auto all = logged.str();
    std::size_t lines = 0;
    for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + 1))
      ++lines;
    return lines;
  }

  std::ostringstream logged;
  std::shared_ptr<spdlog::logger> log =
    std::make_shared<spdlog::logger>("links", std::make_shared<spdlog::sinks::ostream_sink_mt>(logged));
  /// Runs items of the connecting executor. None unless a test creates one.
  protocol::elastic_host elastic;
  std::shared_ptr<protocol::send_gate> gate = std::make_shared<protocol::send_gate>();
  std::shared_ptr<host_record> executor = std::make_shared<host_record>();
  std::shared_ptr<scripted_ports> ports = std::make_shared<scripted_ports>();
  std::shared_ptr<executor_record> http;
  std::shared_ptr<protocol::registry_view> view;
  std::vector<protocol::send_result> results;
  std::vector<core::callback> callbacks;
  std::vector<caf::typed_response_promise<protocol::callbacks_stored>> unstored;
  bool store_fails = false;
  bool store_is_silent = false;
  pool_double pool{*this};
  registry_monitor_double registry{*this};
  protocol::send_listener listener;
  protocol::executor_host host;
  protocol::native_links links;
  protocol::link_dialer dialer;
};

/// A node's link to a peer whose gate belongs to the test. `Gate`: interface of that gate, which the test spawns. `NodeGate`:
/// interface of the node's gate.
template <class Gate, class NodeGate>
struct raw_peer : natively_linked {
  /// Introduces the peer to the node, which must welcome it.
  void greet(const std::string& app_name, const std::string& shown) {
    node = nullptr;
    token = shown;
    said = {protocol::link_version, app_name, worker_address, {}, gate_there, own_key};
    tell(ports->door, said);
    run();
    REQUIRE(node);
  }
  /// Sends a message to the node, with its key.
  template <class Message>
  void say(Message message) {
    message.key = node_key;
    tell(node, std::move(message));
  }

  static constexpr protocol::link_key own_key{1, 2};
  std::string token;
  protocol::link_hello said;
  Gate gate_there;
  NodeGate node;
  protocol::link_key node_key;
};

} // namespace ringmaster::test
