#include "config/declared/declared_file.hpp"

#include <filesystem>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

using namespace ringmaster;
using namespace ringmaster::config;

namespace {

const std::string minimal = "[[job]]\ngroup = \"pay-worker\"\nkey = \"settle\"\nhandler = \"settle\"\n";

core::declared_set accepted(std::string_view text) {
  auto parsed = parse_declared(text, "jobs.toml", "test");
  if (!parsed)
    FAIL(parsed.error().context);
  return *parsed;
}

std::string declared_refusal(std::string_view text) {
  auto parsed = parse_declared(text, "jobs.toml", "test");
  if (parsed)
    return "accepted";
  CHECK(parsed.error().code == core::errc::invalid_argument);
  return parsed.error().context;
}

} // namespace

TEST_CASE("declared file: a job with all options", "[config]") {
  const auto set = accepted(R"(
[[group]]
app_name = "pay-worker"
title = "支付"
addresses = ["http://10.0.0.1:9999/", "http://10.0.0.2/job"]

[[group]]
app_name = "mail"

[[job]]
group = "pay-worker"
key = "settle.day-1_a"
name = "Settle the day"
author = "ann"
alarm_email = "ann@example.org,bob@example.org"
schedule = { cron = "0 0 1 * * ?" }
handler = "settle"
params = "day=1\nx"
route = "consistent-hash"
block = "COVER_EARLY"
misfire = "Fire_Once_Now"
timeout = "2m"
retry = 3
children = ["report", "mail/send"]
enabled = false
glue_type = "bean"
on_unknown = "SKIP"
keep_logs = true
)");
  REQUIRE(set.groups.size() == 2);
  CHECK(set.source == "test");
  CHECK(set.groups[0].title == "支付");
  CHECK(set.groups[0].addresses == std::vector<std::string>{"http://10.0.0.1:9999/", "http://10.0.0.2/job"});
  CHECK(set.groups[1].title == "mail");
  CHECK_FALSE(set.groups[1].addresses.has_value());
  REQUIRE(set.jobs.size() == 1);
  const auto& job = set.jobs[0];
  CHECK(job.group == "pay-worker");
  CHECK(job.key == "settle.day-1_a");
  CHECK(job.name == "Settle the day");
  CHECK(job.author == "ann");
  CHECK(job.alarm_email == "ann@example.org,bob@example.org");
  CHECK(job.schedule == core::schedule_type::cron);
  CHECK(job.schedule_conf == "0 0 1 * * ?");
  CHECK(job.handler == "settle");
  CHECK(job.params == "day=1\nx");
  CHECK(job.route == core::route_strategy::consistent_hash);
  CHECK(job.block == core::block_strategy::cover_early);
  CHECK(job.misfire == core::misfire_policy::fire_once_now);
  CHECK(job.timeout_s == 120);
  CHECK(job.retry_count == 3);
  CHECK(job.children == std::vector<std::pair<std::string, std::string>>{{"", "report"}, {"mail", "send"}});
  CHECK_FALSE(job.enabled);
  CHECK(job.glue_type == "BEAN");
  CHECK(job.on_unknown == core::unknown_policy::skip);
  CHECK(job.keep_logs);
  CHECK(job.where == "jobs.toml:10");
}

TEST_CASE("declared file: defaults of a minimal job", "[config]") {
  const auto job = accepted(minimal).jobs.at(0);
  CHECK(job.name == "settle");
  CHECK(job.schedule == core::schedule_type::none);
  CHECK(job.schedule_conf.empty());
  CHECK(job.route == core::route_strategy::first);
  CHECK(job.block == core::block_strategy::serial_execution);
  CHECK(job.misfire == core::misfire_policy::do_nothing);
  CHECK(job.on_unknown == core::unknown_policy::ask);
  CHECK_FALSE(job.keep_logs);
  CHECK(job.timeout_s == 0);
  CHECK(job.retry_count == 0);
  CHECK(job.enabled);
  CHECK(job.children.empty());
  CHECK(job.where == "jobs.toml:1");
}

