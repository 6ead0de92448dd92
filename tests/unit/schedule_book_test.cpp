// The planner's memory of jobs and their next times.

#include "core/schedule/schedule_book.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;
using namespace std::chrono_literals;

namespace {

constexpr auto book_start = from_ms(1'772'452'800'000);

scheduled_job scheduled(std::int32_t id, std::optional<time_point> next, std::string conf = "* * * * * ?") {
  auto spec = std::make_shared<job>();
  spec->id = job_id{id};
  spec->schedule = schedule_type::cron;
  spec->schedule_conf = std::move(conf);
  scheduled_job read;
  read.spec = std::move(spec);
  read.next = next;
  return read;
}

struct book_of_utc {
  void put(scheduled_job&& read) { REQUIRE_FALSE(book.put(std::move(read))); }
  std::vector<std::int32_t> due(time_point until) {
    std::vector<std::int32_t> ids;
    while (auto one = book.take_due(until))
      ids.push_back(number(one->spec->id));
    return ids;
  }
  schedule_book book{zone{}};
};

using ids = std::vector<std::int32_t>;

} // namespace

TEST_CASE_METHOD(book_of_utc, "jobs are taken when due, earliest first, and are then busy") {
  put(scheduled(1, book_start + 2s));
  put(scheduled(2, book_start + 1s));
  put(scheduled(3, book_start + 3s));
  CHECK(book.next_look() == book_start + 1s);
  CHECK(due(book_start + 999ms).empty());
  CHECK(due(book_start + 2s) == ids{2, 1});
  CHECK(due(book_start + 2s).empty());
  CHECK(book.next_look() == book_start + 3s);
  CHECK(book.size() == 3);
}

TEST_CASE_METHOD(book_of_utc, "a taken job has its token and its rule") {
  put(scheduled(1, book_start + 1s, "0/5 * * * * ?"));
  auto one = book.take_due(book_start + 1s);
  REQUIRE(one);
  CHECK(one->next == book_start + 1s);
  CHECK(one->rule->next(book_start) == book_start + 5s);
}

TEST_CASE_METHOD(book_of_utc, "a move brings a job back at its next time; without one it is exhausted") {
  put(scheduled(1, book_start));
  put(scheduled(2, book_start));
  REQUIRE(due(book_start) == ids{1, 2});
  book.moved(job_id{1}, book_start + 10s, book_start);
  book.moved(job_id{2}, std::nullopt, book_start);
  CHECK(book.next_look() == book_start + 10s);
  CHECK(due(book_start + 1h) == ids{1});
  CHECK(book.find(job_id{2}));
}

TEST_CASE_METHOD(book_of_utc, "a retried job keeps its token") {
  put(scheduled(1, book_start));
  REQUIRE(due(book_start) == ids{1});
  book.retry_at(job_id{1}, book_start + 20ms);
  CHECK(due(book_start + 19ms).empty());
  auto again = book.take_due(book_start + 20ms);
  REQUIRE(again);
  CHECK(again->next == book_start);
}

TEST_CASE_METHOD(book_of_utc, "a newer read takes precedence over the answer to an older claim") {
  put(scheduled(1, book_start));
  REQUIRE(due(book_start) == ids{1});
  put(scheduled(1, book_start + 1h)); // edited during its claim
  book.moved(job_id{1}, book_start + 1s, book_start);
  book.retry_at(job_id{1}, book_start + 1s);
  CHECK(due(book_start + 59min).empty());
  CHECK(due(book_start + 1h) == ids{1});
}

TEST_CASE_METHOD(book_of_utc, "an edit replaces the waiting time") {
  put(scheduled(1, book_start + 1s));
  put(scheduled(1, book_start + 5s));
  CHECK(book.next_look() == book_start + 5s);
  CHECK(due(book_start + 4s).empty());
  CHECK(due(book_start + 5s) == ids{1});
  CHECK(due(book_start + 1h).empty());
}

TEST_CASE_METHOD(book_of_utc, "stopped and erased jobs are never due") {
  put(scheduled(1, book_start));
  put(scheduled(2, book_start));
  put(scheduled(1, std::nullopt));
  book.erase(job_id{2});
  CHECK_FALSE(book.next_look());
  CHECK(due(book_start + 1h).empty());
  CHECK(book.find(job_id{1}));
  CHECK_FALSE(book.find(job_id{2}));
  book.moved(job_id{2}, book_start, book_start); // from a claim in progress
  book.retry_at(job_id{2}, book_start);
  CHECK(due(book_start + 1h).empty());
  put(scheduled(1, book_start + 1s)); // started again
  CHECK(due(book_start + 1s) == ids{1});
}

TEST_CASE_METHOD(book_of_utc, "an invalid schedule stops only its own job") {
  put(scheduled(1, book_start));
  auto bad = book.put(scheduled(2, book_start, "every now and then"));
  REQUIRE(bad);
  CHECK(bad->job == job_id{2});
  CHECK_FALSE(bad->reason.empty());
  CHECK(due(book_start) == ids{1});
  CHECK(book.find(job_id{2}));
  book.retry_at(job_id{2}, book_start);
  CHECK(due(book_start + 1h).empty());
  put(scheduled(2, book_start)); // repaired
  CHECK(due(book_start) == ids{2});
}

TEST_CASE_METHOD(book_of_utc, "jobs with equal texts share one compiled rule; a changed text does not") {
  put(scheduled(1, book_start));
  put(scheduled(2, book_start));
  put(scheduled(3, book_start, "0 * * * * ?"));
  auto a = book.take_due(book_start), b = book.take_due(book_start), c = book.take_due(book_start);
  REQUIRE((a && b && c));
  CHECK(a->rule == b->rule);
  CHECK(a->rule != c->rule);
}

TEST_CASE_METHOD(book_of_utc, "clearing removes all jobs") {
  put(scheduled(1, book_start));
  book.clear();
  CHECK(book.size() == 0);
  CHECK_FALSE(book.next_look());
  CHECK(due(book_start + 1h).empty());
}

TEST_CASE_METHOD(book_of_utc, "repeated reads of a job leave no stale items behind") {
  for (int i = 0; i < 50'000; ++i)
    put(scheduled(1 + i % 10, book_start + 87'600h + i * 1s));
  CHECK(book.size() == 10);
  CHECK(book.looks() <= 2 * 10 + 1025);
  CHECK(book.next_look() == book_start + 87'600h + 49'990s);
}

TEST_CASE_METHOD(book_of_utc, "some jobs are erased, the others stay due; a job keeps the revision of its read") {
  for (int id = 1; id <= 6; ++id) {
    auto one = scheduled(id, book_start + 1s);
    one.revision = 10 + id;
    put(std::move(one));
  }
  book.erase_if([](job_id id) { return number(id) % 2 == 0; });
  CHECK(book.size() == 3);
  CHECK(book.revision_of(job_id{3}) == 13);
  CHECK_FALSE(book.revision_of(job_id{4}));
  CHECK(due(book_start + 1s) == ids{1, 3, 5});
}

TEST_CASE_METHOD(book_of_utc, "the time of an erased job does not count for the same job when it comes back stopped") {
  put(scheduled(1, book_start + 1s));
  book.erase_if([](job_id) { return true; });
  put(scheduled(1, std::nullopt));
  put(scheduled(1, std::nullopt));
  CHECK_FALSE(book.next_look());
  CHECK(due(book_start + 1h).empty());
}
