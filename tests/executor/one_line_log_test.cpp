#include "executor/host/one_line_log.hpp"

#include <sstream>

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "tests/support/catch.hpp"

using namespace ringmaster;

TEST_CASE("names with line ends stay on one line of the executor's log", "[executor]") {
  std::ostringstream text;
  const auto own = std::make_shared<spdlog::logger>("mine", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  own->set_pattern("%n %l %v");
  const auto log = executor::one_line_log(own);
  log->warn("elastic job {}: failed", "a\n[executor] [info] forged");
  log->debug("too fine");
  own->set_level(spdlog::level::debug);
  log->debug("fine");
  CHECK(text.str() == "mine warning elastic job a\\n[executor] [info] forged: failed\nmine debug fine\n");
}