TEST_CASE("declared file: schedules", "[config]") {
  struct row {
    const char* text;
    core::schedule_type type;
    const char* conf;
  };
  for (const row& each : {row{"\"none\"", core::schedule_type::none, ""}, row{"\"NONE\"", core::schedule_type::none, ""},
                          row{"{ rate = \"5s\" }", core::schedule_type::fixed_rate, "5"},
                          row{"{ rate = \"2h\" }", core::schedule_type::fixed_rate, "7200"},
                          row{"{ rate = \"3000ms\" }", core::schedule_type::fixed_rate, "3"},
                          row{"{ rate = 30 }", core::schedule_type::fixed_rate, "30"},
                          row{"{ cron = \"*/5 * * * * ?\" }", core::schedule_type::cron, "*/5 * * * * ?"}}) {
    CAPTURE(each.text);
    const auto job = accepted(minimal + "schedule = " + each.text + "\n").jobs.at(0);
    CHECK(job.schedule == each.type);
    CHECK(job.schedule_conf == each.conf);
  }
  // A sub-table is equivalent.
  CHECK(accepted(minimal + "[job.schedule]\nrate = \"1s\"\n").jobs.at(0).schedule_conf == "1");
}

TEST_CASE("declared file: errors of a job name their line", "[config]") {
  struct bad {
    const char* line;
    const char* error;
  };
  const bad cases[] = {
      {"rout = \"first\"", "unknown key 'rout'; did you mean 'route'?"},
      {"deadline_ms = 5", "deadline_ms: not supported by this release"},
      {"glue_source = \"x\"", "glue_source: not supported by this release"},
      {"glue_type = \"GLUE_SHELL\"", "glue_type: GLUE_SHELL: not supported by this release; only BEAN jobs can be declared"},
      {"glue_type = \"ruby\"", "glue_type: \"RUBY\" is unknown; expected BEAN"},
      {"route = \"roundd\"",
       "route: \"roundd\" is unknown; expected one of FIRST, LAST, ROUND, RANDOM, CONSISTENT_HASH, LEAST_FREQUENTLY_USED, "
       "LEAST_RECENTLY_USED, FAILOVER, BUSYOVER, SHARDING_BROADCAST; did you mean 'ROUND'?"},
      {"block = 7", "block: expected a text"},
      {"misfire = \"\"", "misfire: \"\" is unknown; expected one of DO_NOTHING, FIRE_ONCE_NOW"},
      {"on_unknown = \"never\"", "on_unknown: \"never\" is unknown; expected one of ask, skip, resend"},
      {"timeout = \"1500ms\"", "timeout: expected whole seconds, such as 5, \"5s\" or \"10m\""},
      {"timeout = -1", "timeout: expected whole seconds, such as 5, \"5s\" or \"10m\""},
      {"timeout = 2147483648", "timeout: expected whole seconds, such as 5, \"5s\" or \"10m\""},
      {"timeout = 9223372036854775807", "timeout: expected whole seconds, such as 5, \"5s\" or \"10m\""},
      {"retry = -1", "retry: expected a whole number from 0 to 1000"},
      {"retry = \"3\"", "retry: expected a whole number from 0 to 1000"},
      {"enabled = 1", "enabled: expected true or false"},
      {"children = \"x\"", "children: expected a list of texts"},
      {"children = [1]", "children: expected a list of texts"},
      {"children = [\"settle\"]", "children: a job cannot be its own child"},
      {"children = [\"pay-worker/settle\"]", "children: a job cannot be its own child"},
      {"children = [\"a\", \"a\"]", "children: duplicate child \"a\""},
      {"children = [\"mail/\"]", "children: invalid job \"mail/\"; expected \"key\" or \"group/key\""},
      {"children = [\"/a\"]", "children: invalid job \"/a\"; expected \"key\" or \"group/key\""},
      {"schedule = 5", "schedule: expected { cron = \"…\" }, { rate = \"5s\" } or \"none\""},
      {"schedule = \"cron\"", "schedule: expected { cron = \"…\" }, { rate = \"5s\" } or \"none\""},
      {"schedule = {}", "schedule: expected { cron = \"…\" }, { rate = \"5s\" } or \"none\""},
      {"schedule = { delay = \"5s\" }", "delay: not supported by this release"},
      {"schedule = { at = \"2030-01-01\" }", "at: not supported by this release"},
      {"schedule = { crom = \"x\" }", "unknown key 'crom'; did you mean 'cron'?"},
      {"schedule = { cron = \"0 0 1 * * ?\", rate = \"5s\" }", "schedule: cron and rate exclude each other"},
      {"schedule = { rate = \"0s\" }", "rate: must be at least one second"},
      {"schedule = { rate = \"1500ms\" }", "rate: expected whole seconds, such as 5, \"5s\" or \"10m\""},
      {"schedule = { cron = \"\" }", "cron: must not be blank"},
      {"schedule = { cron = 5 }", "cron: expected a text"},
      {"schedule = { cron = \"0 0 1 * *\" }", "cron: invalid cron expression \"0 0 1 * *\": Unexpected end of expression."},
      {"params = \"a\\u0000b\"", "params: must not contain NUL"},
      {"params = 7", "params: expected a text"},
  };
  for (const bad& each : cases) {
    CAPTURE(each.line);
    CHECK(declared_refusal(minimal + each.line + "\n") == std::string{"jobs.toml:5: "} + each.error);
  }
}

