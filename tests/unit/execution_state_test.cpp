// The states of a run: the type, every pair of states, and the agreement with the document.

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/run/execution_state.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_folder.hpp"

using namespace ringmaster;
using core::execution_state;
using enum core::execution_state;

namespace {

constexpr std::array all_states = {claimed, result_before_answer, running, succeeded, failed, trigger_failed};

/// Returns the name of a state in the document.
std::string name_of(execution_state state) {
  constexpr std::array names = {"claimed", "result_before_answer", "running", "succeeded", "failed", "trigger_failed"};
  return names.at(static_cast<std::size_t>(state));
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream stream{row.substr(1)};
  for (std::string cell; std::getline(stream, cell, '|');) {
    std::erase_if(cell, [](char c) { return c == '`' || c == '*' || c == ' '; });
    cells.push_back(cell);
  }
  return cells;
}

/// Reads the table under the heading "Legal transitions": (from, to) → text of the cell.
std::map<std::pair<std::string, std::string>, std::string> documented_transitions() {
  std::ifstream file{test::source_path("docs/execution_states.md")};
  std::map<std::pair<std::string, std::string>, std::string> cells;
  std::vector<std::string> targets;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## "))
      inside = line == "## Legal transitions";
    if (!inside || !line.starts_with("|") || line.starts_with("|-"))
      continue;
    const auto row = cells_of(line);
    if (targets.empty()) {
      targets = row;
      continue;
    }
    for (std::size_t i = 1; i < row.size(); ++i)
      cells[{row[0], targets.at(i)}] = row[i];
  }
  return cells;
}

} // namespace

TEST_CASE("a row's two codes determine its state", "[unit][execution_state]") {
  CHECK(core::state_of(0, 0) == claimed);
  CHECK(core::state_of(0, 200) == result_before_answer);
  CHECK(core::state_of(0, 500) == result_before_answer);
  CHECK(core::state_of(200, 0) == running);
  CHECK(core::state_of(200, 200) == succeeded);
  CHECK(core::state_of(200, 500) == failed);
  CHECK(core::state_of(200, 502) == failed);
  CHECK(core::state_of(200, -1) == failed);
  CHECK(core::state_of(500, 0) == trigger_failed);
  CHECK(core::state_of(-1, 0) == trigger_failed);
  // The late callback of a run of unknown delivery counts.
  CHECK(core::state_of(500, 200) == succeeded);
  CHECK(core::state_of(500, 500) == failed);
}

TEST_CASE("a run is terminal with a result or a failed trigger", "[unit][execution_state]") {
  for (auto state : all_states) {
    CAPTURE(name_of(state));
    CHECK(core::is_terminal(state) == (state != claimed && state != running));
  }
}

TEST_CASE("every pair of states is decided", "[unit][execution_state]") {
  const std::vector<std::pair<execution_state, execution_state>> legal = {
    {claimed, result_before_answer}, {claimed, running}, {claimed, succeeded}, {claimed, failed}, {claimed, trigger_failed},
    {result_before_answer, succeeded}, {result_before_answer, failed}, {running, succeeded}, {running, failed},
    {trigger_failed, succeeded}, {trigger_failed, failed},
  };
  for (auto from : all_states)
    for (auto to : all_states) {
      CAPTURE(name_of(from), name_of(to));
      CHECK(core::may_follow(from, to) == (std::find(legal.begin(), legal.end(), std::pair{from, to}) != legal.end()));
    }
}

TEST_CASE("a result is never overwritten", "[unit][execution_state]") {
  // Each write of the firing protocol changes one code from 0; the new state must be legal, and the result stays.
  const std::array codes = {0, 200, 500};
  for (auto trigger : codes)
    for (auto handle : codes)
      for (auto next : {200, 500}) {
        CAPTURE(trigger, handle, next);
        const auto state = core::state_of(trigger, handle);
        if (handle == 0)
          CHECK(core::may_follow(state, core::state_of(trigger, next)));
        if (trigger == 0 && (handle == 0 || next == 200))
          CHECK(core::may_follow(state, core::state_of(next, handle)));
      }
}

TEST_CASE("the document's table of transitions equals the code", "[unit][execution_state]") {
  const auto documented = documented_transitions();
  REQUIRE(documented.size() == all_states.size() * all_states.size());
  for (auto from : all_states)
    for (auto to : all_states) {
      const std::pair key{name_of(from), name_of(to)};
      CAPTURE(key.first, key.second);
      REQUIRE(documented.contains(key));
      CHECK((documented.at(key) != "–") == core::may_follow(from, to));
    }
}

TEST_CASE("a callback's code is stored as a result", "[unit][execution_state]") {
  CHECK(core::stored_handle_code(200) == 200);
  CHECK(core::stored_handle_code(502) == 502);
  CHECK(core::stored_handle_code(0) == 500);
  CHECK(core::stored_handle_code(-7) == 500);
}
