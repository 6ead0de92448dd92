#include <string>

#include "gateway/auth/refused_executors.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster {

namespace {

using namespace std::chrono_literals;
using gateway::refused_executors;

constexpr core::time_point noon{core::time_point::duration{1'772'452'800'000}};

gateway::refused_executor named(const std::string& app) {
  return {gateway::refused_for::unknown_app, app, "http://10.0.0.3:9999/", "10.0.0.3", {}, {}, 0};
}

} // namespace

TEST_CASE("a refused executor is logged once in ten minutes", "[gateway]") {
  refused_executors known;
  CHECK(known.note(named("pay"), noon));
  CHECK_FALSE(known.note(named("pay"), noon + 9min));
  CHECK(known.note(named("pay"), noon + 10min));
  const auto lately = known.lately(noon + 11min);
  REQUIRE(lately.size() == 1);
  CHECK(lately[0].times == 3);
  CHECK(lately[0].first == noon);
  CHECK(known.lately(noon + 21min).empty());
}

TEST_CASE("invented names fill neither the log nor the memory", "[gateway]") {
  refused_executors known;
  std::size_t lines = 0;
  for (int i = 0; i < 10'000; ++i)
    lines += known.note(named("app-" + std::to_string(i)), noon) ? 1U : 0U;
  CHECK(lines == refused_executors::lines_max);
  CHECK(known.lately(noon).size() == refused_executors::kept_max);
  CHECK_FALSE(known.note(named("pay"), noon + 5min));
  CHECK(known.note(named("pay"), noon + 10min));
}

TEST_CASE("a refused name is kept as valid text of limited length", "[gateway]") {
  refused_executors known;
  CHECK(known.note(named(std::string(5000, 'x') + "\xff"), noon));
  CHECK(known.lately(noon).at(0).app_name == std::string(refused_executors::text_bytes_max, 'x'));
}

} // namespace ringmaster
