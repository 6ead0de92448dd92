#pragma once

// A whole gateway: real transport on a free port, gateway_actor, and doubles that record their messages.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <spdlog/sinks/ostream_sink.h>

#include "gateway/gateway_actor.hpp"
#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/raw_socket.hpp"

namespace ringmaster::test {

inline constexpr std::string_view plain_success = R"({"code":200,"msg":null,"content":null,"data":null})";

/// Returns the golden reply that refuses with `msg`, which needs no escapes.
inline std::string refusal(std::string_view msg) {
  return R"({"code":500,"msg":")" + std::string(msg) + R"(","content":null,"data":null})";
}

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

enum class completion_mode { store, refuse, hold };

/// Messages to the doubles, and their scripted answers. Any thread.
class recorder {
public:
  template <class Change>
  void note(Change change) {
    std::lock_guard guard{mutex_};
    change(*this);
    changed_.notify_all();
  }
  /// Waits until `done(*this)`.
  template <class Condition>
  bool wait(Condition done) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, test_deadline, [&] { return done(*this); });
  }

  std::vector<protocol::registry_beat> beats;
  std::vector<protocol::registry_removal> removals;
  std::vector<core::callback> callbacks;
  std::size_t batches = 0;
  completion_mode mode = completion_mode::store;
  protocol::node_status status{true, {}, std::nullopt};
  /// Address that belongs to another group.
  std::string taken_address;
  /// Answer about registrations without a group.
  std::vector<core::known_executor> without_group;

private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

struct registry_double {
  static inline const char* name = "test.registry";
  registry_double(protocol::registry_monitor::pointer, std::shared_ptr<recorder> to) : seen{std::move(to)} {}
  protocol::registry_monitor::behavior_type make_behavior() {
    return {
      [this](const protocol::registry_beat& beat) { seen->note([&](recorder& r) { r.beats.push_back(beat); }); },
      [this](const protocol::registry_removal& removal) { seen->note([&](recorder& r) { r.removals.push_back(removal); }); },
      [this](const protocol::address_claim& claim) {
        protocol::claim_verdict verdict;
        seen->note([&](recorder& r) { verdict.refusal = r.taken_address == claim.address ? "it is taken." : ""; });
        return verdict;
      },
      [](protocol::registry_hint) {},
      [](const protocol::registry_subscription&) {},
      [](const protocol::executor_update&) {},
      [](const protocol::update_subscription&) {},
      [this](const protocol::executors_query& query) -> caf::result<protocol::executor_list> {
        const auto group = query.search.group.value_or(core::group_id{1});
        if (auto may = core::check_right(query.by, core::group_right::viewer, group); query.search.group && !may)
          return protocol::to_caf(may.error());
        if (query.without_group) {
          core::page<core::known_executor> page;
          seen->note([&](recorder& r) { page.rows = r.without_group; });
          return protocol::executor_list{std::move(page)};
        }
        if (query.by_group)
          return protocol::executor_list{{}, {{core::group_id{1}, 2, 5, 1, 2}}};
        core::page<core::known_executor> page;
        if (query.by.may(core::group_right::viewer, group))
          page.rows.push_back({group, "app-1", "http://10.0.0.3:9999/", query.search.state.value_or(core::executor_state::online),
                               core::from_ms(1'767'323'045'000), false, core::executor_family::xxl});
        page.total = query.search.part == "nothing" ? 0 : 41;
        return protocol::executor_list{std::move(page)};
      },
      [](protocol::tick_atom) {},
    };
  }
  std::shared_ptr<recorder> seen;
};

struct completion_double {
  static inline const char* name = "test.completion";
  completion_double(protocol::completion_actor::pointer self, std::shared_ptr<recorder> to) : self_{self}, seen{std::move(to)} {}
  protocol::completion_actor::behavior_type make_behavior() {
    return {
      // Here the held results become durable.
      [this](const protocol::sent_runs&) {
        for (auto& each : held)
          each.deliver(protocol::callbacks_stored{});
        held.clear();
      },
      [](const protocol::ending_run&) {},
      [this](const protocol::callback_batch& batch) { return take(batch); },
    };
  }
  caf::result<protocol::callbacks_stored> take(const protocol::callback_batch& batch) {
    auto mode = completion_mode::store;
    seen->note([&](recorder& r) {
      r.callbacks.insert(r.callbacks.end(), batch.items.begin(), batch.items.end());
      ++r.batches;
      mode = r.mode;
    });
    if (mode == completion_mode::refuse)
      return protocol::to_caf({core::errc::unavailable, "the store is away"});
    if (mode == completion_mode::store)
      return protocol::callbacks_stored{};
    held.push_back(self_->make_response_promise<protocol::callbacks_stored>());
    return held.back();
  }
  protocol::completion_actor::pointer self_;
  std::shared_ptr<recorder> seen;
  std::vector<caf::typed_response_promise<protocol::callbacks_stored>> held;
};

