#pragma once

// A node and an executor, each in its own actor system, linked over loopback and TLS. They note facts on a board, on which a test
// waits for the expected ones.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include "actors/executor/link_dialer.hpp"
#include "actors/executors/absent_link.hpp"
#include "actors/executors/native_links.hpp"
#include "actors/link/system_config.hpp"
#include "actors/link/tls_ports.hpp"
#include "protocol/admin_messages.hpp"
#include "tests/support/certificates.hpp"

namespace ringmaster::test {

using namespace std::chrono_literals;

/// Named facts with counts. Any thread.
class board {
public:
  void note(const std::string& what, std::size_t times = 1) {
    std::lock_guard guard{mutex_};
    facts_[what] += times;
    changed_.notify_all();
  }
  [[nodiscard]] std::size_t count(const std::string& what) {
    std::lock_guard guard{mutex_};
    return facts_[what];
  }
  /// Waits for a log line with `words`; log lines are facts, too.
  [[nodiscard]] bool await_words(const std::string& words, std::chrono::seconds limit = 20s) {
    const auto has_words = [&](const auto& fact) { return fact.first.find(words) != std::string::npos; };
    return await_in(limit, [&] { return std::any_of(facts_.begin(), facts_.end(), has_words); });
  }
  [[nodiscard]] bool await(const std::string& what, std::size_t times, std::chrono::seconds limit = 20s) {
    return await_in(limit, [&] { return facts_[what] >= times; });
  }

  /// Returns how many facts contain `words`.
  [[nodiscard]] std::size_t count_words(const std::string& words) {
    std::lock_guard guard{mutex_};
    std::size_t count = 0;
    for (const auto& [what, times] : facts_)
      count += what.find(words) == std::string::npos ? 0 : times;
    return count;
  }

  /// Returns all facts, to diagnose a failed test. Numbered ones are left out.
  [[nodiscard]] std::string text() {
    std::lock_guard guard{mutex_};
    std::string out;
    for (const auto& [what, times] : facts_)
      if (!what.starts_with("result ") && !what.starts_with("foreign "))
        out += what + ": " + std::to_string(times) + "\n";
    return out;
  }

private:
  template <class Reached>
  bool await_in(std::chrono::seconds limit, Reached reached) {
    std::unique_lock guard{mutex_};
    return changed_.wait_for(guard, limit, reached);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::size_t> facts_;
};
using board_ptr = std::shared_ptr<board>;

class board_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit board_sink(board_ptr facts) : facts_{std::move(facts)} {}

private:
  void sink_it_(const spdlog::details::log_msg& line) override { facts_->note({line.payload.data(), line.payload.size()}); }
  void flush_() override {}

