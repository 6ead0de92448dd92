#include "config/load.hpp"

#include <filesystem>
#include <fstream>
#include <map>

#include "config/keys.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/settings_text.hpp"

using namespace ringmaster;
using namespace ringmaster::config;
using namespace std::chrono_literals;

namespace {

environment variables(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
    const auto at = values.find(name);
    return at == values.end() ? std::nullopt : std::optional{at->second};
  };
}

/// Returns a request that ignores this machine's files and variables.
load_request nothing() {
  load_request request;
  request.variable = variables({});
  request.default_file = "/nonexistent/ringmaster.toml";
  return request;
}

class file_case {
public:
  core::result<settings> load(const std::string& text, std::map<std::string, std::string> set_variables = {},
                              std::vector<std::string> options = {}) {
    auto request = nothing();
    request.file = folder_.write("c.toml", text);
    request.variable = variables(std::move(set_variables));
    request.set = std::move(options);
    return config::load(request);
  }

  /// Returns the error without the folder's name.
  std::string refusal(const std::string& text) {
    auto loaded = load(text);
    if (loaded)
      return "accepted";
    CHECK(loaded.error().code == core::errc::invalid_argument);
    return without_folder(loaded.error().context);
  }

  std::string without_folder(std::string context) const {
    const std::string prefix = folder_.path() + "/";
    for (auto at = context.find(prefix); at != std::string::npos; at = context.find(prefix))
      context.erase(at, prefix.size());
    return context;
  }

  test::temp_folder& folder() { return folder_; }

private:
  test::temp_folder folder_;
};

std::string refusal_of(const load_request& request) {
  auto loaded = load(request);
  return loaded ? "accepted" : loaded.error().context;
}

} // namespace

TEST_CASE("load: without any source, the defaults apply", "[config]") {
  auto loaded = load(nothing());
  REQUIRE(loaded);
  CHECK(test::settings_text(*loaded) == test::settings_text(settings{}));
}

TEST_CASE("load: /dev/null is a configuration without settings", "[config]") {
  auto request = nothing();
  request.file = "/dev/null";
  auto loaded = load(request);
  REQUIRE(loaded);
  CHECK(test::settings_text(*loaded) == test::settings_text(settings{}));
  request.file = "/dev/zero";
  CHECK(refusal_of(request) == "cannot read /dev/zero: it is not a regular file");
}

TEST_CASE("load: an unknown key leads to the setting that is meant", "[config]") {
  for (const auto& [wrong, meant] : {std::pair{"executor.token", "security.access_token"},
                                     std::pair{"executor.admin_addresses", "executor.admins"},
                                     std::pair{"executor.appname", "executor.app_name"}}) {
    auto request = nothing();
    request.set = {std::string{wrong} + "=x"};
    CHECK(refusal_of(request) == "--set " + std::string{wrong} + ": unknown key '" + wrong + "'; did you mean '" + meant + "'?");
  }
}

TEST_CASE("load: variables override the file, options override both", "[config]") {
  file_case files;
  const std::string text = "[server]\nlisten = \"0.0.0.0:1\"\n[database]\nurl = \"sqlite:f.db\"\n[trigger]\nslow_count = 3\n";
  auto loaded = files.load(text, {{"RINGMASTER_DATABASE_URL", "sqlite:e.db"}, {"RINGMASTER_TRIGGER_SLOW_COUNT", "4"}},
                           {"trigger.slow_count=5", "log.level=debug"});
  REQUIRE(loaded);
  CHECK(loaded->server.listen == "0.0.0.0:1");
  CHECK(loaded->database.url == "sqlite:e.db");
  CHECK(loaded->trigger.slow_count == 5);
  CHECK(loaded->log.level == "debug");
  CHECK(loaded->deploy.base_dir == files.folder().path());
}