struct supervisor_double {
  static inline const char* name = "test.supervisor";
  supervisor_double(protocol::supervisor::pointer, std::shared_ptr<recorder> to) : seen{std::move(to)} {}
  protocol::supervisor::behavior_type make_behavior() {
    return {
      [this](protocol::status_query) {
        protocol::node_status status;
        seen->note([&](recorder& r) { status = r.status; });
        return status;
      },
      [](protocol::nodes_query) {
        using core::node_health;
        const core::seen_node own{
          {"a", 7, 40, core::node_state::up, "a:8080"}, node_health::alive, core::milliseconds{120}, true, 256,
          core::from_ms(1'767'323'045'000)};
        const core::seen_node gone{{"b", 3, 9, core::node_state::fenced, "b:8080"}, node_health::dead, std::nullopt};
        return protocol::node_list{{own, gone}, core::cluster_mode::shared, core::milliseconds{1500}};
      },
      [](protocol::handles_query) { return protocol::node_handles{}; },
      [](protocol::stop_request) {},
      [](protocol::tick_atom) {},
    };
  }
  std::shared_ptr<recorder> seen;
};

struct gateway_config : caf::actor_system_config {
  gateway_config() {
    set("caf.scheduler.policy", "sharing");
    set("caf.scheduler.max-threads", 2);
  }
};

/// Change settings first, then call `open`. One keep-alive connection serves `ask`, so that each reply also proves the framing of
/// the previous one.
class gateway_fixture : public transport_fixture {
public:
  gateway_fixture() { security.access_token = "tk-1"; }
  virtual ~gateway_fixture() {
    transport.reset();
    for (const auto& each : spawned)
      caf::anon_send_exit(caf::actor_cast<caf::actor>(each), caf::exit_reason::kill);
  }

  void open(std::span<const gateway::route> table = gateway::routes()) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text);
    gateway::gateway_partners partners{spawn<registry_double, protocol::registry_monitor>(),
                                       completion = spawn<completion_double, protocol::completion_actor>(),
                                       spawn<supervisor_double, protocol::supervisor>(),
                                       [this] { return transport->counters(); }};
    add_partners(partners);
    gateway_handle = sys.spawn<protocol::with_state<gateway::gateway_actor_state, protocol::gateway_actor>>(
      std::move(partners), server, security, std::make_shared<spdlog::logger>("test", sink), web, table);
    spawned.push_back(caf::actor_cast<caf::strong_actor_ptr>(gateway_handle));
    listen(gateway::hand_over_to(gateway_handle), gateway::body_rule_of(gateway::routes(), server.context_path));
  }

  /// Sends the group names of an admin that knows these apps.
  void tell_groups(const std::vector<std::string>& app_names) {
    std::vector<core::group> groups(app_names.size());
    for (std::size_t i = 0; i < groups.size(); ++i)
      groups[i].app_name = app_names[i];
    tell_groups(std::move(groups));
  }
  /// Sends complete groups. Their ids count from 1.
  void tell_groups(std::vector<core::group> groups) {
    auto view = std::make_shared<protocol::registry_view>();
    for (auto& group : groups) {
      group.id = core::group_id{static_cast<std::int32_t>(view->groups.size() + 1)};
      view->groups.emplace(core::number(group.id), std::move(group));
    }
    protocol::anon_send(gateway_handle, protocol::registry_change{std::move(view)});
  }

  /// Ends a partner: 0 the registry, 1 completion, 2 the supervisor, 3 the first of `add_partners`.
  void end_partner(std::size_t i) {
    caf::anon_send_exit(caf::actor_cast<caf::actor>(spawned.at(i)), caf::exit_reason::kill);
  }

  raw_socket::message ask(const std::string& bytes) {
    if (client.fd() < 0)
      client = raw_socket::connect(address);
    client.send(bytes);
    auto reply = client.read_message();
    if (reply.head.find("Connection: close\r\n") != std::string::npos)
      client = {};
    return reply;
  }
  /// Posts with the right token.
  raw_socket::message post(const std::string& target, std::string_view body,
                           std::string_view more = "XXL-JOB-ACCESS-TOKEN: tk-1\r\n") {
    return ask(text("POST", target, body, more));
  }
  raw_socket::message get(const std::string& target, std::string_view more = "") { return ask(text("GET", target, "", more)); }

  static std::string text(std::string_view method, std::string_view target, std::string_view body, std::string_view more) {
    std::string bytes;
    bytes.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n").append(more);
    if (!body.empty() || method == "POST")
      bytes.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
    return bytes.append("\r\n").append(body);
  }

  gateway_config config;
  caf::actor_system sys{config};
  std::shared_ptr<recorder> seen = std::make_shared<recorder>();
  std::ostringstream log_text;
  protocol::gateway_actor gateway_handle;
  protocol::completion_actor completion;
  std::vector<caf::strong_actor_ptr> spawned;
  raw_socket client;
  gateway::web_setup web;

protected:
  /// Adds more actors that handlers may ask.
  virtual void add_partners(gateway::gateway_partners&) {}

  template <class Double, class Interface, class Seen = recorder>
  Interface spawn(std::shared_ptr<Seen> told = nullptr) {
    if constexpr (std::is_same_v<Seen, recorder>)
      told = seen;
    Interface made = sys.spawn<protocol::with_state<Double, Interface>>(told);
    spawned.push_back(caf::actor_cast<caf::strong_actor_ptr>(made));
    return made;
  }
};

} // namespace ringmaster::test
