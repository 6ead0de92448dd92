#include "executor/elastic/keeper_book.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using executor::elastic::boot_time;
using executor::elastic::keeper_book;
using executor::elastic::link_number;

namespace {

struct kept {
  void add(link_number link, std::int64_t keeper_no) { book.add_link(link, {}, keeper_no, now, now); }
  /// Sends the heartbeat that is due, and returns its number; 0: none is due.
  std::uint64_t beat(link_number link) {
    const auto sent = book.next_beat(link, now);
    asks = sent && sent->asks_keeper;
    return sent ? sent->number : 0;
  }
  bool ack(link_number link, std::uint64_t number, std::int64_t keeper_no, bool leave = false) {
    return book.take_ack(link, {number, keeper_no, leave}, now);
  }
  void pass(boot_time duration) {
    for (const auto end = now + duration; now < end;) {
      now += 50ms;
      book.pass_time(now);
    }
  }

  keeper_book book;
  boot_time now = 1000s;
  bool asks = false;
};

} // namespace

TEST_CASE_METHOD(kept, "the lease counts from the sending of the heartbeat that the keeper acknowledged", "[actors][elastic]") {
  add(1, 4);
  CHECK(book.keeper() == 1);
  CHECK(book.keeper_no() == 4);
  CHECK_FALSE(book.lease_from());
  const auto sent_at = now;
  CHECK(beat(1) == 1);
  CHECK(beat(1) == 0);
  pass(100ms);
  CHECK(ack(1, 1, 4));
  CHECK(book.lease_from() == sent_at);
  CHECK(ack(1, 1, 4));
  CHECK(book.lease_from() == sent_at);
  CHECK_FALSE(ack(1, 7, 4));
  pass(50ms);
  CHECK(beat(1) == 2);
  CHECK(ack(1, 2, 4));
  CHECK(book.lease_from() == sent_at + 150ms);
}

TEST_CASE_METHOD(kept, "acknowledgements of other nodes and of lower numbers do not extend the lease", "[actors][elastic]") {
  add(1, 4);
  add(2, 0);
  (void)beat(1);
  (void)beat(2);
  CHECK_FALSE(ack(2, 1, 0));
  CHECK_FALSE(ack(2, 1, 4));
  CHECK_FALSE(ack(1, 1, 3));
  CHECK_FALSE(book.lease_from());
}

TEST_CASE_METHOD(kept, "a heartbeat that was skipped by acknowledgements no longer extends the lease", "[actors][elastic]") {
  add(1, 4);
  (void)beat(1);
  pass(150ms);
  (void)beat(1);
  CHECK(ack(1, 2, 4));
  const auto from = book.lease_from();
  CHECK_FALSE(ack(1, 1, 4));
  CHECK(book.lease_from() == from);
}

TEST_CASE_METHOD(kept, "another node is asked after 300 ms without an acknowledgement, and then only a higher number counts",
                 "[actors][elastic]") {
  add(1, 4);
  add(2, 0);
  book.pass_time(now);
  CHECK(beat(1) == 1);
  CHECK(beat(2) == 1);
  CHECK_FALSE(asks);
  pass(250ms);
  CHECK(book.asked() == 0);
  pass(50ms);
  CHECK(book.asked() == 2);
  CHECK(book.keeper() == 0);
  CHECK(beat(2) == 2);
  CHECK(asks);
  CHECK_FALSE(ack(1, 1, 4));
  CHECK_FALSE(ack(2, 1, 0));
  CHECK_FALSE(ack(2, 2, 4));
  CHECK_FALSE(book.lease_from());
  pass(50ms);
  CHECK(beat(2) == 3);
  CHECK(asks);
  CHECK(ack(2, 3, 5));
  CHECK(book.keeper() == 2);
  CHECK(book.keeper_no() == 5);
  CHECK(book.lease_from() == now);
  pass(150ms);
  CHECK(beat(1) == 2);
  CHECK_FALSE(ack(1, 2, 4));
}