  board_ptr facts_;
};

inline std::shared_ptr<spdlog::logger> log_to(const board_ptr& facts) {
  return std::make_shared<spdlog::logger>("links", std::make_shared<board_sink>(facts));
}

struct link_config : actors::system_config {
  explicit link_config(const std::string& identifier = std::string{protocol::link_identifier}) : system_config{true} {
    set("caf.middleman.app-identifiers", std::vector<std::string>{identifier});
  }
};

inline std::shared_ptr<actors::tls_ports> ports_of(const certificate_files& own, const std::string& ca) {
  auto made = actors::tls_ports::make({own.certificate, own.key, ca});
  if (!made)
    throw std::runtime_error{made.error().context};
  return std::move(*made);
}

/// Returns when all of them have ended: they use objects that are destroyed next.
inline void end_actors(caf::actor_system& system, const std::vector<caf::actor>& actors) {
  caf::scoped_actor self{system};
  for (const auto& each : actors)
    caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
  for (const auto& each : actors)
    self->wait_for(each);
}

/// Runs from this id on belong to group 5, which has the executor's address set manually and another app name.
inline constexpr std::int64_t first_by_hand = 1'000'000;

/// Notes `link up`, `link down`, `answered 200`, `unknown`, `not sent`, `http` for a run sent over HTTP, `result N`, `foreign N`
/// for a result that the store would not accept from this sender.
class linked_node {
public:
  linked_node(board_ptr facts, std::shared_ptr<actors::tls_ports> ports, const std::string& listen = "127.0.0.1:0",
              const std::string& token = "secret")
    : facts_{std::move(facts)}, ports_{std::move(ports)} {
    ports_->attach(system_);
    auto bound = ports_->bind(listen, log_to(facts_));
    if (!bound)
      throw std::runtime_error{bound.error().context};
    address = *bound;
    make_doubles();
    const protocol::access_token_source source{token};
    auto gate = std::make_shared<protocol::send_gate>();
    gate->open_until(0, 1);
    auto gate_of_runs = std::make_shared<const actors::run_gate>(std::move(gate), [] { return std::int64_t{0}; });
    actors::native_link_tools tools{{}, pool_, completion_, 10s, std::move(gate_of_runs), log_to(facts_)};
    actors::native_links_parts parts{std::move(tools), registry_, ports_, source, {}, 200ms,
                                     protocol::wall_clock::of_system()};
    links_ = system_.spawn<protocol::with_state<actors::native_links_state, protocol::native_links>>(std::move(parts));
    auto view = std::make_shared<protocol::registry_view>();
    core::group group;
    group.id = core::group_id{4};
    group.app_name = "pay-worker";
    view->groups.emplace(4, std::move(group));
    protocol::anon_send(links_, protocol::registry_change{std::move(view)});
  }
  ~linked_node() {
    {
      std::lock_guard guard{mutex_};
      native_ = nullptr;
    }
    end_actors(system_, {caf::actor_cast<caf::actor>(links_), caf::actor_cast<caf::actor>(pool_),
                         caf::actor_cast<caf::actor>(completion_), caf::actor_cast<caf::actor>(registry_),
                         caf::actor_cast<caf::actor>(listener_), caf::actor_cast<caf::actor>(http_)});
  }

  /// Sends runs with these ids over the way that the pool would choose; `attempt` 1: again, like recovery does.
  void send(std::vector<std::int64_t> ids, const std::string& param = {}, int attempt = 0) {
    protocol::send_batch batch{{}, listener_};
    for (auto id : ids) {
      core::claimed_run run;
      run.id = core::log_id{id};
      run.plan.spec = spec_of(id, param);
      run.attempt = attempt;
      batch.runs.push_back(std::move(run));
    }
    protocol::anon_send(way(), std::move(batch));
  }

  /// Sets the actor that hears hosts of elastic jobs.
  void extend(const protocol::link_extension& hosts) { protocol::anon_send(links_, protocol::link_subscription{hosts}); }
  caf::actor_system& system() noexcept { return system_; }

  /// Runs without an answer that were not taken yet.
  std::vector<std::int64_t> take_unanswered() {
    std::lock_guard guard{mutex_};
    return std::exchange(unanswered_, {});
  }

  std::string address;

private:
  static core::group_id group_of(std::int64_t id) { return core::group_id{id < first_by_hand ? 4 : 5}; }
  static std::shared_ptr<core::job> spec_of(std::int64_t id, const std::string& param) {
    auto spec = std::make_shared<core::job>();
    spec->id = core::job_id{7};
    spec->group = group_of(id);
    spec->handler = "nothing";
    spec->param = param;
    return spec;
  }

  protocol::executor_link way(const protocol::executor_link& except = {}) {
    std::lock_guard guard{mutex_};
    return native_ && native_ != except ? native_ : http_;
  }

