// Error handlers that notify users: their properties, their messages and their limit.

#include <algorithm>

#include "core/alarm/error_message.hpp"
#include "core/elastic/error_target.hpp"
#include "core/elastic/part_names.hpp"
#include "core/elastic/prop_fields.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
namespace elastic = core::elastic;
using elastic::error_target;
using elastic::job_props;

namespace {

std::string mistake_of(std::string_view handler, const job_props& props) {
  const auto target = elastic::error_target_of(handler, props);
  return target ? std::string{"fits"} : target.error().context;
}

elastic::failed_item failure(std::string text) {
  return {elastic::elastic_job_id{7}, "pay/sums", elastic::item_number{2}, elastic::item_run_id{41}, "ringmaster://w/a",
          core::from_ms(1'772'452'800'000), std::move(text)};
}

} // namespace

TEST_CASE("error handlers: only those that notify users have a target", "[core][elastic]") {
  for (const std::string_view name : {"EMAIL", "WECHAT", "DINGTALK", "WEBHOOK"})
    CHECK(elastic::notifies_users(name));
  for (const std::string_view name : {"", "LOG", "THROW", "IGNORE", "email", "pager"}) {
    CHECK_FALSE(elastic::notifies_users(name));
    CHECK(elastic::check_error_handler(name, {}));
  }
}

TEST_CASE("error handlers: properties of EMAIL", "[core][elastic]") {
  job_props props{{"email.to", " a@x.example, b@x.example ,"}, {"email.cc", "c@x.example"}};
  auto target = elastic::error_target_of("EMAIL", props);
  REQUIRE(target);
  CHECK(target->recipients == std::vector<std::string>{"a@x.example", "b@x.example", "c@x.example"});
  CHECK(target->host.empty());
  CHECK(target->uses_tls);
  CHECK(target->subject == "ElasticJob error message");
  props["email.host"] = "smtp.x.example";
  CHECK(mistake_of("EMAIL", props).starts_with("email.from: expected the e-mail address"));
  props["email.from"] = "jobs@x.example";
  props["email.port"] = "25";
  props["email.useSsl"] = "false";
  target = elastic::error_target_of("EMAIL", props);
  REQUIRE(target);
  CHECK(target->port == 25);
  CHECK_FALSE(target->uses_tls);
  for (const std::string host : {"a/b", "a b", "u@h", "h?x"}) {
    props["email.host"] = host;
    CHECK(mistake_of("EMAIL", props).starts_with("email.host: "));
  }
  CHECK(mistake_of("EMAIL", {{"email.to", " , "}}) == "email.to: missing; the error handler EMAIL needs it");
  CHECK(mistake_of("EMAIL", {{"email.to", "a@x.example\r\nRCPT TO:<b@y>"}}).starts_with("email.to: invalid e-mail address"));
}

TEST_CASE("error handlers: properties of webhooks", "[core][elastic]") {
  const auto target = elastic::error_target_of(
    "DINGTALK", {{"dingtalk.webhook", "https://oapi.dingtalk.com/robot/send?access_token=t"}, {"dingtalk.secret", "s"},
                 {"dingtalk.keyword", "jobs"}, {"dingtalk.readTimeoutMilliseconds", "100"}});
  REQUIRE(target);
  CHECK(target->secret == "s");
  CHECK(target->keyword == "jobs");
  CHECK(target->timeout == 3100ms);
  CHECK(mistake_of("WECHAT", {}).starts_with("wechat.webhook: missing"));
  CHECK(mistake_of("WEBHOOK", {}).starts_with("webhook.url: missing"));
  CHECK(mistake_of("WEBHOOK", {{"error.channel", "ops"}}) == "fits");
  CHECK(mistake_of("WEBHOOK", {{"error.channel", "ops"}, {"error.notify", "host"}}).starts_with("error.channel: "));
  CHECK(mistake_of("WEBHOOK", {{"error.channel", "ops"}, {"error.notify", "all"}}) == "error.notify: expected node or host");
}

TEST_CASE("error handlers: hosts get no property of a handler whose messages the node sends", "[core][elastic]") {
  const auto text = elastic::props_text({{"custom.key", "k"}, {"email.password", "geheim"}, {"email.to", "a@x.example"}});
  CHECK(elastic::props_for_host("EMAIL", text) == R"({"custom.key":"k"})");
  CHECK(elastic::props_for_host("pager", text) == text);
  const auto by_host = elastic::props_text({{"email.password", "geheim"}, {"error.notify", "host"}});
  CHECK(elastic::props_for_host("EMAIL", by_host) == by_host);
  CHECK(elastic::props_for_host("EMAIL", "no json") == "no json");
}

