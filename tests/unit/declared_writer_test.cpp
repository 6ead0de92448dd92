#include "config/declared/declared_writer.hpp"

#include <random>

#include "config/declared/declared_file.hpp"
#include "core/text/text.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace ringmaster::config;

namespace {

core::declared_set read_back(const std::string& text) {
  auto parsed = parse_declared(text, "written.toml", "test");
  INFO(text);
  if (!parsed)
    FAIL(parsed.error().context);
  return *parsed;
}

core::declared_job small_job() {
  core::declared_job job;
  job.group = "pay-worker";
  job.key = job.name = "settle";
  job.handler = "h";
  return job;
}

/// Generator of random declarations, including unusual texts.
class author {
public:
  explicit author(std::uint64_t seed) : random_{seed} {}

  int below(int limit) { return std::uniform_int_distribution<int>{0, limit - 1}(random_); }
  bool now_and_then() { return below(3) == 0; }

  /// Returns a text that is not blank.
  std::string text(int parts_max) {
    static const std::vector<std::string> parts{"a", "é", "支", "🚀", "\"", "'", "'''", "\"\"\"", "\\", "\\u0041", "\n", "\r\n",
                                                "\t", "\b", "\f", "\x01", "\x1F", "\x7F", "#", "=", "]", "}", ",", " ", "$", "x"};
    std::string out = "x";
    for (int i = below(parts_max); i > 0; --i)
      out += parts[static_cast<std::size_t>(below(static_cast<int>(parts.size())))];
    return out;
  }

  std::string key() { return "k-" + std::to_string(below(1'000'000)); }

  core::time_point instant() {
    return core::from_ms(std::uniform_int_distribution<std::int64_t>{0, 253'402'300'799'999}(random_));
  }

  core::declared_job job(const std::string& group, std::string key) {
    core::declared_job out;
    out.group = group;
    out.key = std::move(key);
    out.name = now_and_then() ? out.key : text(20);
    out.author = now_and_then() ? "" : text(20);
    out.alarm_email = now_and_then() ? "" : now_and_then() ? "ann@example.org" : "ann@example.org, bob@x.example";
    out.alarm_on = {!now_and_then(), !now_and_then()};
    out.handler = text(20);
    out.params = now_and_then() ? "" : text(200);
    out.misfire = static_cast<core::misfire_policy>(below(2));
    out.route = static_cast<core::route_strategy>(below(10));
    out.block = static_cast<core::block_strategy>(below(3));
    out.on_unknown = static_cast<core::unknown_policy>(out.block == core::block_strategy::cover_early ? below(2) : below(3));
    out.keep_logs = now_and_then();
    if (now_and_then())
      out.description = "Settles \"the day\".\nAsk the team.";
    out.timeout_s = now_and_then() ? below(100'000) : 0;
    out.retry_count = below(1001);
    out.enabled = now_and_then();
    for (int i = below(4); i > 0; --i)
      out.children.emplace_back(now_and_then() ? "" : "other/" + std::to_string(i), "child-" + std::to_string(i));
    give_schedule(out);
    return out;
  }

  core::declared_alarm alarm(std::string key) {
    core::declared_alarm out;
    out.rule.key = std::move(key);
    out.rule.group = now_and_then() ? "" : text(20);
    out.rule.job = out.rule.group.empty() || now_and_then() ? "" : text(20);
    if (now_and_then())
      out.rule.channels = {"hook", "other-hook"};
    if (now_and_then())
      out.rule.mail_to = {"ann@example.org"};
    out.rule.on = static_cast<core::alarm_attempts>(below(2));
    if (now_and_then())
      out.rule.dedup = std::chrono::seconds{below(86'401)};
    out.rule.recovered = now_and_then();
    return out;
  }

private:
  void give_schedule(core::declared_job& out) {
    if (now_and_then())
      return;
    auto& timing = out.timing;
    out.schedule = now_and_then() ? core::schedule_type::cron : core::schedule_type::fixed_rate;
    if (out.schedule == core::schedule_type::cron)
      timing.time_zone = now_and_then() ? "" : "Asia/Shanghai";
    out.schedule_conf = out.schedule == core::schedule_type::cron ? "0 0 1 * * ?" : std::to_string(1 + below(100'000));
    if (out.schedule == core::schedule_type::fixed_rate && now_and_then()) {
      timing.interval_ms = 10 + below(1'000'000);
      out.schedule_conf = core::rate_text_of(*timing.interval_ms);
    }
    if (now_and_then())
      timing.start_at = instant();
    if (now_and_then())
      timing.end_at = timing.start_at ? std::max(*timing.start_at + core::milliseconds{1}, instant()) : instant();
    if (now_and_then())
      timing.jitter_ms = 1 + below(1000);
  }

  std::mt19937_64 random_;
};

} // namespace

TEST_CASE("declared writer: default values are omitted", "[config]") {
  CHECK(declared_text(small_job()) == "[[job]]\ngroup = \"pay-worker\"\nkey = \"settle\"\nhandler = \"h\"\n");
  CHECK(declared_text(core::declared_group{"pay-worker", "pay-worker", std::nullopt})
        == "[[group]]\napp_name = \"pay-worker\"\n");
}

TEST_CASE("declared writer: the parser reads back the written set", "[config]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  author by{seed};
  for (int round = 0; round < 200; ++round) {
    core::declared_group group{"group-" + std::to_string(round), by.text(10), std::nullopt};
    if (by.now_and_then())
      group.addresses = std::vector<std::string>{"http://10.0.0.1:9999/", "http://10.0.0.2/x"};
    const auto job = by.job(by.text(10), by.key());
    const auto alarm = by.alarm(by.key());
    const auto text = declared_text(group) + '\n' + declared_text(job) + '\n' + declared_text(alarm);
    CAPTURE(text);
    const auto set = read_back(text);
    REQUIRE(set.groups.size() == 1);
    CHECK(set.groups[0].app_name == group.app_name);
    CHECK(set.groups[0].title == group.title);
    CHECK(set.groups[0].addresses == group.addresses);
    REQUIRE(set.jobs.size() == 1);
    CHECK(core::content_hash(set.jobs[0]) == core::content_hash(job));
    REQUIRE(set.alarms.size() == 1);
    CHECK(set.alarms[0].rule == alarm.rule);
    // The text is equal again: writing a file twice does not change it.
    CHECK(declared_text(set.groups[0]) + '\n' + declared_text(set.jobs[0]) + '\n' + declared_text(set.alarms[0]) == text);
  }
}

TEST_CASE("declared writer: invalid UTF-8 is replaced", "[config]") {
  auto job = small_job();
  job.params = std::string{"a\xFF\0b", 4};
  const auto set = read_back(declared_text(job));
  CHECK(set.jobs.at(0).params == "a\uFFFD" "b");
}

TEST_CASE("declared writer: any bytes become a valid quoted text", "[config]") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random{seed};
  for (int round = 0; round < 200; ++round) {
    auto job = small_job();
    for (int i = 0; i < 50; ++i)
      job.params += static_cast<char>(random());
    CHECK(read_back(declared_text(job)).jobs.at(0).params == core::valid_utf8(job.params));
  }
}

TEST_CASE("declared writer: any text becomes a valid comment", "[config]") {
  CHECK(comment_text("one\n\ntwo\ttabs\r\x7F") == "# one\n#\n# two tabs  \n");
  const auto set = read_back(comment_text("[[job]]\nx\x01 = \xFF\n\"\"\"") + declared_text(small_job()));
  CHECK(set.jobs.size() == 1);
}
