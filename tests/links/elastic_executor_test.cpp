// A whole executor with handlers of elastic jobs, linked to a node whose elastic_hosts belongs to the test.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "executor/executor.hpp"
#include "executor/sdk/elastic/elastic_handlers.hpp"
#include "tests/actors/elastic_samples.hpp"
#include "tests/links/link_world.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using executor::elastic::item_context;
using protocol::elastic_event_kind;

namespace {

/// Behaviour of the played node.
struct node_script {
  std::atomic<bool> acknowledges = true;
  std::atomic<bool> stores = true;
  /// Sent after the first acknowledgement.
  std::vector<protocol::elastic_grant> items;
};

std::string words_of_event(const protocol::elastic_event& event) {
  using core::elastic::host_outcome;
  switch (event.kind) {
  case elastic_event_kind::started: return "started";
  case elastic_event_kind::fenced: return "fenced";
  case elastic_event_kind::cursor: return "cursor " + event.cursor.value_or("");
  case elastic_event_kind::refused: return "refused: " + event.text;
  case elastic_event_kind::finished:
    return event.outcome == host_outcome::success ? "success" : event.outcome == host_outcome::error ? "error: " + event.text
                                                                                                      : "cancelled";
  default: return "another event";
  }
}

/// Welcomes a host as its keeper, sends the items of the script, and notes the events.
protocol::link_extension::behavior_type scripted_hosts(test::board_ptr facts, std::shared_ptr<node_script> script) {
  const auto answer = [](const protocol::host_said& heard, auto message) {
    protocol::anon_send(heard.link, protocol::host_message{0, std::move(message)});
  };
  return {
    [facts, script, answer](const protocol::host_said& heard) {
      if (std::holds_alternative<protocol::host_introduction>(heard.said)) {
        facts->note("hello");
        answer(heard, test::good_welcome());
      } else if (const auto* beat = std::get_if<protocol::elastic_heartbeat>(&heard.said)) {
        if (!script->acknowledges)
          return;
        answer(heard, protocol::elastic_ack{beat->number, 2, false});
        if (beat->number != 1)
          return;
        auto grants = test::good_grants(12);
        grants.items = script->items;
        answer(heard, protocol::elastic_specs{{test::good_spec()}});
        answer(heard, std::move(grants));
      } else if (const auto* events = std::get_if<protocol::elastic_events>(&heard.said)) {
        for (const auto& event : events->events)
          facts->note(words_of_event(event));
        answer(heard, protocol::elastic_receipt{events->batch, script->stores});
      }
    },
    [facts](const protocol::host_link_lost&) { facts->note("host lost"); },
  };
}

struct executor_world : test::tls_world {
  executor_world() {
    for (std::int32_t item = 0; item < 3; ++item) {
      auto grant = test::good_grants(12 + item).items[0];
      grant.item = core::elastic::item_number{item};
      script->items.push_back(grant);
    }
  }
  ~executor_world() {
    running.reset();
    test::end_actors(node.system(), {caf::actor_cast<caf::actor>(hosts)});
  }

  void start(executor::elastic::elastic_body settle) {
    const auto files = authority.issue("executor");
    executor::executor_options options;
    options.nodes = {node.address};
    options.link_certificate = files.certificate;
    options.link_key = files.key;
    options.link_ca = authority.file();
    options.app_name = "pay-worker";
    options.access_token = "secret";
    options.listen = "";
    options.data_dir = folder.path() + "/executor";
    options.elastic_drain = 100ms;
    options.elastic_capacity = 4;
    options.log = test::log_to(facts);
    executor::elastic::elastic_handlers items;
    REQUIRE(items.add("settle", std::move(settle)));
    node.extend(hosts);
    auto started = executor::executor::start(std::move(options), {}, std::move(items));
    REQUIRE(started);
    running = std::move(*started);
  }
  std::string log_of(std::int64_t run) {
    const auto logs = folder.path() + "/executor/joblogs/elastic";
    for (const auto& each : std::filesystem::recursive_directory_iterator{logs})
      if (each.path().filename() == std::to_string(run) + ".log") {
        std::ostringstream text;
        text << std::ifstream{each.path()}.rdbuf();
        return text.str();
      }
    return {};
  }

  std::shared_ptr<node_script> script = std::make_shared<node_script>();
  test::linked_node node{facts, of("node")};
  protocol::link_extension hosts{node.system().spawn([facts = facts, script = script] { return scripted_hosts(facts, script); })};
  std::unique_ptr<executor::executor> running;
};

} // namespace

TEST_CASE_METHOD(executor_world, "an executor runs items of a linked node, with a log for each", "[links]") {
  start([](item_context& context) {
    context.log("parameter " + std::string{context.item_param().value_or("")});
    if (context.item() == 1)
      throw std::runtime_error{"no stock"};
  });
  CHECK(facts->await("success", 2));
  CHECK(facts->await("error: no stock", 1));
  INFO(facts->text());
  CHECK(facts->count("started") >= 3);
  CHECK(log_of(12).find("parameter a\n") != std::string::npos);
  CHECK(log_of(13).find("failed: no stock\n") != std::string::npos);
}

TEST_CASE_METHOD(executor_world, "an executor runs coroutines as items", "[links]") {
  start([](item_context& context) -> executor::task<> {
    const bool slept = co_await context.sleep_for(10ms);
    context.log(slept ? "slept" : "woken");
  });
  CHECK(facts->await("success", 3));
  CHECK(log_of(14).find("slept\n") != std::string::npos);
}

TEST_CASE_METHOD(executor_world, "items stop when their node no longer acknowledges heartbeats", "[links]") {
  start([facts = facts, script = script](item_context& context) {
    while (context.wait_for(10ms))
      script->acknowledges = false;
    facts->note(context.still_mine() ? "stopped too early" : "body stopped");
  });
  CHECK(facts->await("fenced", 3));
  CHECK(facts->await("body stopped", 3));
  INFO(facts->text());
  CHECK(facts->count("success") == 0);
}

TEST_CASE_METHOD(executor_world, "a stop of the executor cancels items after its limit", "[links]") {
  start([](item_context& context) { (void)context.wait_for(1h); });
  CHECK(facts->await("started", 3));
  running->stop();
  CHECK(facts->await("cancelled", 3));
}

TEST_CASE_METHOD(executor_world, "an executor saves cursors over its link", "[links]") {
  script->items[0].cursor = "41";
  const auto next = [](const item_context& context) { return "after " + std::string{context.cursor().value_or("none")}; };
  SECTION("of functions") {
    start([facts = facts, next](item_context& context) {
      const auto saved = context.save_cursor(next(context));
      facts->note(saved ? "saved" : saved.error().context);
    });
  }
  SECTION("of coroutines") {
    start([facts = facts, next](item_context& context) -> executor::task<> {
      const auto saved = co_await context.async_save_cursor(next(context));
      facts->note(saved ? "saved" : saved.error().context);
    });
  }
  CHECK(facts->await("saved", 3));
  INFO(facts->text());
  CHECK(facts->count("cursor after 41") == 1);
  CHECK(facts->count("cursor after none") == 2);
  CHECK(facts->await("success", 3));
}

TEST_CASE_METHOD(executor_world, "a save that no node stores ends with the lease", "[links]") {
  start([facts = facts, script = script](item_context& context) {
    script->stores = false;
    script->acknowledges = false;
    const auto saved = context.save_cursor("1");
    facts->note("save: " + (saved ? "stored" : std::string{core::to_string(saved.error().code)}));
  });
  CHECK(facts->await("save: fenced", 3));
  INFO(facts->text());
  CHECK(facts->count("save: stored") == 0);
}