TEST_CASE("properties: secrets and unknown names are shown as stars, and stars keep the stored value", "[core][elastic]") {
  const job_props stored{
    {"custom.key", "k"}, {"dingtalk.secret", "s"}, {"dingtalk.webhook", "https://h/x"}, {"email.to", "a@b.c"}};
  const auto shown = elastic::shown_props(stored);
  CHECK(shown == job_props{{"custom.key", "******"}, {"dingtalk.secret", "******"}, {"dingtalk.webhook", "******"},
                           {"email.to", "a@b.c"}});
  CHECK(elastic::with_kept_values(shown, stored) == stored);
  CHECK(elastic::with_kept_values({{"dingtalk.secret", "new"}, {"email.to", "******"}}, stored)
        == job_props{{"dingtalk.secret", "new"}, {"email.to", "******"}});
  CHECK(elastic::check_props("simple", {{"custom.a b", "any\ntext"}}));
  for (const std::string name : {"custom.", "custom", "own.key"})
    CHECK_FALSE(elastic::check_props("simple", {{name, "x"}}));
  const auto refused = elastic::check_props("simple", {{"dingtalk.webhook", "geheim"}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().context.find("geheim") == std::string::npos);
}

TEST_CASE("error handlers: a message names the job, the item and the reason", "[core][elastic]") {
  const auto one = elastic::error_message_of(failure("no stock <1>\nat line 2"), 1);
  CHECK(one.title == "[FAILED] pay/sums, item 2: no stock <1>");
  CHECK(one.text == "job: pay/sums\nitem: 2\nrun: 41\nhost: ringmaster://w/a\nfailed at: 2026-03-02T12:00:00Z\n"
                    "why: no stock <1>\nat line 2");
  CHECK(one.html.find("no stock &lt;1&gt;<br>\n") != std::string::npos);
  CHECK(one.fields.at("log_id") == "41");
  const auto many = elastic::error_message_of(failure("x"), 12, "Jobs\r\nBcc: z@y");
  CHECK(many.title == "Jobs  Bcc: z@y");
  CHECK(many.text.find("failures since the last message: 12") != std::string::npos);
  CHECK(many.fields.at("count") == "12");
  const auto huge = elastic::error_message_of(failure(std::string(100'000, 'x')), 1);
  CHECK(huge.title.size() < 300);
  CHECK(huge.text.size() < elastic::failure_bytes_max + 300);
}

TEST_CASE("error handlers: a job has one message in a minute, with the number of failures", "[core][elastic]") {
  elastic::failure_windows<int> windows;
  const elastic::elastic_job_id job{7}, other{8};
  const elastic::steady_time start{};
  REQUIRE(windows.add(job, 1, start));
  CHECK_FALSE(windows.add(job, 2, start + 1s));
  CHECK_FALSE(windows.add(job, 3, start + 59s));
  CHECK(windows.add(other, 4, start + 2s));
  CHECK(windows.ended(start + 59s).empty());
  const auto due = windows.ended(start + 60s);
  REQUIRE(due.size() == 1);
  CHECK(due[0].last == 3);
  CHECK(due[0].count == 2);
  CHECK_FALSE(windows.add(job, 5, start + 61s));
  CHECK(windows.ended(start + 120s).size() == 1);
  CHECK(windows.ended(start + 180s).empty());
  CHECK(windows.empty());
  CHECK(windows.add(job, 6, start + 181s));
}

TEST_CASE("pools: built-in limits, and names in any case", "[core][elastic]") {
  CHECK(elastic::built_in_limit("CPU", 4) == 8);
  CHECK(elastic::built_in_limit("CPU", 0) == 2);
  CHECK(elastic::built_in_limit("SINGLE_THREAD", 4) == 1);
  CHECK(elastic::built_in_limit("half", 4) == 0);
  CHECK(elastic::pool_of("") == "CPU");
  CHECK(elastic::error_handler_of("") == "LOG");
  CHECK(elastic::spelled_as(elastic::pool_names, "single_Thread") == "SINGLE_THREAD");
  CHECK(elastic::spelled_as(elastic::pool_names, "Half") == "Half");
}
