#include "protocol/error.hpp"
#include "tests/actors/calling_back.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::calling_back;

namespace {

/// Fixture with native links in addition to admins.
struct calling_back_linked : calling_back {
  calling_back_linked() {
    links = track(system().spawn([this]() -> protocol::link_dialer::behavior_type {
      return {
        [this](protocol::run_reports& over) -> caf::result<void> {
          batches.push_back(std::move(over.reports));
          if (!up)
            return protocol::to_caf({core::errc::unavailable, "no native link is up"});
          return caf::unit;
        },
        [](protocol::link_goodbye) {},
        [](const protocol::link_dialled&) {},
        [](const protocol::link_heard&) {},
        [](protocol::tick_atom) {},
      };
    }));
  }
  ~calling_back_linked() { end_all(); }
  void start_linked() {
    start();
    tell(callbacks, protocol::callback_partners{links});
    settle();
  }

  bool up = true;
  protocol::link_dialer links;
  std::vector<std::vector<core::run_report>> batches;
};

} // namespace

TEST_CASE_METHOD(calling_back_linked, "results go over a link, and to an admin if no link accepts them", "[actors][executor]") {
  start_linked();
  report(1, 3);
  settle();
  REQUIRE(batches.size() == 1);
  CHECK(batches[0].size() == 3);
  CHECK(calls().empty());
  CHECK(counts->unreported == 0);
  up = false;
  report(4, 4);
  settle();
  CHECK(batches.size() == 2);
  CHECK(times() == std::map<std::int64_t, int>{{4, 1}});
  CHECK(counts->unreported == 0);
}

TEST_CASE_METHOD(calling_back_linked, "unreported results are kept, and sent when a link is up", "[actors][executor]") {
  away();
  up = false;
  start_linked();
  report(1, 2);
  settle();
  pass(50s); // the next try is far away
  CHECK(counts->unreported == 2);
  CHECK_FALSE(files->files.empty());
  batches.clear();
  up = true;
  tell(callbacks, protocol::callback_partners{links});
  settle();
  REQUIRE(batches.size() == 1);
  CHECK(batches[0].size() == 2);
  CHECK(counts->unreported == 0);
  CHECK(files->files.empty());
}
