#pragma once

// All actors of elastic jobs on a node over a real SQLite store, with played hosts: links, heartbeats and bodies are those of the
// test.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/elastic/spawn_elastic.hpp"
#include "tests/actors/elastic_node_fixture.hpp"

namespace ringmaster::test {

/// Processes whose ends a test proves.
struct provable_processes final : actors::process_watch {
  bool watch(const elastic::host_process&, const elastic::host_facts&) override { return true; }
  void forget(const elastic::host_process&) override {}
  std::vector<elastic::host_process> ended() override { return std::exchange(over, {}); }
  std::vector<elastic::host_process> over;
};

/// Notifier that stores its notices, and answers all with the same outcome.
struct noting_notifier final : protocol::notifier {
  void send(protocol::notice what, done then) override {
    sent.push_back(std::move(what));
    then(outcome);
  }
  [[nodiscard]] std::vector<core::alarm_channel> channels() const override { return {}; }
  void stop() override {}
  core::result<void> outcome;
  std::vector<protocol::notice> sent;
};

/// One process of a host. It accepts all grants, and keeps each run until the test ends it and the node has received that.
struct played_host {
  struct run {
    protocol::elastic_grant grant;
    elastic::elastic_job_id job{};
    std::string param;
    /// Batch of its result, which has no receipt yet; 0: the run goes on.
    std::uint64_t ended_in = 0;
    /// The node did not take the result: it is repeated with the next heartbeat.
    bool repeats = false;
  };
  std::string process;
  std::uint64_t link = 0;
  protocol::host_link actor;
  std::shared_ptr<std::vector<protocol::host_message>> heard = std::make_shared<std::vector<protocol::host_message>>();
  elastic::host_process self;
  std::int64_t keeper_no = 0;
  bool asks_keeper = false;
  /// The last acknowledgement asks it to choose another node.
  bool must_leave = false;
  std::uint64_t beats = 0;
  std::uint64_t batches = 0;
  bool alive = true;
  std::vector<run> runs;
  /// All grants that it ever got.
  std::vector<protocol::elastic_grant> granted;
  std::vector<protocol::elastic_run_order> orders;
  std::vector<protocol::elastic_spec> specs;
};

struct elastic_jobs_world : elastic_world {
  elastic_jobs_world() {
    const auto made = actors::make_elastic_spawner(processes, [] { return std::string(32, 'c'); })(
      system(), {"a", worker.actor, worker.actor, worker.actor, core::zone{}, 500ms, clock(), silent_log(), nullptr, notifier});
    writer = track(made.writer);
    director = track(made.director);
    hosts = track(made.hosts);
    errors = track(made.errors);
  }
  ~elastic_jobs_world() { end_all(); }

  void live(const core::node_incarnation& life) {
    tell(writer, protocol::incarnation_change{life});
    tell(hosts, protocol::incarnation_change{life});
    tell(director, protocol::incarnation_change{life});
    tell(director, protocol::slot_change{core::slot_set{}.set()});
    run();
  }
  elastic::elastic_job_id add_job(std::int32_t items, bool failover = false) {
    core::group_draft draft;
    draft.app_name = "elastic";
    draft.title = "Elastic";
    edit.what.name = "sums";
    edit.what.group = expect(direct->group_editing().add(draft, core::local_operator(), civil()));
    edit.what.handler = "sum";
    edit.what.total = items;
    edit.what.options.schedule = core::schedule_type::fixed_rate;
    edit.what.options.schedule_conf = "10";
    edit.what.options.failover = failover;
    edit.what.options.fence_mode = elastic::fence_mode::fast;
    return job = expect(ej().put(edit, civil(), core::local_operator())).id;
  }
  elastic::elastic_edit edit;
  elastic::elastic_job_id job{};