TEST_CASE("declared file: texts must fit their columns", "[config]") {
  auto with = [](const std::string& key, std::size_t length, const std::string& letter = "x") {
    std::string value;
    for (std::size_t i = 0; i < length; ++i)
      value += letter;
    return declared_refusal(minimal + key + " = \"" + value + "\"\n");
  };
  CHECK(with("name", 255, "中") == "accepted");
  CHECK(with("name", 256, "中") == "jobs.toml:5: name: 256 characters; allowed: 0 to 255");
  CHECK(with("author", 65) == "jobs.toml:5: author: 65 characters; allowed: 0 to 64");
  CHECK(with("alarm_email", 256) == "jobs.toml:5: alarm_email: 256 characters; allowed: 0 to 255");
  CHECK(with("params", 65535) == "accepted");
  CHECK(with("params", 65536) == "jobs.toml:5: params: 65536 characters; allowed: 0 to 65535");
  CHECK(with("params", 30000, "中") == "jobs.toml:5: params: more than 65535 bytes");
  CHECK(declared_refusal("[[job]]\ngroup=\"pay-worker\"\nkey=\"k\"\nhandler=\"" + std::string(256, 'h') + "\"\n") ==
        "jobs.toml:4: handler: 256 characters; allowed: 1 to 255");
  CHECK(declared_refusal("[[job]]\ngroup=\"pay-worker\"\nhandler=\"h\"\nkey=\"" + std::string(129, 'k') + "\"\n") ==
        "jobs.toml:4: key: 129 characters; allowed: 1 to 128");
}

TEST_CASE("declared file: required keys", "[config]") {
  CHECK(declared_refusal("\n[[job]]\nhandler = \" \"\nkey = \"a/b\"\n") ==
        "jobs.toml:2: group: missing; it is required\n"
        "jobs.toml:3: handler: must not be blank\n"
        "jobs.toml:4: key: \"a/b\" is not valid; expected letters, digits, '-', '_' and '.'");
  CHECK(declared_refusal("[[group]]\n") == "jobs.toml:1: app_name: missing; it is required");
}

TEST_CASE("declared file: a job with cover_early cannot resend an unknown run", "[config]") {
  const std::string covering = minimal + "block = \"COVER-EARLY\"\n";
  CHECK(declared_refusal(covering + "on_unknown = \"resend\"\n") ==
        "jobs.toml:6: on_unknown: resend cannot be used with block = \"cover_early\", where the second copy would kill the "
        "first; write on_unknown = \"ask\" or \"skip\", or another block");
  CHECK(accepted(covering + "on_unknown = \"skip\"\n").jobs.size() == 1);
  CHECK(accepted(minimal + "on_unknown = \"resend\"\n").jobs.size() == 1);
}

