#include "executor/host/elastic_bodies.hpp"

#include <future>
#include <stdexcept>
#include <string>

#include "executor/elastic/boot_clock.hpp"
#include "executor/host/thread_pool.hpp"
#include "tests/executor/disk.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using executor::elastic::elastic_handlers;
using executor::elastic::item_context;
using executor::elastic::simple_job;

namespace {

struct noting_job final : simple_job {
  void execute(item_context& context) override {
    context.log("item " + std::to_string(context.item()));
    if (context.item_param() == "bad")
      throw std::runtime_error{"no stock"};
  }
};

/// Counts down from 3.
struct counting_flow final : executor::elastic::dataflow_job<int> {
  std::vector<int> fetch(item_context&) override { return left > 0 ? std::vector{left--} : std::vector<int>{}; }
  void process(item_context& context, std::vector<int> data) override { context.log("number " + std::to_string(data.at(0))); }
  int left = 3;
};

executor::task<> wait_for_stop(item_context& context) {
  const bool slept = co_await context.sleep_for(1h);
  context.log(slept ? "slept" : "woken");
}

struct item_world {
  item_world() {
    REQUIRE(known.add("noting", [] { return std::make_shared<noting_job>(); }));
    REQUIRE(known.add("json", [](item_context& context) { context.log(context.json()); }));
    REQUIRE(known.add("odd", [](item_context&) { throw 7; }));
    REQUIRE(known.add("none", [] { return std::shared_ptr<simple_job>{}; }));
    REQUIRE(known.add("waiting", wait_for_stop));
    REQUIRE(known.add_dataflow<int>("flow", [] { return std::make_shared<counting_flow>(); }));
    bodies.emplace(known, threads, tasks, std::make_shared<executor::log_files>(disk.options()), disk.options());
    // A run begins within a lease.
    board.extend(executor::elastic::boot_now());
    control = board.open(core::elastic::item_run_id{12}, 1h);
  }
  ~item_world() {
    tasks->close();
    CHECK(tasks->wait_until_idle(10s));
    threads->close();
    CHECK(threads->wait_until_idle(10s));
  }

  std::future<core::run_outcome> start(const std::string& handler, std::optional<std::string> item_param = "x") {
    executor::elastic::item_work work;
    work.handler = handler;
    work.facts.job = "settlement";
    work.facts.task_id = "settlement@-@1@-@READY@-@10.0.0.3@-@41@-@12";
    work.facts.item = 1;
    work.facts.total = 3;
    work.facts.item_param = std::move(item_param);
    work.facts.streaming = streaming;
    work.control = control;
    work.log = {core::log_id{12}, core::job_id{7}, test::some_time};
    auto told = std::make_shared<std::promise<core::run_outcome>>();
    auto outcome = told->get_future();
    REQUIRE(bodies->start(std::move(work), [told](core::run_outcome&& ended) { told->set_value(std::move(ended)); }));
    return outcome;
  }
  core::run_outcome outcome_of(std::future<core::run_outcome> outcome) {
    REQUIRE(outcome.wait_for(10s) == std::future_status::ready);
    return outcome.get();
  }

  test::log_disk disk;
  elastic_handlers known;
  std::shared_ptr<executor::thread_pool> threads = std::make_shared<executor::thread_pool>(10);
  std::shared_ptr<executor::task_threads> tasks = std::make_shared<executor::task_threads>(1, threads);
  executor::elastic::fence_board board{executor::elastic::boot_now};
  executor::elastic::item_control_ptr control;
  std::optional<executor::elastic_bodies> bodies;
  bool streaming = false;
};

} // namespace

TEST_CASE_METHOD(item_world, "elastic bodies: a job class runs an item with a log of its own", "[executor]") {
  CHECK(outcome_of(start("noting")).code == 200);
  const auto log = disk.bytes(12);
  CHECK(log.find("[executor]-[job-7]-[") != std::string::npos);
  CHECK(log.find("begins: settlement@-@1@-@READY@-@10.0.0.3@-@41@-@12, item 1 of 3, attempt 1, NORMAL_TRIGGER\n") !=
        std::string::npos);
  CHECK(log.find("] item 1\n") != std::string::npos);
  CHECK(log.ends_with("ended\n"));
}

TEST_CASE_METHOD(item_world, "elastic bodies: an exception fails the run with its text", "[executor]") {
  const auto failed = outcome_of(start("noting", "bad"));
  CHECK(failed.code == 500);
  CHECK(failed.message == "no stock");
  CHECK(disk.bytes(12).ends_with("failed: no stock\n"));
  CHECK(outcome_of(start("odd")).message == "the handler threw an exception that is not a std::exception");
  CHECK(outcome_of(start("none")).message == "the factory of the handler returned no job");
  CHECK(outcome_of(start("unknown")).message == "the executor has no handler \"unknown\"");
}

TEST_CASE_METHOD(item_world, "elastic bodies: the context is ElasticJob's as JSON", "[executor]") {
  CHECK(outcome_of(start("json", std::nullopt)).code == 200);
  CHECK(disk.bytes(12).find("\"jobName\":\"settlement\"") != std::string::npos);
  CHECK(disk.bytes(12).find("shardingParameter\"") == std::string::npos);
}

TEST_CASE_METHOD(item_world, "elastic bodies: a coroutine that sleeps is woken by its stop", "[executor]") {
  auto outcome = start("waiting");
  control->request_stop();
  CHECK(outcome_of(std::move(outcome)).code == 200);
  CHECK(disk.bytes(12).find("woken\n") != std::string::npos);
}

TEST_CASE_METHOD(item_world, "elastic bodies: a dataflow fetches once, and a stream until nothing is left", "[executor]") {
  CHECK(outcome_of(start("flow")).code == 200);
  CHECK(disk.bytes(12).find("number 3\n") != std::string::npos);
  CHECK(disk.bytes(12).find("number 2\n") == std::string::npos);
  streaming = true;
  CHECK(outcome_of(start("flow")).code == 200);
  CHECK(disk.bytes(12).find("number 1\n") != std::string::npos);
  CHECK_FALSE(control->has_yielded());
}

TEST_CASE_METHOD(item_world, "elastic bodies: a drained stream yields after the data in progress", "[executor]") {
  streaming = true;
  control->request_drain();
  CHECK(outcome_of(start("flow")).code == 200);
  CHECK(disk.bytes(12).find("number 3\n") != std::string::npos);
  CHECK(disk.bytes(12).find("number 2\n") == std::string::npos);
  CHECK(control->has_yielded());
}

TEST_CASE("elastic handlers: names are unique and not empty", "[executor]") {
  elastic_handlers known;
  CHECK(known.empty());
  CHECK(known.add("a", [](item_context&) {}));
  CHECK(known.add("a", [](item_context&) {}).error().code == core::errc::conflict);
  CHECK(known.add("", [](item_context&) {}).error().code == core::errc::invalid_argument);
  CHECK(known.add(std::string(256, 'x'), [](item_context&) {}).error().code == core::errc::invalid_argument);
  CHECK(known.add("b", executor::elastic::elastic_body{}).error().code == core::errc::invalid_argument);
  CHECK(known.add("c", elastic_handlers::job_factory{}).error().code == core::errc::invalid_argument);
  CHECK(known.all().size() == 1);
}
