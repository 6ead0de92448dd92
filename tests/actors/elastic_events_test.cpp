#include "executor/elastic/event_box.hpp"

#include "tests/actors/elastic_samples.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using executor::elastic::boot_time;
using executor::elastic::event_box;
using executor::elastic::link_number;
using protocol::elastic_event_kind;

namespace {

struct boxed {
  void add(std::int64_t run, elastic_event_kind kind = elastic_event_kind::finished, link_number link = 1) {
    auto event = test::good_event(run);
    event.kind = kind;
    box.add(std::move(event), link);
  }
  /// Returns the runs of the next batch.
  std::vector<std::int64_t> batch(link_number link) {
    std::vector<std::int64_t> runs;
    const auto next = box.next_batch(link, up, now);
    number = next ? next->batch : 0;
    kinds.clear();
    for (const auto& event : next ? next->events : std::vector<protocol::elastic_event>{}) {
      runs.push_back(core::number(event.run));
      kinds.push_back(event.kind);
    }
    return runs;
  }

  void add_cursor(std::uint64_t number) {
    auto event = test::good_event(12);
    event.kind = elastic_event_kind::cursor;
    event.cursor = "p" + std::to_string(number);
    event.cursor_number = number;
    box.add(std::move(event), 1);
  }
  /// Returns the cursors of the next batch.
  std::vector<std::string> cursors(link_number link = 1) {
    std::vector<std::string> out;
    const auto next = box.next_batch(link, up, now);
    number = next ? next->batch : 0;
    for (const auto& event : next ? next->events : std::vector<protocol::elastic_event>{}) {
      CHECK(event.cursor.has_value() == (event.cursor_number != 0));
      out.push_back(event.cursor.value_or(""));
    }
    return out;
  }
  /// Returns the number of the cursor that a receipt confirms; 0: none.
  std::uint64_t confirmed(std::uint64_t batch, link_number link = 1) {
    const auto stored = box.take_receipt(link, batch, true, now);
    return stored.empty() ? 0 : stored.back().cursor_number;
  }

  event_box box;
  std::set<link_number> up{1, 2};
  boot_time now = 1000s;
  std::uint64_t number = 0;
  std::vector<elastic_event_kind> kinds;
};

using run_numbers = std::vector<std::int64_t>;
using cursor_texts = std::vector<std::string>;

} // namespace

TEST_CASE_METHOD(boxed, "events leave over the link of their grant, until their receipt", "[actors][elastic]") {
  add(12);
  add(13, elastic_event_kind::started, 2);
  CHECK(batch(1) == run_numbers{12});
  CHECK(number == 1);
  CHECK(batch(1).empty());
  CHECK(batch(2) == run_numbers{13});
  const auto stored = box.take_receipt(1, 1, true, now);
  REQUIRE(stored.size() == 1);
  CHECK(core::number(stored[0].run) == 12);
  CHECK(stored[0].kind == elastic_event_kind::finished);
  CHECK(box.take_receipt(1, 1, true, now).empty());
  CHECK(box.size() == 1);
}

TEST_CASE_METHOD(boxed, "events of a link that ended leave over another one", "[actors][elastic]") {
  add(12);
  CHECK(batch(1) == run_numbers{12});
  box.end_link(1);
  up = {2};
  CHECK(batch(2) == run_numbers{12});
  CHECK(number == 1);
}

TEST_CASE_METHOD(boxed, "events that a node could not store are repeated after a pause, in a new batch", "[actors][elastic]") {
  up = {1};
  add(12);
  CHECK(batch(1) == run_numbers{12});
  CHECK(box.take_receipt(1, 1, false, now).empty());
  CHECK(batch(1).empty());
  now += event_box::pause;
  CHECK(batch(1) == run_numbers{12});
  CHECK(number == 2);
}

TEST_CASE_METHOD(boxed, "events that a node could not store go to one node after the other", "[actors][elastic]") {
  up = {1, 2, 3};
  add(12, elastic_event_kind::fenced, 0);
  // The node of the slot may be any: none is left out, however often it is refused.
  for (const link_number link : {1, 2, 3, 1}) {
    for (const link_number other : {1, 2, 3})
      CHECK((link == 1 || other == link || batch(other).empty()));
    CHECK(batch(link) == run_numbers{12});
    CHECK(box.take_receipt(link, number, false, now).empty());
    now += event_box::pause;
  }
  // A link that ended is left out.
  box.end_link(2);
  up = {1, 3};
  CHECK(batch(1).empty());
  CHECK(batch(3) == run_numbers{12});
}

TEST_CASE_METHOD(boxed, "refused events leave again by job", "[actors][elastic]") {
  up = {1};
  for (const std::int64_t run : {12, 13, 14, 15}) {
    auto event = test::good_event(run);
    event.kind = elastic_event_kind::finished;
    event.job = core::elastic::elastic_job_id{run % 2 == 0 ? 1 : 2};
    box.add(std::move(event), 1);
  }
  CHECK(batch(1) == run_numbers{12, 13, 14, 15});
  CHECK(box.take_receipt(1, number, false, now).empty());
  now += event_box::pause;
  auto other = test::good_event(16);
  other.job = core::elastic::elastic_job_id{3};
  box.add(std::move(other), 1);
  CHECK(batch(1) == run_numbers{12, 14});
  CHECK(batch(1) == run_numbers{13, 15});
  CHECK(box.take_receipt(1, number, true, now).size() == 2);
  CHECK(batch(1) == run_numbers{16});
}

