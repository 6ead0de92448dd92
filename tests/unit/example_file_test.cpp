#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "config/keys.hpp"
#include "config/load.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/unit/settings_text.hpp"

using namespace ringmaster;
using namespace ringmaster::config;

namespace {

const std::string path = test::source_path("config/ringmaster.example.toml");

/// Returns `section.key` of every line with a setting.
std::set<std::string> keys_in_file() {
  std::ifstream in{path};
  std::set<std::string> out;
  std::string section;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('['))
      section = line.substr(1, line.find(']') - 1) + ".";
    else if (const auto equals = line.find(" = "); equals != std::string::npos && !line.starts_with('#'))
      out.insert(section + line.substr(0, equals));
  }
  return out;
}

} // namespace

TEST_CASE("example file: loads and equals the defaults", "[config]") {
  load_request request;
  request.file = path;
  request.variable = [](const std::string&) { return std::nullopt; };
  auto loaded = load(request);
  REQUIRE(loaded);
  CHECK(test::settings_text(*loaded) == test::settings_text(settings{}));
}

TEST_CASE("example file: shows every setting", "[config]") {
  const auto shown = keys_in_file();
  for (const setting& each : all_settings()) {
    CAPTURE(each.name);
    CHECK(shown.count(std::string{each.name}) == 1);
  }
  CHECK(shown.size() == all_settings().size());
}

TEST_CASE("settings: each is described, named once and within its own range", "[config]") {
  std::set<std::string_view> names;
  settings defaults;
  for (const setting& each : all_settings()) {
    CAPTURE(each.name);
    CHECK(names.insert(each.name).second);
    CHECK_FALSE(each.doc.empty());
    CHECK(find_setting(each.name) == &each);
    CHECK(each.min <= each.max);
    if (const auto* duration = std::get_if<milliseconds& (*)(settings&)>(&each.where)) {
      CHECK((*duration)(defaults).count() >= each.min);
      CHECK((*duration)(defaults).count() <= each.max);
    }
    if (const auto* count = std::get_if<std::size_t& (*)(settings&)>(&each.where)) {
      CHECK(static_cast<std::int64_t>((*count)(defaults)) >= each.min);
      CHECK(static_cast<std::int64_t>((*count)(defaults)) <= each.max);
    }
  }
}