  /// Adds a job, begins the incarnation of the node, and starts these hosts.
  void begin(std::int32_t items, const std::string& names, bool failover = false) {
    add_job(items, failover);
    live(me);
    for (const char name : names)
      host_up(name);
  }
  /// A new process begins, in place of an earlier one.
  void host_up(char name) {
    all[name] = {};
    all[name].process = std::string{"process "} + name + std::to_string(links);
    host_links(name);
  }
  /// The process has a new link.
  void host_links(char name) {
    auto& host = all.at(name);
    host.link = ++links;
    host.beats = 0;
    host.actor = track(protocol::host_link{system().spawn([heard = host.heard]() -> protocol::host_link::behavior_type {
      return {[heard](protocol::host_message& message) { heard->push_back(std::move(message)); }};
    })});
    protocol::host_introduction who;
    who.app_name = "elastic";
    who.address = std::string{"ringmaster://elastic/"} + name;
    who.rights.groups = std::make_shared<const std::vector<core::group_id>>();
    who.hello.process = host.process;
    who.hello.folder = std::string{"folder "} + name;
    who.hello.pid = 100;
    who.hello.ip = std::string{"10.0.0."} + std::to_string(name - 'A' + 1);
    who.hello.capacity = capacity;
    who.hello.handlers = {"sum"};
    say(host, std::move(who));
    pump();
  }
  /// The process ends with a proof.
  void kill_host(char name) {
    auto& host = all.at(name);
    host.alive = false;
    processes->over.push_back(host.self);
    tell(hosts, protocol::host_link_lost{host.link, false});
    pump();
  }
  /// Ends the runs of an item, wherever they are.
  void finish(std::int32_t item, elastic::host_outcome outcome = elastic::host_outcome::success) {
    for (auto& [name, host] : all)
      for (auto& run : host.runs)
        if (host.alive && run.grant.item == elastic::item_number{item} && run.ended_in == 0) {
          run.ended_in = report(host, run, protocol::elastic_event_kind::finished, outcome);
        }
    pump();
  }
  /// The open run of an item saves a cursor.
  void save_cursor(std::int32_t item, const std::string& value) {
    for (auto& [name, host] : all)
      for (const auto& run : host.runs)
        if (host.alive && run.grant.item == elastic::item_number{item} && run.ended_in == 0) {
          auto event = event_of(run, protocol::elastic_event_kind::cursor);
          event.cursor = value;
          event.cursor_number = ++cursors;
          report(host, std::move(event));
        }
    pump();
  }
  /// Lets time pass: hosts beat and answer.
  void pass(std::chrono::milliseconds duration) {
    for (const auto end = now() + duration; now() < end;) {
      if (now() >= next_beat) {
        for (auto& [name, host] : all)
          if (host.alive && core::number(host.self.host) != 0)
            beat(host);
        next_beat = now() + 150ms;
      }
      pump();
      advance(std::min<std::chrono::nanoseconds>(end - now(), 50ms));
      pump();
    }
  }
  /// Returns the number of grants that a host got.
  std::size_t grants(char name) { return all.at(name).granted.size(); }
  std::vector<elastic::item_row> rows() { return expect(ej().read_job(job)).items; }
  [[nodiscard]] std::size_t open_rows() {
    const auto read = rows();
    return static_cast<std::size_t>(
      std::count_if(read.begin(), read.end(), [](const auto& row) { return row.state == elastic::stored_item_state::open; }));
  }

  [[nodiscard]] std::size_t held_leases() {
    const auto leases = expect(ej().leases());
    return static_cast<std::size_t>(
      std::count_if(leases.begin(), leases.end(), [](const auto& row) { return row.holder.has_value(); }));
  }

