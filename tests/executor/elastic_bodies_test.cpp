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
using executor::elastic::batch_context;
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

core::result<void> noted(item_context& context, core::result<void> saved) {
  context.log(saved ? "saved" : std::string{core::to_string(saved.error().code)});
  return saved;
}

/// Saves `cursor + 1`.
std::string next_cursor(const item_context& context) {
  return std::to_string(std::stoi(std::string{context.cursor().value_or("0")}) + 1);
}

executor::task<> save_as_coroutine(item_context& context) {
  (void)noted(context, co_await context.async_save_cursor(next_cursor(context)));
}

executor::task<std::vector<int>> fetch_slowly(item_context& context) {
  (void)co_await context.sleep_for(1ms);
  co_return std::vector{7};
}

executor::task<> process_slowly(item_context& context, std::vector<int> data) {
  (void)co_await context.sleep_for(1ms);
  context.log("number " + std::to_string(data.at(0)));
}

executor::task<> wait_for_stop(item_context& context) {
  const bool slept = co_await context.sleep_for(1h);
  context.log(slept ? "slept" : "woken");
}

/// Writes its calls to the log.
struct noting_listener final : executor::elastic::each_node_listener {
  noting_listener(std::string name, int place) : name_{std::move(name)}, place_{place} {}
  int order() const override { return place_; }
  void before(const batch_context& batch) override { note("before", batch); }
  void after(const batch_context& batch) override { note("after", batch); }

private:
  void note(const std::string& word, const batch_context& batch) {
    batch.log(name_ + " " + word + " " + std::string{batch.task_id()} + " " + std::to_string(++calls_));
    if (batch.job_param() == name_)
      throw std::runtime_error{"no disk"};
  }
  std::string name_;
  int place_;
  int calls_ = 0;
};

struct noting_once final : executor::elastic::once_listener {
  void before_all(const batch_context& batch) override { note("before_all", batch); }
  void after_all(const batch_context& batch) override { note("after_all", batch); }

private:
  static void note(const std::string& word, const batch_context& batch) {
    batch.log(word + " fence " + std::to_string(batch.fence()) + (batch.still_mine() ? " mine" : " lost") + " items " +
              std::to_string(batch.items().size()));
  }
};