  void make_doubles() {
    http_ = system_.spawn([this]() -> protocol::executor_link::behavior_type {
      return {
        [this](protocol::send_batch& batch) {
          protocol::send_results told;
          for (auto& run : batch.runs) {
            facts_->note("http");
            told.items.push_back({.run = std::move(run), .state = protocol::send_state::unknown, .code = 0, .message = "lost",
                                  .elapsed = {}, .sent_at = {}, .unreachable = false});
          }
          protocol::anon_send(batch.listener, std::move(told));
        },
        [](const protocol::probe_request&) { return protocol::probe_reply{}; },
        [](const protocol::log_request&) { return protocol::log_reply{}; },
        [](const protocol::kill_request&) { return protocol::probe_reply{}; },
        [](const protocol::registry_change&) {},
        [](protocol::drain_inbox) {},
      };
    });
    listener_ = system_.spawn([this]() -> protocol::send_listener::behavior_type {
      return {[this](const protocol::send_results& told) { take(told); }};
    });
    registry_ = system_.spawn([]() -> protocol::registry_monitor::behavior_type {
      return {[](const protocol::registry_beat&) {},         [](const protocol::registry_removal&) {},
              [](const protocol::address_claim&) { return protocol::claim_verdict{}; },
              [](protocol::registry_hint) {},                [](const protocol::registry_subscription&) {},
              [](const protocol::executor_update&) {},         [](const protocol::update_subscription&) {},
              [](const protocol::executors_query&) { return protocol::executor_list{}; }, [](protocol::tick_atom) {}};
    });
    completion_ = system_.spawn([this]() -> protocol::completion_actor::behavior_type {
      return {
        [](const protocol::sent_runs&) {},
        [](const protocol::ending_run&) {},
        [this](const protocol::callback_batch& batch) {
          for (const auto& item : batch.items) {
            const auto id = core::number(item.id);
            facts_->note((item.may_be_of(group_of(id)) ? "result " : "foreign ") + std::to_string(id));
          }
          facts_->note("results", batch.items.size());
          return protocol::callbacks_stored{};
        },
      };
    });
    pool_ = system_.spawn([this]() -> protocol::trigger_pool::behavior_type {
      return {
        [](const protocol::route_request&) {},
        [](const protocol::slot_release&) {},
        [](const protocol::firing_batch&) {},
        [](const protocol::send_results&) {},
        [](const protocol::registry_change&) {},
        [](const protocol::executor_update&) {},
        [](const protocol::trigger_partners&) {},
        [this](const protocol::native_link_update& update) { learn(update); },
        [this](protocol::returned_runs& runs) { protocol::anon_send(way(runs.by), std::move(runs.batch)); },
        [this](const protocol::link_query& query) { return protocol::link_handle{way(query.except)}; },
        [](protocol::tick_atom) {},
      };
    });
  }

  void learn(const protocol::native_link_update& update) {
    {
      std::lock_guard guard{mutex_};
      if (update.up)
        native_ = update.link;
      else if (native_ == update.link)
        native_ = nullptr;
    }
    facts_->note(update.up ? "link up" : "link down");
  }

  void take(const protocol::send_results& told) {
    for (const auto& one : told.items) {
      if (one.state != protocol::send_state::answered) {
        std::lock_guard guard{mutex_};
        unanswered_.push_back(core::number(one.run.id));
      }
      facts_->note(one.state == protocol::send_state::answered ? "answered " + std::to_string(one.code)
                   : one.state == protocol::send_state::unknown ? "unknown"
                                                                : "not sent");
      facts_->note("ended");
    }
  }

  board_ptr facts_;
  std::shared_ptr<actors::tls_ports> ports_;
  std::mutex mutex_;
  protocol::executor_link native_;
  std::vector<std::int64_t> unanswered_;
  link_config config_;
  caf::actor_system system_{config_};
  protocol::executor_link http_;
  protocol::send_listener listener_;
  protocol::registry_monitor registry_;
  protocol::completion_actor completion_;
  protocol::trigger_pool pool_;
  protocol::native_links links_;
};

/// Accepts every run once, and reports it at once (unless it `holds`) and again until a node has the result. Notes `executed`,
/// `refused`.
class linked_executor {
public:
  linked_executor(board_ptr facts, std::shared_ptr<actors::tls_ports> ports, std::vector<std::string> nodes,
                  const std::string& token = "secret", const std::string& identifier = std::string{protocol::link_identifier})
    : facts_{std::move(facts)}, ports_{std::move(ports)}, config_{identifier} {
    ports_->attach(system_);
    host_ = system_.spawn([this](protocol::executor_host::pointer self) { return host(self); });
    actors::dialer_parts parts{std::move(nodes), {"pay-worker", "http://127.0.0.1:9999/", token}, host_, {}, ports_, {}, 42,
                               log_to(facts_)};
    dialer_ = system_.spawn<protocol::with_state<actors::link_dialer_state, protocol::link_dialer>>(std::move(parts));
    protocol::anon_send(host_, protocol::tick_atom{});
  }
  ~linked_executor() {
    end_actors(system_, {caf::actor_cast<caf::actor>(dialer_), caf::actor_cast<caf::actor>(host_)});
  }