TEST_CASE("load: the file is chosen by option, variable, default", "[config]") {
  file_case files;
  const auto a = files.folder().write("a.toml", "data_dir = \"a\"\n");
  const auto b = files.folder().write("b.toml", "data_dir = \"b\"\n");
  auto request = nothing();
  request.default_file = a;
  CHECK(load(request)->data_dir == files.folder().path() + "/a");
  request.variable = variables({{"RINGMASTER_CONFIG", b}});
  CHECK(load(request)->data_dir == files.folder().path() + "/b");
  request.file = a;
  CHECK(load(request)->data_dir == files.folder().path() + "/a");
  request.file = files.folder().path() + "/none.toml";
  CHECK(files.without_folder(refusal_of(request)) == "cannot read none.toml: No such file or directory");
  request.file = files.folder().path();
  CHECK(refusal_of(request) == "cannot read " + files.folder().path() + ": it is a directory");
}

TEST_CASE("load: every setting can be given in each of the three ways", "[config]") {
  // Values other than the defaults; each must be read back, and no other setting may change.
  settings other;
  file_case files;
  for (const setting& each : all_settings()) {
    CAPTURE(each.name);
    std::string value;
    switch (each.how) {
    case form::flag: value = std::get<bool& (*)(settings&)>(each.where)(other) ? "false" : "true"; break;
    case form::integer:
    case form::count: value = "7"; break;
    case form::size: value = "65KiB"; break;
    case form::duration: value = each.name == "schedule.misfire_after" ? "6s" : "201ms"; break;
    case form::choice: value = each.choices.back(); break;
    case form::list: value = "10.1.0.0/16, 10.2.0.0/16"; break;
    case form::url: value = "sqlite:other.db"; break;
    default: value = each.name.ends_with(".listen") ? "localhost:0" : each.name == "server.context_path" ? "/ctx" : "UTC";
    }
    if (each.name == "schedule.claim_ahead" || each.name == "cluster.beat" || each.name == "cluster.send_margin")
      value = "11ms";
    if (each.name == "executor.idle_limit" || each.name == "server.idle_timeout" || each.name == "trigger.connection_idle" ||
        each.name == "trigger.ask_limit")
      value = "71s";
    if (each.name == "registry.dead_after" || each.name == "cluster.dead_after")
      value = "25s";
    if (each.name == "security.session_lifetime" || each.name == "security.remember_lifetime" ||
        each.name == "security.session_max_age")
      value = "100h";
    if (each.name == "retention.kept_logs_bytes_max" || each.name == "trigger.log_bytes_max")
      value = "33MiB";
    const bool is_pem = each.name.starts_with("server.tls_") || each.name == "security.executor_ca" ||
                        each.name == "security.executor_certificate" || each.name == "security.executor_key" ||
                        each.name == "executor.admin_ca" || each.name == "executor.admin_certificate" ||
                        each.name == "executor.admin_key" ||
                        (each.name.starts_with("link.") && each.name != "link.listen");
    if (each.name == "mail.ca_file" || is_pem)
      value = "/UTC"; // a relative path would be resolved against the file's folder
    if (each.name == "executor.listen")
      value = "localhost"; // its port is a setting of its own
    if (each.name == "mail.timeout" || each.name == "alarm.webhook_timeout" || each.name == "elastic.takeover_window")
      value = "11s";
    if (each.name == "security.former_access_token_until")
      value = "2026-12-01";
    if (each.name == "elastic.error_targets")
      value = "chat.example.org, chat.example.org:8443";
    if (each.name == "mail.from")
      value = "other@example.org";
    // A mail server needs a sender.
    std::vector<std::string> beside;
    if (each.name == "mail.host")
      beside.push_back("mail.from=ringmaster@example.org");
    // A certificate needs its key, and vice versa.
    for (const auto* own : {"server.tls_certificate", "server.tls_key", "security.executor_certificate", "security.executor_key"})
      if (each.name != own && each.name.substr(0, each.name.find('_')) == std::string_view{own}.substr(0, each.name.find('_')))
        beside.push_back(std::string{own} + "=/key.pem");
    for (const auto* file : {"link.certificate", "link.key", "link.ca"})
      if (each.name != file && each.name.starts_with("link."))
        beside.push_back(std::string{file} + "=/link.pem");
    auto by_option = nothing();
    by_option.set = beside;
    by_option.set.push_back(std::string{each.name} + "=" + value);
    auto by_variable = nothing();
    by_variable.set = beside;
    by_variable.variable = variables({{variable_name(each.name), value}});
    const auto first = load(by_option), second = load(by_variable);
    REQUIRE(first);
    REQUIRE(second);
    CHECK(test::settings_text(*first) == test::settings_text(*second));
    CHECK(test::settings_text(*first) != test::settings_text(settings{}));
    auto third = files.load(test::settings_text(*first));
    REQUIRE(third);
    CHECK(test::settings_text(*third) == test::settings_text(*first));
  }
}