struct item_world {
  item_world() {
    REQUIRE(known.add_listener("late", [] { return std::make_shared<noting_listener>("late", 9); }));
    REQUIRE(known.add_listener("early", [] { return std::make_shared<noting_listener>("early", -1); }));
    REQUIRE(known.add_listener("later", [] { return std::make_shared<noting_listener>("later", 9); }));
    REQUIRE(known.add_listener("void", [] { return std::shared_ptr<executor::elastic::each_node_listener>{}; }));
    REQUIRE(known.add_once_listener("once", [] { return std::make_shared<noting_once>(); }));
    REQUIRE(known.add("noting", [] { return std::make_shared<noting_job>(); }));
    REQUIRE(known.add("json", [](item_context& context) { context.log(context.json()); }));
    REQUIRE(known.add("odd", [](item_context&) { throw 7; }));
    REQUIRE(known.add("none", [] { return std::shared_ptr<simple_job>{}; }));
    REQUIRE(known.add("waiting", [this](item_context& context) {
      begun.set_value();
      return wait_for_stop(context);
    }));
    REQUIRE(known.add_dataflow<int>("flow", [] { return std::make_shared<counting_flow>(); }));
    REQUIRE(known.add_dataflow<int>("slow flow", fetch_slowly, process_slowly));
    REQUIRE(known.add("saving", [](item_context& context) { (void)noted(context, context.save_cursor(next_cursor(context))); }));
    REQUIRE(known.add("saving coroutine", save_as_coroutine));
    REQUIRE(known.add("quick coroutine", [](item_context&) -> executor::task<> { co_return; }));
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
    work.facts.cursor = cursor;
    work.control = control;
    work.log = {log, core::job_id{7}, test::some_time};
    auto told = std::make_shared<std::promise<core::run_outcome>>();
    auto outcome = told->get_future();
    REQUIRE(bodies->start(std::move(work), [told](core::run_outcome&& ended) { told->set_value(std::move(ended)); }));
    return outcome;
  }
  core::run_outcome call(executor::elastic::listener_call what, std::vector<std::string> names, std::string param = "",
                         std::int32_t job = 7) {
    executor::elastic::listener_work work;
    work.job = core::elastic::elastic_job_id{job};
    work.call = what;
    work.names = std::move(names);
    work.facts.job = "settlement";
    work.facts.task_id = "settlement@-@0,2@-@READY@-@10.0.0.3@-@41";
    work.facts.job_param = std::move(param);
    work.facts.items = {{0, "a"}, {2}};
    work.facts.fence = 4;
    if (!executor::elastic::is_of_each_node(what))
      work.control = control;
    work.log = {core::log_id{12}, core::job_id{7}, test::some_time};
    auto told = std::make_shared<std::promise<core::run_outcome>>();
    auto outcome = told->get_future();
    REQUIRE(bodies->call_listeners(std::move(work), [told](core::run_outcome&& ended) { told->set_value(std::move(ended)); }));
    return outcome_of(std::move(outcome));
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
  core::log_id log{12};
  std::optional<std::string> cursor;

  /// Takes the saves of the run, of which the returned one is the first.
  std::future<std::string> first_save() {
    auto told = std::make_shared<std::promise<std::string>>();
    control->saves().open([told](std::uint64_t number, std::string&& value) {
      if (number == 1)
        told->set_value(std::move(value));
    });
    return told->get_future();
  }
  /// The body of "waiting" has begun.
  std::promise<void> begun;
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
  REQUIRE(begun.get_future().wait_for(10s) == std::future_status::ready);
  control->request_stop();
  CHECK(outcome_of(std::move(outcome)).code == 200);
  CHECK(disk.bytes(12).find("woken\n") != std::string::npos);
}

TEST_CASE_METHOD(item_world, "elastic bodies: a run that ended while it waited for a thread does not begin", "[executor]") {
  const auto handler = GENERATE("noting", "quick coroutine");
  SECTION("cancelled") { control->request_stop(); }
  SECTION("its lease is over") { control->end(); }
  const auto outcome = outcome_of(start(handler));
  CHECK(outcome.code == 500);
  CHECK(outcome.message == "ended before it began");
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

TEST_CASE_METHOD(item_world, "elastic bodies: a save of a cursor waits until it is stored", "[executor]") {
  cursor = "41";
  const auto handler = GENERATE("saving", "saving coroutine");
  auto saved = first_save();
  auto outcome = start(handler);
  REQUIRE(saved.wait_for(10s) == std::future_status::ready);
  CHECK(saved.get() == "42");
  // The only thread of coroutines is free meanwhile.
  log = core::log_id{13};
  CHECK(outcome_of(start("quick coroutine")).code == 200);
  CHECK(disk.bytes(12).find("] saved\n") == std::string::npos);
  control->saves().take_stored(1);
  CHECK(outcome_of(std::move(outcome)).code == 200);
  CHECK(disk.bytes(12).find("] saved\n") != std::string::npos);
}

TEST_CASE_METHOD(item_world, "elastic bodies: a save of a cursor ends with the right to the item", "[executor]") {
  const auto handler = GENERATE("saving", "saving coroutine");
  auto saved = first_save();
  auto outcome = start(handler);
  REQUIRE(saved.wait_for(10s) == std::future_status::ready);
  CHECK(saved.get() == "1");
  control->end();
  CHECK(outcome_of(std::move(outcome)).code == 200);
  CHECK(disk.bytes(12).find("] fenced\n") != std::string::npos);
}

TEST_CASE_METHOD(item_world, "elastic bodies: a dataflow of coroutines yields after a drain", "[executor]") {
  CHECK(outcome_of(start("slow flow")).code == 200);
  CHECK(disk.bytes(12).find("number 7\n") != std::string::npos);
  CHECK_FALSE(control->has_yielded());
  streaming = true;
  control->request_drain();
  CHECK(outcome_of(start("slow flow")).code == 200);
  CHECK(control->has_yielded());
}

TEST_CASE_METHOD(item_world, "elastic listeners: they are called in their order, and keep their state for one job",
                 "[executor]") {
  using enum executor::elastic::listener_call;
  CHECK(call(before, {"late", "later", "early"}).code == 200);
  const auto log = disk.bytes(12);
  const std::string batch = " before settlement@-@0,2@-@READY@-@10.0.0.3@-@41 1\n";
  REQUIRE(log.find("] early" + batch) != std::string::npos);
  CHECK(log.find("] early" + batch) < log.find("] late" + batch));
  CHECK(log.find("] late" + batch) < log.find("] later" + batch));
  CHECK(call(after, {"late", "early"}).code == 200);
  CHECK(disk.bytes(12).find("late after settlement@-@0,2@-@READY@-@10.0.0.3@-@41 2\n") != std::string::npos);
  CHECK(call(before, {"late"}, "", 8).code == 200);
  CHECK(disk.bytes(12).ends_with("late" + batch));
}

TEST_CASE_METHOD(item_world, "elastic listeners: one that fails keeps no other from being called", "[executor]") {
  using enum executor::elastic::listener_call;
  const auto failed = call(before, {"early", "absent", "void", "late"}, "early");
  CHECK(failed.code == 500);
  CHECK(failed.message ==
        "listener \"absent\": the executor has no such listener; listener \"void\": the factory of the listener"
        " returned no object; listener \"early\": no disk");
  const auto log = disk.bytes(12);
  CHECK(log.find("] late before") != std::string::npos);
  CHECK(log.find("failed: listener \"early\": no disk\n") != std::string::npos);
}

TEST_CASE_METHOD(item_world, "elastic listeners: a once-listener has a log and a fence of its own", "[executor]") {
  using enum executor::elastic::listener_call;
  CHECK(call(before_all, {"once"}).code == 200);
  CHECK(disk.bytes(12).find("] before_all fence 4 mine items 2\n") != std::string::npos);
  CHECK(disk.bytes(12).ends_with("ended\n"));
  control->end();
  CHECK(call(after_all, {"once"}).code == 200);
  CHECK(disk.bytes(12).find("] after_all fence 4 lost items 2\n") != std::string::npos);
}

TEST_CASE("elastic handlers: names of listeners fit a list, and are unique", "[executor]") {
  elastic_handlers known;
  const auto make = [] { return std::make_shared<noting_listener>("x", 0); };
  const auto once = [] { return std::make_shared<noting_once>(); };
  CHECK(known.add_listener("trace", make));
  CHECK(known.add_once_listener("trace", once));
  CHECK(known.add_listener("trace", make).error().code == core::errc::conflict);
  for (const auto* name : {"", "a,b", " a", "a "}) {
    CHECK(known.add_listener(name, make).error().code == core::errc::invalid_argument);
    CHECK(known.add_once_listener(name, once).error().code == core::errc::invalid_argument);
  }
  CHECK(known.add_listener("empty", {}).error().code == core::errc::invalid_argument);
  CHECK(known.listeners().size() == 1);
  CHECK(known.once_listeners().size() == 1);
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

TEST_CASE("elastic handlers: pools and error handlers have names of their own", "[executor]") {
  struct half final : executor::elastic::pool_type {
    [[nodiscard]] std::size_t limit(std::size_t processors) const override { return processors / 2 + 1; }
  };
  struct pager final : executor::elastic::error_handler {
    executor::elastic::error_verdict handle(const executor::elastic::item_failure&) override {
      return executor::elastic::error_verdict::proceed;
    }
  };
  elastic_handlers known;
  const auto make_pool = [] { return std::make_shared<half>(); };
  const auto make_handler = [] { return std::make_shared<pager>(); };
  CHECK(known.add_pool("half", make_pool));
  CHECK(known.add_pool("half", make_pool).error().code == core::errc::conflict);
  for (const std::string built_in : {"CPU", "cpu", "SINGLE_THREAD"})
    CHECK(known.add_pool(built_in, make_pool).error().code == core::errc::conflict);
  for (const std::string& wrong : {std::string{}, std::string(65, 'x'), std::string{" half"}})
    CHECK(known.add_pool(wrong, make_pool).error().code == core::errc::invalid_argument);
  CHECK(known.add_pool("none", nullptr).error().code == core::errc::invalid_argument);
  CHECK(known.add_error_handler("half", make_handler));
  CHECK(known.add_error_handler("Log", make_handler).error().code == core::errc::conflict);
  CHECK(known.pools().size() == 1);
  CHECK(known.error_handlers().size() == 1);
}