TEST_CASE_METHOD(kept, "the question moves to the next node, and in the end back to the former keeper", "[actors][elastic]") {
  add(1, 4);
  add(2, 0);
  add(3, 0);
  book.pass_time(now);
  pass(300ms);
  CHECK(book.asked() == 2);
  pass(300ms);
  CHECK(book.asked() == 3);
  (void)beat(2);
  CHECK_FALSE(asks);
  pass(300ms);
  CHECK(book.asked() == 1);
}

TEST_CASE_METHOD(kept, "the end of the keeper's link asks another node at once", "[actors][elastic]") {
  add(1, 4);
  add(2, 0);
  (void)beat(2);
  book.end_link(1, now);
  CHECK(book.asked() == 2);
  CHECK(beat(2) == 2);
  CHECK(asks);
}

TEST_CASE_METHOD(kept, "the only node stays the keeper over a new link", "[actors][elastic]") {
  add(1, 4);
  book.pass_time(now);
  pass(1s);
  CHECK(book.asked() == 0);
  book.end_link(1, now);
  CHECK(book.keeper() == 0);
  CHECK(book.asked() == 0);
  pass(1s);
  add(2, 4);
  CHECK(book.keeper() == 2);
  CHECK(beat(2) == 1);
  CHECK(ack(2, 1, 4));
}

TEST_CASE_METHOD(kept, "the only node is asked after it has said that it does not keep the lease", "[actors][elastic]") {
  add(1, 4);
  book.pass_time(now);
  CHECK(beat(1) == 1);
  CHECK_FALSE(ack(1, 1, 0));
  CHECK(book.keeper() == 0);
  pass(300ms);
  CHECK(book.asked() == 1);
  CHECK(beat(1) == 2);
  CHECK(asks);
  CHECK(ack(1, 2, 5));
}

TEST_CASE_METHOD(kept, "a keeper that gives up the lease is not the first to be asked", "[actors][elastic]") {
  add(1, 4);
  add(2, 0);
  book.pass_time(now);
  CHECK(beat(1) == 1);
  CHECK_FALSE(ack(1, 1, 0));
  CHECK(book.asked() == 2);
  CHECK(beat(2) == 1);
  CHECK(asks);
  CHECK(ack(2, 1, 5));
  CHECK(book.keeper() == 2);
}

TEST_CASE_METHOD(kept, "a keeper that is about to stop is replaced by a node that stays", "[actors][elastic]") {
  add(1, 4);
  CHECK(beat(1) == 1);
  CHECK(ack(1, 1, 4, true));
  CHECK(book.keeper() == 1);
  add(2, 0);
  pass(150ms);
  CHECK(beat(1) == 2);
  CHECK(ack(1, 2, 4, true));
  CHECK(book.asked() == 2);
}

TEST_CASE_METHOD(kept, "a pause of this process is not held against the keeper", "[actors][elastic]") {
  add(1, 4);
  add(2, 0);
  book.pass_time(now);
  now += 2s;
  book.pass_time(now);
  CHECK(book.asked() == 0);
  pass(250ms);
  CHECK(book.asked() == 0);
  pass(50ms);
  CHECK(book.asked() == 2);
}

TEST_CASE_METHOD(kept, "heartbeats of an earlier process do not extend the lease of a new one", "[actors][elastic]") {
  add(1, 4);
  CHECK(beat(1) == 1);
  book.begin_process();
  CHECK(beat(1) == 0);
  add(1, 5);
  CHECK_FALSE(ack(1, 1, 5));
  CHECK(beat(1) == 2);
  CHECK(ack(1, 2, 5));
}

TEST_CASE_METHOD(kept, "late heartbeats are not made up for", "[actors][elastic]") {
  add(1, 4);
  CHECK(beat(1) == 1);
  now += 10s;
  CHECK(beat(1) == 2);
  CHECK(beat(1) == 0);
  now += 150ms;
  CHECK(beat(1) == 3);
}