TEST_CASE("load: errors of the file name file, line, key and allowed values", "[config]") {
  file_case files;
  struct bad {
    const char* text;
    const char* error;
  };
  const bad cases[] = {
      {"\n[trigger]\nfast_windw = 1\n", "c.toml:3: unknown key 'trigger.fast_windw'; did you mean 'trigger.fast_window'?"},
      {"[triger]\nfast_window = 1\n", "c.toml:1: unknown section [triger]; did you mean 'trigger'?"},
      {"zzz = 1\n", "c.toml:1: unknown key 'zzz'"},
      {"trigger = 1\n", "c.toml:1: trigger: expected a section [trigger]"},
      {"[[trigger]]\nfast_window = 1\n", "c.toml:1: trigger: expected a section [trigger]"},
      {"\n\ntrigger.fast_window = 0\n", "c.toml:3: trigger.fast_window: 0 is out of range; allowed: 1 to 1000000"},
      {"trigger.fast_window = \"1\"\n", "c.toml:1: trigger.fast_window: expected a whole number from 1 to 1000000"},
      {"trigger.fast_window = 1.5\n", "c.toml:1: trigger.fast_window: expected a whole number from 1 to 1000000"},
      {"trigger.fast_window = 2024-01-01\n", "c.toml:1: trigger.fast_window: expected a whole number from 1 to 1000000"},
      {"trigger.fast_window = {}\n", "c.toml:1: trigger.fast_window: expected a whole number from 1 to 1000000"},
      {"drain_timeout = 10\n", "c.toml:1: drain_timeout: expected a duration such as \"200ms\", \"3s\", \"10m\" or \"1h\""},
      {"drain_timeout = \"10\"\n", "c.toml:1: drain_timeout: expected a duration such as \"200ms\", \"3s\", \"10m\" or \"1h\""},
      {"drain_timeout = \"1.5s\"\n", "c.toml:1: drain_timeout: expected a duration such as \"200ms\", \"3s\", \"10m\" or \"1h\""},
      {"drain_timeout = \"11m\"\n", "c.toml:1: drain_timeout: 11m is out of range; allowed: 0ms to 10m"},
      {"server.body_bytes_max = \"16MB\"\n",
       "c.toml:1: server.body_bytes_max: expected a size such as \"512B\", \"16KiB\", \"16MiB\" or \"1GiB\""},
      {"server.body_bytes_max = \"2GiB\"\n", "c.toml:1: server.body_bytes_max: 2GiB is out of range; allowed: 64KiB to 1GiB"},
      {"server.listen = 8080\n", "c.toml:1: server.listen: expected a text"},
      {"deploy.prune = \"yes\"\n", "c.toml:1: deploy.prune: expected true or false"},
      {"deploy.files = \"a.toml\"\n", "c.toml:1: deploy.files: expected a list of texts"},
      {"deploy.files = [1]\n", "c.toml:1: deploy.files: expected a list of texts"},
      {"[deploy]\nrevision = -1\n", "c.toml:2: deploy.revision: -1 is out of range; allowed: 0 to 9223372036854775807"},
      {"log.level = \"loud\"\n",
       "c.toml:1: log.level: \"loud\" is unknown; expected one of \"trace\", \"debug\", \"info\", \"warn\", \"error\""},
      {"[log]\nlevel = \"info\"\nlevel = \"warn\"\n", nullptr},
      {"[log]\nlevel = \n", nullptr},
      {"\xFF\n", nullptr},
  };
  for (const bad& each : cases) {
    CAPTURE(each.text);
    const auto got = files.refusal(each.text);
    if (each.error)
      CHECK(got == each.error);
    else
      CHECK(got.rfind("c.toml:", 0) == 0);
    CHECK(got.find('\n') == std::string::npos);
  }
  CHECK(files.refusal("[log]\nlevel = \n").rfind("c.toml:2: ", 0) == 0);
  CHECK(files.refusal("[log]\nlevel = \"info\"\nlevel = \"warn\"\n").rfind("c.toml:3: ", 0) == 0);
  CHECK(files.refusal("a = " + std::string(100000, '[')).rfind("c.toml:1: ", 0) == 0);
}

