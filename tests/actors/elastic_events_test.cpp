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

  event_box box;
  std::set<link_number> up{1, 2};
  boot_time now = 1000s;
  std::uint64_t number = 0;
  std::vector<elastic_event_kind> kinds;
};

using run_numbers = std::vector<std::int64_t>;

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
  add(12);
  CHECK(batch(1) == run_numbers{12});
  CHECK(box.take_receipt(1, 1, false, now).empty());
  CHECK(batch(1).empty());
  now += event_box::pause;
  CHECK(batch(1) == run_numbers{12});
  CHECK(number == 2);
}

TEST_CASE_METHOD(boxed, "refused events leave again by job", "[actors][elastic]") {
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

TEST_CASE_METHOD(boxed, "a batch without a receipt is repeated over any link, and each receipt counts", "[actors][elastic]") {
  add(12);
  CHECK(batch(1) == run_numbers{12});
  now += event_box::receipt_limit;
  box.pass_time(now);
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

TEST_CASE_METHOD(boxed, "events of a closed run are removed", "[actors][elastic]") {
  add(12);
  add(13);
  CHECK(batch(1) == run_numbers{12, 13});
  box.drop(core::elastic::item_run_id{12});
  CHECK(box.size() == 1);
  CHECK(box.take_receipt(1, 1, true, now).size() == 1);
  CHECK(box.empty());
}
