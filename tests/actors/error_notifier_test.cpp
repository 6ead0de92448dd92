// Messages of error handlers: from the failed item to the notifier.

#include "actors/elastic/error_notifier.hpp"

#include "core/elastic/error_target.hpp"
#include "tests/actors/elastic_jobs_fixture.hpp"

namespace ringmaster::test::error_notifier_test {

namespace {

struct notifying : elastic_jobs_world {
  /// Starts a job with this error handler on one host.
  void begin_with(const std::string& handler, const std::string& props) {
    edit.what.options.error_handler = handler;
    edit.what.props = props;
    begin(2, "A");
  }
  /// Lets the next fire come, and one of its items fail.
  void fail_next(std::int32_t item = 0) {
    pass(11s);
    finish(item, elastic::host_outcome::error);
    pass(50ms);
  }
};

const std::string webhook_props = R"({"dingtalk.secret":"geheim","dingtalk.webhook":"https://h.example/x?t=geheim"})";

} // namespace

TEST_CASE_METHOD(notifying, "a failed item is told to the target of its job once it is stored", "[actors][elastic]") {
  begin_with("DINGTALK", webhook_props);
  fail_next();
  REQUIRE(notifier->sent.size() == 1);
  const auto& notice = notifier->sent[0];
  CHECK(notice.channel.empty());
  REQUIRE(notice.target);
  CHECK(notice.target->what == elastic::error_target::form::dingtalk);
  CHECK(notice.target->url == "https://h.example/x?t=geheim");
  CHECK(notice.message.title.starts_with("[FAILED] sums, item 0"));
  CHECK(notice.message.fields.at("address") == "ringmaster://elastic/A");
  // A success is no message.
  finish(1);
  pass(50ms);
  CHECK(notifier->sent.size() == 1);
}

TEST_CASE_METHOD(notifying, "further failures of a job within a minute are one message with their number", "[actors][elastic]") {
  begin_with("DINGTALK", webhook_props);
  for (int fire = 0; fire < 4; ++fire) {
    fail_next();
    finish(1);
  }
  CHECK(notifier->sent.size() == 1);
  pass(61s);
  REQUIRE(notifier->sent.size() == 2);
  CHECK(notifier->sent[1].message.fields.at("count") == "3");
}

TEST_CASE_METHOD(notifying, "each address of EMAIL gets a mail of its own", "[actors][elastic]") {
  begin_with("EMAIL", R"({"email.cc":"c@x.example","email.subject":"Jobs","email.to":"a@x.example,b@x.example"})");
  fail_next();
  REQUIRE(notifier->sent.size() == 3);
  CHECK(notifier->sent[2].recipient == "c@x.example");
  CHECK(notifier->sent[0].message.title == "Jobs");
}

TEST_CASE_METHOD(notifying, "the node sends nothing for other error handlers, and for hosts that send themselves",
                 "[actors][elastic]") {
  SECTION("LOG") { begin_with("LOG", {}); }
  SECTION("an error handler of the program") { begin_with("pager", {}); }
  SECTION("error.notify = host") {
    begin_with("WEBHOOK", R"({"error.notify":"host","webhook.url":"https://h.example/x"})");
  }
  fail_next();
  CHECK(notifier->sent.empty());
}

TEST_CASE_METHOD(notifying, "hosts do not get the secrets of messages that the node sends", "[actors][elastic]") {
  begin_with("DINGTALK", webhook_props);
  pass(11s);
  REQUIRE_FALSE(all['A'].specs.empty());
  CHECK(all['A'].specs.back().error_handler == "DINGTALK");
  CHECK(all['A'].specs.back().props.empty());
}

TEST_CASE_METHOD(notifying, "a message that cannot be sent is given up", "[actors][elastic]") {
  notifier->outcome = core::fail(core::errc::not_found, "no channel");
  begin_with("DINGTALK", webhook_props);
  fail_next();
  pass(10min);
  CHECK(notifier->sent.size() == 1);
}

} // namespace ringmaster::test::error_notifier_test