TEST_CASE("declared file: groups", "[config]") {
  const std::string group = "[[group]]\napp_name = \"mail\"\n";
  CHECK(declared_refusal("[[group]]\napp_name = \"abc\"\n") == "jobs.toml:2: app_name: 3 characters; allowed: 4 to 64");
  CHECK(declared_refusal("[[group]]\napp_name = \"a<b>\"\n") == "jobs.toml:2: app_name: must not contain < or >");
  CHECK(declared_refusal(group + "title = \"" + std::string(65, 't') + "\"\n") ==
        "jobs.toml:3: title: 65 characters; allowed: 0 to 64");
  CHECK(declared_refusal(group + "adresses = []\n") == "jobs.toml:3: unknown key 'adresses'; did you mean 'addresses'?");
  CHECK(declared_refusal(group + "addresses = []\n").rfind("jobs.toml:3: addresses: the list is empty", 0) == 0);
  for (const char* bad : {"", " ", "10.0.0.1:9999", "ftp://x/", "http://a,http://b", "http://<b>", "http://a b"})
    CHECK(declared_refusal(group + "addresses = [\"" + bad + "\"]\n")
            .rfind("jobs.toml:3: addresses: invalid address \"" + std::string{bad} + "\"", 0) == 0);
}

TEST_CASE("declared file: a wrong group is one error, regardless of its number of jobs", "[config]") {
  std::string text = "[[group]]\napp_name = \"abc\"\n";
  for (int i = 0; i < 50; ++i)
    text += "[[job]]\ngroup = \"abc\"\nkey = \"k" + std::to_string(i) + "\"\nhandler = \"h\"\n";
  CHECK(declared_refusal(text) == "jobs.toml:2: app_name: 3 characters; allowed: 4 to 64");
}

TEST_CASE("declared file: the shape of the document", "[config]") {
  CHECK(accepted("").jobs.empty());
  CHECK(declared_refusal("[group]\napp_name = \"mail\"\n") ==
        "jobs.toml:1: group: expected a table in double brackets, [[group]]");
  CHECK(declared_refusal("\njob = 7\n") == "jobs.toml:2: job: expected a table in double brackets, [[job]]");
  CHECK(declared_refusal("[[jobs]]\n") == "jobs.toml:1: unknown key 'jobs'; did you mean 'job'?");
  CHECK(declared_refusal(minimal + "\n" + minimal) ==
        "jobs.toml:6: job 'pay-worker/settle' is declared twice, first at jobs.toml:1");
  const std::string group = "[[group]]\napp_name = \"mail\"\n";
  CHECK(declared_refusal(group + group) == "jobs.toml:3: group 'mail' is declared twice, first at jobs.toml:1");
}

TEST_CASE("declared file: a file truncated at any byte is an error with a line", "[config]") {
  const std::string text = minimal + "schedule = { cron = \"0 0 1 * * ?\" }\n";
  std::size_t refused = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    auto parsed = parse_declared(std::string_view{text}.substr(0, n), "jobs.toml", "test");
    if (parsed)
      continue;
    ++refused;
    CAPTURE(n, parsed.error().context);
    CHECK(parsed.error().context.rfind("jobs.toml:", 0) == 0);
  }
  // Accepted: the empty document and the whole lines after the last required key.
  CHECK(refused >= text.size() - 6);
}

TEST_CASE("declared file: no mutation of a file breaks the parser", "[config]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  const std::string valid =
      "[[group]]\napp_name = \"mail\"\naddresses = [\"http://a/\"]\n" + minimal +
      "schedule = { cron = \"0 0 1 * * ?\" }\nchildren = [\"a\", \"mail/b\"]\ntimeout = \"5s\"\nretry = 2\n";
  for (int i = 0; i < 2000; ++i) {
    std::string text = valid;
    for (auto n = 1 + random() % 3; n > 0; --n)
      text[random() % text.size()] = random() % 2 == 0 ? static_cast<char>(random()) : valid[random() % valid.size()];
    if (auto parsed = parse_declared(text, "jobs.toml", "test"); !parsed)
      CHECK(parsed.error().context.rfind("jobs.toml:", 0) == 0);
  }
}

TEST_CASE("declared file: globs yield each file once, in order, from the folder of the configuration", "[config]") {
  test::temp_folder folder;
  auto job = [](const std::string& key) { return "[[job]]\ngroup = \"mail\"\nkey = \"" + key + "\"\nhandler = \"h\"\n"; };
  folder.write("jobs.d/b.toml", job("b"));
  folder.write("jobs.d/a.toml", "\n" + job("a"));
  folder.write("jobs.d/B.toml", job("upper"));
  folder.write("jobs.d/note.txt", "no toml");
  std::filesystem::create_directories(folder.path() + "/jobs.d/folder.toml");
  folder.write("more.toml", job("more"));

  auto loaded = load_declared({.patterns = {"more.toml", "jobs.d/*.toml", "./jobs.d/a.toml"},
                               .base_dir = folder.path(),
                               .revision = 7,
                               .source = "ops",
                               .asked_by = ""});
  if (!loaded)
    FAIL(loaded.error().context);
  std::vector<std::string> keys;
  for (const auto& each : loaded->jobs)
    keys.push_back(each.key);
  CHECK(keys == std::vector<std::string>{"more", "upper", "a", "b"});
  CHECK(loaded->jobs[2].where == folder.path() + "/jobs.d/a.toml:2");
  CHECK(loaded->revision == 7);
  CHECK(loaded->source == "ops");
}

