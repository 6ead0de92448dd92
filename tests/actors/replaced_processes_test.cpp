#include "actors/executors/replaced_processes.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using actors::replaced_processes;

namespace {

/// Returns a process of one machine. CAF takes a machine without an id for none.
caf::node_id process(std::uint32_t pid) { return caf::make_node_id(pid, caf::hashed_node_id::host_id_type{1}); }

} // namespace

TEST_CASE("an older process of an address stays out while a newer one is linked", "[actors][links]") {
  const std::string here = "ringmaster://pay-worker/one";
  const replaced_processes::steady now{1h};
  replaced_processes book;
  CHECK_FALSE(book.keeps_out(here, process(1), now));
  book.add(here, process(1));
  CHECK(book.keeps_out(here, process(1), now));
  CHECK_FALSE(book.keeps_out(here, process(2), now));
  CHECK_FALSE(book.keeps_out("ringmaster://pay-worker/two", process(1), now));
  SECTION("until the newer one says goodbye") {
    book.note_loss(here, true, now);
    CHECK_FALSE(book.keeps_out(here, process(1), now));
  }
  SECTION("and while it connects again") {
    book.note_loss(here, false, now);
    CHECK(book.keeps_out(here, process(1), now + 9s));
    SECTION("within the time for that") {
      book.note_link(here);
      book.sweep(now + 1h);
      CHECK(book.keeps_out(here, process(1), now + 1h));
    }
    SECTION("too late") {
      CHECK_FALSE(book.keeps_out(here, process(1), now + 10s));
      book.sweep(now + 10s);
      book.note_link(here);
      CHECK_FALSE(book.keeps_out(here, process(1), now + 10s));
    }
  }
  SECTION("the oldest ones are forgotten") {
    for (std::uint32_t pid = 2; pid < 2 + replaced_processes::processes_max; ++pid)
      book.add(here, process(pid));
    CHECK_FALSE(book.keeps_out(here, process(1), now));
    CHECK(book.keeps_out(here, process(2), now));
  }
}
