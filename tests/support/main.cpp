// Runner of every Catch2 executable: Catch's own runner, and a last line that scripts/test.sh adds up.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/set_up.hpp"

namespace {

struct totals {
  int passed = 0;
  int failed = 0;
  std::vector<std::string> skipped;
  std::string current;
  std::string current_skip;
};

totals& count() {
  static totals instance;
  return instance;
}

#if __has_include(<catch2/catch_all.hpp>)
using listener_base = Catch::EventListenerBase;
#else
using listener_base = Catch::TestEventListenerBase;
#endif

class counting_listener : public listener_base {
public:
  using listener_base::listener_base;
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    count().current = info.name;
    count().current_skip.clear();
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (!stats.totals.assertions.allOk())
      ++count().failed;
    else if (!count().current_skip.empty())
      count().skipped.push_back(count().current + ": " + count().current_skip);
    else
      ++count().passed;
  }
};

} // namespace

CATCH_REGISTER_LISTENER(counting_listener)

namespace ringmaster::test {

void skip(const std::string& reason) { count().current_skip = reason; }

} // namespace ringmaster::test

int main(int argc, char** argv) {
  ringmaster::test::set_up();
  int status = Catch::Session().run(argc, argv);
  ringmaster::test::tear_down();
  for (const auto& reason : count().skipped)
    std::printf("skipped: %s\n", reason.c_str());
  std::printf("cases: passed=%d failed=%d skipped=%zu\n", count().passed, count().failed, count().skipped.size());
  return status;
}