TEST_CASE_METHOD(boxed, "a batch without a receipt goes over the next link, and each receipt counts", "[actors][elastic]") {
  add(12);
  CHECK(batch(1) == run_numbers{12});
  now += event_box::receipt_limit;
  box.pass_time(now);
  CHECK(batch(1).empty());
  CHECK(batch(2) == run_numbers{12});
  CHECK(box.take_receipt(1, 1, true, now).size() == 1);
  CHECK(box.empty());
  CHECK(box.take_receipt(2, 1, true, now).empty());
}

TEST_CASE_METHOD(boxed, "an acceptance that was not sent is replaced by what follows", "[actors][elastic]") {
  add(12, elastic_event_kind::accepted);
  add(12, elastic_event_kind::started);
  CHECK(batch(1) == run_numbers{12});
  CHECK(kinds == std::vector{elastic_event_kind::started});
  add(13, elastic_event_kind::accepted);
  CHECK(batch(1) == run_numbers{13});
  add(13, elastic_event_kind::started);
  CHECK(batch(1) == run_numbers{13});
  CHECK(box.size() == 3);
}

TEST_CASE_METHOD(boxed, "batches keep to the limits of the link", "[actors][elastic]") {
  for (std::int64_t run = 1; run <= 600; ++run)
    add(run);
  CHECK(batch(1).size() == 512);
  CHECK(batch(1).size() == 88);
  for (std::size_t i = 2; i < event_box::batches_max; ++i) {
    add(1000 + static_cast<std::int64_t>(i));
    CHECK(batch(1).size() == 1);
  }
  add(2000);
  CHECK(batch(1).empty());
  CHECK(box.take_receipt(1, 2, true, now).size() == 88);
  CHECK(batch(1) == run_numbers{2000});

  box.end_link(1);
  for (std::int64_t run = 3000; run < 3040; ++run) {
    auto event = test::good_event(run);
    event.text = std::string(64 * 1024, 'x');
    box.add(std::move(event), 2);
  }
  const auto next = box.next_batch(2, {2}, now);
  REQUIRE(next);
  CHECK(protocol::breach_of(*next).empty());
}

TEST_CASE_METHOD(boxed, "the end of a run takes its other events along", "[actors][elastic]") {
  add(12, elastic_event_kind::started);
  CHECK(batch(1) == run_numbers{12});
  CHECK(box.take_receipt(1, 1, false, now).empty());
  add(12);
  add(13);
  CHECK(batch(1) == run_numbers{12, 13});
  CHECK(box.take_receipt(1, 2, true, now).size() == 2);
  CHECK(box.empty());
}

TEST_CASE_METHOD(boxed, "events of a closed run are removed", "[actors][elastic]") {
  add(12);
  add(13);
  CHECK(batch(1) == run_numbers{12, 13});
  box.drop(core::elastic::item_run_id{12});
  CHECK(box.size() == 1);
  CHECK(box.take_receipt(1, 1, true, now).size() == 1);
  CHECK(box.empty());
}

TEST_CASE_METHOD(boxed, "one cursor of a run is under way, and the newest of the others follows it", "[actors][elastic]") {
  add_cursor(1);
  CHECK(cursors() == cursor_texts{"p1"});
  add_cursor(2);
  add_cursor(3);
  CHECK(cursors().empty());
  CHECK(box.size() == 2);
  CHECK(confirmed(1) == 1);
  CHECK(cursors() == cursor_texts{"p3"});
  CHECK(confirmed(2) == 3);
  CHECK(box.empty());
  add_cursor(4);
  add_cursor(5);
  CHECK(cursors() == cursor_texts{"p5"});
}

TEST_CASE_METHOD(boxed, "a cursor that would be repeated gives way to a newer one", "[actors][elastic]") {
  add_cursor(1);
  CHECK(cursors() == cursor_texts{"p1"});
  add_cursor(2);
  SECTION("its receipt is late") {
    now += event_box::receipt_limit;
    box.pass_time(now);
    CHECK(cursors(2) == cursor_texts{"p2"});
    // Says nothing of the newer one.
    CHECK(confirmed(1) == 0);
    CHECK(confirmed(1, 2) == 2);
  }
  SECTION("its link ended") {
    box.end_link(1);
    up = {2};
    CHECK(cursors(2) == cursor_texts{"p2"});
  }
  SECTION("a node could not store it") {
    CHECK(box.take_receipt(1, 1, false, now).empty());
    CHECK(cursors().empty());
    now += event_box::pause;
    CHECK(cursors() == cursor_texts{"p2"});
  }
  CHECK(box.size() <= 1);
}

TEST_CASE_METHOD(boxed, "the result of a run takes its newest cursor with it", "[actors][elastic]") {
  add_cursor(1);
  CHECK(cursors() == cursor_texts{"p1"});
  SECTION("one waits") {
    add_cursor(2);
    add(12);
    CHECK(cursors() == cursor_texts{"p2"});
  }
  SECTION("one is under way") {
    add(12);
    CHECK(cursors() == cursor_texts{"p1"});
  }
  SECTION("it is stored already") {
    CHECK(confirmed(1) == 1);
    add(12);
    CHECK(cursors() == cursor_texts{""});
  }
  CHECK(box.size() == 1);
}