  /// Ends the door of a node, which CAF permits every peer that has found it.
  void close_door(const std::string& address) {
    ports_->dial(address, 5s, [](core::result<protocol::link_door>&& door) {
      if (door)
        caf::anon_send_exit(*door, caf::exit_reason::kill);
    });
  }

  void say_goodbye() { protocol::anon_send(dialer_, protocol::link_goodbye{}); }

  /// Runs do not end until this is false again.
  std::atomic<bool> holds = false;

private:
  protocol::executor_host::behavior_type host(protocol::executor_host::pointer self) {
    return {
      [this, self](const protocol::trigger_batch& batch) {
        protocol::trigger_replies told;
        protocol::run_reports done;
        for (const auto& run : batch.requests) {
          if (!known_.insert(run.run).second) {
            facts_->note("refused");
            told.replies.push_back({500, "repeat trigger job, logId:" + std::to_string(core::number(run.run))});
            continue;
          }
          facts_->note("executed");
          told.replies.push_back({});
          done.reports.push_back({run.run, run.log_time, 200, "done"});
        }
        if (holds)
          kept_.push_back(std::move(done));
        else if (!done.reports.empty())
          report(self, std::move(done));
        return told;
      },
      [](const protocol::kill_job&) { return core::trigger_reply{}; },
      [](const protocol::idle_query&) { return core::trigger_reply{}; },
      [](const protocol::taken_query&) { return core::trigger_reply{}; },
      [](const protocol::log_query&) { return core::log_lines{}; },
      [](const protocol::drain_request&) {},
      [](protocol::executor_state_query) { return protocol::executor_state{}; },
      [](const protocol::job_quiet&) {},
      [](protocol::work_done&) {},
      [this, self](protocol::tick_atom) {
        if (!holds)
          for (auto& reports : std::exchange(kept_, {}))
            report(self, std::move(reports));
        protocol::send_at(self, protocol::executor_host{self}, self->clock().now() + 100ms, protocol::tick_atom{});
      },
    };
  }

  void report(protocol::executor_host::pointer self, protocol::run_reports reports) {
    auto again = reports;
    protocol::request(self, dialer_, 20s, std::move(reports))
      .then([] {}, [this, again](const caf::error&) { kept_.push_back(again); });
  }

  board_ptr facts_;
  std::shared_ptr<actors::tls_ports> ports_;
  std::set<core::log_id> known_;
  std::vector<protocol::run_reports> kept_;
  link_config config_;
  caf::actor_system system_{config_};
  protocol::executor_host host_;
  protocol::link_dialer dialer_;
};

/// Certificates and a board.
struct tls_world {
  temp_folder folder;
  test_authority authority{folder, "links"};
  test_authority stranger{folder, "strangers"};
  board_ptr facts = std::make_shared<board>();

  std::shared_ptr<actors::tls_ports> of(const std::string& name) {
    return ports_of(authority.issue(name), authority.file());
  }

  /// Sends runs without an answer again, with the same log ids, until each has one: like recovery, but without its queries.
  bool send_until_answered(linked_node& node, std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (facts->count("answered 200") < count && std::chrono::steady_clock::now() < until) {
      if (!facts->await("ended", ended_, 20s))
        return false;
      auto again = node.take_unanswered();
      ended_ += again.size();
      if (!again.empty() && facts->await("link up", facts->count("link down") + 1))
        node.send(std::move(again), {}, 1);
    }
    return facts->count("answered 200") == count;
  }
  void send(linked_node& node, std::vector<std::int64_t> runs) {
    ended_ += runs.size();
    node.send(std::move(runs));
  }
  std::size_t ended_ = 0;
};

} // namespace ringmaster::test