  std::map<char, played_host> all;
  /// Slots of each host.
  std::int32_t capacity = 100;
  std::shared_ptr<provable_processes> processes = std::make_shared<provable_processes>();
  std::shared_ptr<noting_notifier> notifier = std::make_shared<noting_notifier>();
  protocol::elastic_writer writer;
  protocol::elastic_director director;
  protocol::elastic_hosts hosts;
  protocol::error_notifier errors;

private:
  template <class What>
  void say(const played_host& host, What&& what) {
    tell(hosts, protocol::host_said{host.link, host.actor, now(), std::forward<What>(what)});
  }
  void beat(played_host& host) {
    for (auto& run : host.runs)
      if (std::exchange(run.repeats, false))
        run.ended_in = report(host, run, protocol::elastic_event_kind::finished);
    protocol::elastic_heartbeat sent;
    sent.number = ++host.beats;
    sent.incarnation = host.self.incarnation;
    sent.wall = civil();
    sent.free_slots = capacity - static_cast<std::int32_t>(host.runs.size());
    sent.keeper_no = host.keeper_no;
    sent.asks_keeper = host.asks_keeper;
    say(host, sent);
  }
  protocol::elastic_event event_of(const played_host::run& run, protocol::elastic_event_kind kind) {
    protocol::elastic_event event;
    event.job = run.job;
    event.item = run.grant.item;
    event.run = run.grant.run;
    event.fence = run.grant.fence;
    event.kind = kind;
    event.at = civil();
    return event;
  }
  std::uint64_t report(played_host& host, const played_host::run& run, protocol::elastic_event_kind kind,
                       elastic::host_outcome outcome = elastic::host_outcome::success) {
    auto event = event_of(run, kind);
    event.outcome = outcome;
    return report(host, std::move(event));
  }
  std::uint64_t report(played_host& host, protocol::elastic_event&& event) {
    protocol::elastic_events batch;
    batch.batch = ++host.batches;
    batch.events.push_back(std::move(event));
    say(host, std::move(batch));
    return host.batches;
  }
  /// Handles messages to hosts until there is none.
  void pump() {
    for (bool more = true; more;) {
      run();
      more = false;
      for (auto& [name, host] : all)
        for (auto& each : std::exchange(*host.heard, {})) {
          more = true;
          if (host.alive)
            std::visit([&](auto& what) { take(host, what); }, each.what);
        }
    }
  }
  void take(played_host& host, const protocol::elastic_welcome& what) {
    REQUIRE(what.verdict == protocol::elastic_verdict::welcome);
    host.self = what.host;
    host.asks_keeper = what.keeper_no == 0;
    host.keeper_no = std::max(host.keeper_no, what.keeper_no);
  }
  void take(played_host& host, const protocol::elastic_grants& what) {
    REQUIRE(what.host == host.self);
    for (const auto& grant : what.items) {
      host.granted.push_back(grant);
      host.runs.push_back({grant, what.job, what.param});
      report(host, host.runs.back(), protocol::elastic_event_kind::started);
    }
  }
  void take(played_host& host, const protocol::elastic_orders& what) {
    host.orders.insert(host.orders.end(), what.orders.begin(), what.orders.end());
    for (const auto& order : what.orders)
      if (order.order == elastic::item_order::close)
        std::erase_if(host.runs, [&](const auto& run) { return run.grant.run == order.run; });
    if (what.inventory == 0)
      return;
    protocol::elastic_inventory answer;
    answer.question = what.inventory;
    answer.slot = what.slot;
    answer.epoch = what.epoch;
    answer.end = true;
    for (const auto& run : host.runs)
      answer.runs.push_back({run.job, run.grant.item, run.grant.run, run.grant.fence,
                             run.ended_in == 0 ? protocol::elastic_phase::running : protocol::elastic_phase::ended});
    say(host, std::move(answer));
  }
  void take(played_host& host, const protocol::elastic_receipt& what) {
    for (auto& run : host.runs)
      run.repeats = run.repeats || (run.ended_in == what.batch && !what.stored);
    if (what.stored)
      std::erase_if(host.runs, [&](const auto& run) { return run.ended_in == what.batch; });
  }
  void take(played_host& host, const protocol::elastic_ack& what) {
    host.must_leave = what.leave;
    host.keeper_no = std::max(host.keeper_no, what.keeper_no);
    host.asks_keeper = host.asks_keeper && what.keeper_no == 0;
  }
  void take(played_host& host, const protocol::elastic_specs& what) {
    host.specs.insert(host.specs.end(), what.specs.begin(), what.specs.end());
  }

  std::uint64_t links = 0;
  std::uint64_t cursors = 0;
  caf::actor_clock::time_point next_beat{};
};

} // namespace ringmaster::test