TEST_CASE("load: a key of very many parts is an error with a line", "[config]") {
  std::string key = "a";
  for (int i = 0; i < 50'000; ++i)
    key += ".a";
  CHECK(file_case{}.refusal("\n[" + key + "]\n") == "c.toml:2: a key has more than 8 parts");
}

TEST_CASE("load: all errors are reported at once", "[config]") {
  file_case files;
  auto loaded = files.load("zzz = 1\n[log]\nlevel = 7\n", {{"RINGMASTER_DRAIN_TIMEOUT", "soon"}},
                           {"server.port=1", "noequals", "log.format=xml"});
  REQUIRE_FALSE(loaded);
  CHECK(files.without_folder(loaded.error().context) ==
        "c.toml:1: unknown key 'zzz'\n"
        "c.toml:3: log.level: expected one of \"trace\", \"debug\", \"info\", \"warn\", \"error\"\n"
        "RINGMASTER_DRAIN_TIMEOUT: drain_timeout: expected a duration such as \"200ms\", \"3s\", \"10m\" or \"1h\"\n"
        "--set server.port: unknown key 'server.port'; did you mean 'server.listen'?\n"
        "--set noequals: expected key=value\n"
        "--set log.format: \"xml\" is unknown; expected one of \"text\", \"json\"");
}

TEST_CASE("load: errors of combined settings name their place and are reported with the others", "[config]") {
  file_case files;
  auto loaded =
    files.load("zzz = 1\nserver.listen = \"x\"\n[schedule]\nmisfire_after = \"200ms\"\n[security]\naccess_token = \"a b\"\n",
               {{"RINGMASTER_CLUSTER_NODE", "a b"}}, {"server.context_path=x", "trigger.settle=1s", "trigger.ask_limit=1s"});
  REQUIRE_FALSE(loaded);
  CHECK(files.without_folder(loaded.error().context) ==
        "c.toml:1: unknown key 'zzz'\n"
        "c.toml:2: server.listen: \"x\" is not valid; expected host:port with a port from 0 to 65535\n"
        "--set server.context_path: \"x\" is not valid; expected a path that starts with / and does not end with it\n"
        "RINGMASTER_CLUSTER_NODE: cluster.node: \"a b\" is not valid; expected at most 64 letters, digits, '-', '_' and '.'\n"
        "c.toml:6: security.access_token: expected printable ASCII without spaces: it is sent in an HTTP header\n"
        "c.toml:4: schedule.claim_ahead: 200ms is too long; it must be shorter than schedule.misfire_after (200ms)\n"
        "--set trigger.settle: trigger.settle: 1s is too long; it must be shorter than trigger.ask_limit (1s)");
}

TEST_CASE("load: a refused value causes no further errors", "[config]") {
  file_case files;
  // Either the file does not say which tokens are allowed, or it could not be parsed.
  auto loaded = files.load("security.allow_default_token = 1\n", {{"RINGMASTER_SECURITY_ACCESS_TOKEN", "default_token"}});
  REQUIRE_FALSE(loaded);
  CHECK(files.without_folder(loaded.error().context) == "c.toml:1: security.allow_default_token: expected true or false");
  loaded = files.load("[", {{"RINGMASTER_SECURITY_ACCESS_TOKEN", "default_token"}}, {"server.listen=x"});
  REQUIRE_FALSE(loaded);
  const auto context = files.without_folder(loaded.error().context);
  CHECK(context.rfind("c.toml:1: ", 0) == 0);
  CHECK(context.find("default_token") == std::string::npos);
  CHECK(context.find("\n--set server.listen: \"x\"") != std::string::npos);
}

TEST_CASE("load: texts of variables and options", "[config]") {
  auto request = nothing();
  request.set = {"deploy.files= a.toml , b/*.toml,", "deploy.prune=true", "security.access_token=a=b", "deploy.revision=12"};
  auto loaded = load(request);
  REQUIRE(loaded);
  CHECK(loaded->deploy.files == std::vector<std::string>{"a.toml", "b/*.toml"});
  CHECK(loaded->deploy.prune);
  CHECK(loaded->security.access_token == "a=b");
  CHECK(loaded->deploy.revision == 12);
  for (const char* bad :
       {"deploy.prune=1", "deploy.prune=TRUE", "deploy.revision=", "deploy.revision=1x", "deploy.revision=99999999999999999999",
        "drain_timeout=-1s", "drain_timeout=9223372036854775807h", "drain_timeout=s", "drain_timeout="}) {
    request.set = {bad};
    CAPTURE(bad);
    CHECK(refusal_of(request).rfind("--set ", 0) == 0);
  }
  // Unset in effect: an orchestrator cannot remove a variable. Unknown names belong to other programs.
  request.set.clear();
  request.variable = variables({{"RINGMASTER_DRAIN_TIMEOUT", ""}, {"RINGMASTER_SERVICE_HOST", "10.0.0.1"}});
  CHECK(load(request)->drain_timeout == settings{}.drain_timeout);
}

TEST_CASE("load: secrets from a variable or a file", "[config]") {
  file_case files;
  files.folder().write("token.txt", "from-file\r\n");
  auto from_file = files.load("[security]\naccess_token = { file = \"token.txt\" }\n");
  REQUIRE(from_file);
  CHECK(from_file->security.access_token == "from-file");
  auto from_variable = files.load("[database]\nurl = { env = \"DB\" }\n", {{"DB", "mysql://u:p@h/x"}});
  REQUIRE(from_variable);
  CHECK(from_variable->database.url == "mysql://u:p@h/x");

  CHECK(files.refusal("[security]\naccess_token = { env = \"NONE\" }\n") ==
        "c.toml:2: security.access_token: the variable NONE is not set");
  CHECK(files.refusal("[security]\n\naccess_token = { file = \"none.txt\" }\n") ==
        "c.toml:3: security.access_token: cannot read none.txt: No such file or directory");
  for (const char* table : {"{}", "{ env = 1 }", "{ env = \"A\", file = \"B\" }", "{ en = \"A\" }", "[\"x\"]", "7"})
    CHECK(files.refusal(std::string{"security.access_token = "} + table + "\n") ==
          "c.toml:1: security.access_token: expected a text, { env = \"NAME\" } or { file = \"PATH\" }");
  CHECK(files.refusal("server.listen = { env = \"A\" }\n") == "c.toml:1: server.listen: expected a text");
}

TEST_CASE("load: errors contain no secret", "[config]") {
  file_case files;
  CHECK(files.refusal("security.access_token = \"hush hush\"\n").find("hush") == std::string::npos);
  CHECK(files.refusal("database.url = \"mysql://u:hush@/x\"\n").find("hush") == std::string::npos);
  CHECK(files.refusal("database.url = \"postgres://u:hu:s@h@h/x\"\n") ==
        "c.toml:1: database.url: \"postgres://…\" is not valid; expected sqlite:PATH or mysql://user:password@host:port/name");
  for (const char* url : {"mysql:u:hush@h/x", "u:hush@h/x", "mysql://u:hush", "mysql//u:hush@h/x", "mysql://u:hush@", "hush"}) {
    CAPTURE(url);
    const auto text = files.refusal("database.url = \"" + std::string{url} + "\"\n");
    CHECK(text.rfind("c.toml:1: database.url: ", 0) == 0);
    CHECK(text.find("hush") == std::string::npos);
  }
}

TEST_CASE("load: any text survives printing and reading back", "[config]") {
  file_case files;
  settings odd;
  odd.data_dir = "/a\"b\\c\n\t\x01\x7F 中文";
  odd.deploy.files = {"", "x\"y"};
  auto loaded = files.load(test::settings_text(odd));
  REQUIRE(loaded);
  CHECK(loaded->data_dir == odd.data_dir);
  CHECK(loaded->deploy.files == odd.deploy.files);
}

TEST_CASE("load: names of variables", "[config]") {
  CHECK(variable_name("database.url") == "RINGMASTER_DATABASE_URL");
  CHECK(variable_name("data_dir") == "RINGMASTER_DATA_DIR");
  CHECK(process_environment()("RINGMASTER_NO_SUCH_VARIABLE") == std::nullopt);
}