TEST_CASE("declared file: files are found without being parsed", "[config]") {
  test::temp_folder folder;
  folder.write("jobs.d/b.toml", "[[job]]\nfrom = \"a later release\"\n");
  folder.write("jobs.d/a.toml", "");
  const auto found = [&](std::vector<std::string> patterns) {
    return find_declared(
      {.patterns = std::move(patterns), .base_dir = folder.path(), .revision = 0, .source = "s", .asked_by = "PATH"});
  };
  const auto all = found({"jobs.d/*.toml", "jobs.d/b.toml"});
  REQUIRE(all);
  REQUIRE(all->size() == 2);
  CHECK(all->at(0).name == folder.path() + "/jobs.d/a.toml");
  CHECK(all->at(1).text == "[[job]]\nfrom = \"a later release\"\n");
  const auto none = found({"*.none", "jobs.d/c.toml", "jobs.d/a.toml"});
  REQUIRE_FALSE(none);
  CHECK(none.error().context == "PATH: no file matches " + folder.path() + "/*.none\nPATH: cannot read " + folder.path() +
                                  "/jobs.d/c.toml: No such file or directory");
}

TEST_CASE("declared file: each pattern must match a file", "[config]") {
  test::temp_folder folder;
  folder.write("odd[1]/more.toml", "");
  auto refusal = [](const std::string& pattern, const std::string& base, const std::string& asked_by = "") {
    auto loaded = load_declared({.patterns = {pattern}, .base_dir = base, .revision = 0, .source = "s", .asked_by = asked_by});
    return loaded ? "accepted" : loaded.error().context;
  };
  CHECK(refusal("*.toml", folder.path() + "/odd[1]") == "accepted");
  CHECK(refusal("none.toml", folder.path()) == "cannot read " + folder.path() + "/none.toml: No such file or directory");
  CHECK(refusal("none.toml", folder.path(), "PATH") ==
        "PATH: cannot read " + folder.path() + "/none.toml: No such file or directory");
  // With prune, an empty set would remove every job.
  CHECK(refusal("./jobs.d/*.toml", folder.path()) == "no file matches " + folder.path() + "/jobs.d/*.toml");
  CHECK(refusal("jobs.d/*.toml", folder.path(), "c.toml:3: deploy.files") ==
        "c.toml:3: deploy.files: no file matches " + folder.path() + "/jobs.d/*.toml");
}

TEST_CASE("declared file: addresses of executors use HTTP or HTTPS", "[config]") {
  auto refusal = [](const std::string& address) {
    auto loaded = parse_declared("[[group]]\napp_name = \"mail\"\n\naddresses = [\"" + address + "\"]\n", "a.toml", "s");
    return loaded ? "accepted" : loaded.error().context;
  };
  CHECK(refusal("http://h") == "accepted");
  CHECK(refusal("https://h:1/") == "accepted");
  CHECK(refusal("https://").rfind("a.toml:4: addresses: invalid address \"https://\"; ", 0) == 0);
  CHECK(refusal("http://").rfind("a.toml:4: addresses: invalid address \"http://\"; ", 0) == 0);
}

TEST_CASE("declared file: one object in two files is refused", "[config]") {
  test::temp_folder folder;
  folder.write("a.toml", minimal);
  folder.write("b.toml", "\n" + minimal);
  auto loaded = load_declared({.patterns = {"*.toml"}, .base_dir = folder.path(), .revision = 0, .source = "s", .asked_by = ""});
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().context ==
        folder.path() + "/b.toml:2: job 'pay-worker/settle' is declared twice, first at " + folder.path() + "/a.toml:1");
}
