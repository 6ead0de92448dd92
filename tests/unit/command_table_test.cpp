#include "config/load.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;

namespace {

core::result<config::settings> configured(const std::string& text) {
  test::temp_folder folder;
  config::load_request request;
  request.file = folder.write("c.toml", text);
  request.variable = [](const std::string&) { return std::nullopt; };
  return config::load(request);
}

std::string told_of(const std::string& text) {
  const auto loaded = configured(text);
  REQUIRE_FALSE(loaded);
  const auto& context = loaded.error().context;
  return context.substr(context.rfind("c.toml") + 6);
}

} // namespace

TEST_CASE("commands: programs as handlers are read", "[config]") {
  const auto loaded = configured("[[command]]\nname = \"backup\"\nprogram = \"/usr/bin/backup\"\narguments = [\"--all\", \"\"]\n"
                           "folder = \"/srv\"\nappend_param = true\n[[command]]\nname = \"other\"\nprogram = \"true\"\n");
  REQUIRE(loaded);
  REQUIRE(loaded->commands.size() == 2);
  const auto& one = loaded->commands[0];
  CHECK(one.name == "backup");
  CHECK(one.program == "/usr/bin/backup");
  CHECK(one.arguments == std::vector<std::string>{"--all", ""});
  CHECK(one.folder == "/srv");
  CHECK(one.append_param);
  CHECK_FALSE(loaded->commands[1].append_param);
  CHECK(loaded->commands[1].arguments.empty());
}

TEST_CASE("commands: errors name their line", "[config]") {
  CHECK(told_of("command = 3\n") == ":1: command: expected a table in double brackets, [[command]]");
  CHECK(told_of("[[command]]\nprogram = \"true\"\n").find("name: ") != std::string::npos);
  CHECK(told_of("[[command]]\nname = \"a\"\nprogram = \"\"\n").find(":3: program: ") != std::string::npos);
  CHECK(told_of("[[command]]\nname = \"a\"\nprogram = \"x\"\nshell = true\n").find(":4: ") != std::string::npos);
  CHECK(told_of("[[command]]\nname = \"a\"\nprogram = \"x\"\n[[command]]\nname = \"a\"\nprogram = \"x\"\n") ==
        ":5: name: 'a' is the name of another command");
  CHECK(told_of("[[command]]\nname = \"a\"\nprogram = \"x\"\narguments = \"-l\"\n").find(":4: arguments: ") != std::string::npos);
}
