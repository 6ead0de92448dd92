#include <sstream>

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "tests/actors/executor_fixture.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using test::http_answer;
using test::http_failure;
using nlohmann::json;

namespace {

const std::string taken = R"({"code":200})";
const std::string wants_name = R"({"code":500,"msg":"invalid request, accessToken or appname is empty.","data":null})";

struct registering : test::executor_world {
  registering() : executor_world{{"http://a:8080/xxl-job-admin/", "http://b:8080"}} {}

  void begin() {
    start();
    beats = spawn<actors::beat_actor_state, protocol::beat_actor>(
      admins, actors::beat_identity{link_settings.app_name, "http://10.0.0.9:9999/"}, actors::patience_with(link_settings), log);
    settle();
  }
  void report(std::int64_t run) {
    tell(callbacks, protocol::run_reports{{{core::log_id{run}, start_time, 200, std::nullopt}}});
    settle();
  }

  protocol::beat_actor beats;
  std::shared_ptr<spdlog::logger> log = silent_log();
};

} // namespace

TEST_CASE_METHOD(registering, "registers at once and every thirty seconds with three fields and the token",
                 "[actors][executor]") {
  begin();
  REQUIRE(client->sent().size() == 1);
  const auto& call = client->sent()[0];
  CHECK(call.origin + call.target == "http://a:8080/xxl-job-admin/api/registry");
  CHECK(json::parse(call.body) == json{{"registryGroup", "EXECUTOR"},
                                       {"registryKey", "pay-worker"},
                                       {"registryValue", "http://10.0.0.9:9999/"}});
  CHECK(header(call, "XXL-JOB-ACCESS-TOKEN") == "secret");
  CHECK(header(call, "XXL-JOB-APPNAME") == "(none)");
  CHECK(call.connect_timeout == 3s);
  CHECK(call.request_timeout == 3s);
  pass(29900ms);
  CHECK(client->sent().size() == 1);
  pass(200ms);
  CHECK(client->sent().size() == 2);
  pass(60s);
  CHECK(client->sent().size() == 4);
  CHECK(client->sent().back().origin == "http://a:8080");
}

TEST_CASE_METHOD(registering, "says which admin accepted the registration, and that runs need a group", "[actors][executor]") {
  std::ostringstream said;
  log = std::make_shared<spdlog::logger>("beats", std::make_shared<spdlog::sinks::ostream_sink_mt>(said));
  client->answers = [](const protocol::http_call& call) {
    return http_answer(call.origin == "http://a:8080" ? R"({"code":500,"msg":"no"})" : taken);
  };
  begin();
  pass(30s);
  const auto text = said.str();
  const std::string line = "registration of http://10.0.0.9:9999/ accepted by http://b:8080; runs come as soon as a group there "
                           "has the app name pay-worker";
  const auto at = text.find(line);
  REQUIRE(at != std::string::npos);
  CHECK(text.find("accepted by", at + line.size()) == std::string::npos);
}

TEST_CASE_METHOD(registering, "without a token the token header is omitted", "[actors][executor]") {
  link_settings.access_token = " ";
  begin();
  CHECK(header(client->sent()[0], "XXL-JOB-ACCESS-TOKEN") == "(none)");
}

TEST_CASE_METHOD(registering, "each round starts at the first admin and ends at the first one that accepts",
                 "[actors][executor]") {
  client->answers = [](const protocol::http_call& call) {
    return http_answer(call.origin == "http://a:8080" ? R"({"code":500,"msg":"no"})" : taken);
  };
  begin();
  pass(30s);
  CHECK(client->targets() == std::vector<std::string>{"http://a:8080/xxl-job-admin/api/registry", "http://b:8080/api/registry",
                                                      "http://a:8080/xxl-job-admin/api/registry", "http://b:8080/api/registry"});
}

TEST_CASE_METHOD(registering, "the pause starts at the end of a round, and failures do not stop registering",
                 "[actors][executor]") {
  client->answers = nullptr;
  begin();
  CHECK(client->sent().size() == 1);
  pass(6s);
  client->answer(http_failure(protocol::delivery::unknown, "no answer"));
  settle();
  CHECK(client->sent().size() == 2);
  pass(6s);
  client->answer(http_failure(protocol::delivery::not_sent, "connection refused"));
  settle();
  pass(29s);
  CHECK(client->sent().size() == 2);
  pass(1s);
  CHECK(client->sent().size() == 3);
}

TEST_CASE_METHOD(registering, "a round that never finishes is given up eventually", "[actors][executor]") {
  client->answers = nullptr;
  begin();
  pass(2min);
  CHECK(client->sent().size() >= 2);
}

TEST_CASE_METHOD(registering, "the end removes the registration at the first admin that answers, and stops the beats",
                 "[actors][executor]") {
  begin();
  client->answers = [](const protocol::http_call& call) {
    return call.origin == "http://a:8080" ? http_failure(protocol::delivery::not_sent, "refused") : http_answer(taken);
  };
  auto ended = later<caf::unit_t>(beats, protocol::end_registration{});
  settle();
  CHECK(ended->has_value());
  CHECK(calls("/api/registryRemove").size() == 2);
  CHECK(json::parse(client->sent().back().body)["registryValue"] == "http://10.0.0.9:9999/");
  CHECK(ask_done(beats, protocol::end_registration{}) == caf::error{});
  pass(2min);
  CHECK(client->sent().size() == 3);
}

TEST_CASE_METHOD(registering, "a stop removes the registration before runs are ended and reported", "[actors][executor]") {
  begin();
  CHECK(told(request(7, "sleep", "60")) == "ok");
  auto ended = later<caf::unit_t>(beats, protocol::end_registration{});
  auto drained = later<caf::unit_t>(host, protocol::drain_request{5s});
  pass(7s);
  CHECK(drained->has_value());
  REQUIRE(client->sent().size() == 3);
  CHECK(client->sent()[1].target.ends_with("/api/registryRemove"));
  CHECK(test::results_in(client->sent()[2])[0].message == "web container destroy and kill the job. [job running, killed]");
}

TEST_CASE_METHOD(registering, "the removal does not overtake the registration", "[actors][executor]") {
  client->answers = nullptr;
  begin();
  auto ended = later<caf::unit_t>(beats, protocol::end_registration{});
  pass(1s);
  CHECK(calls("/api/registryRemove").empty());
  client->answer(http_answer(taken));
  settle();
  CHECK(calls("/api/registryRemove").size() == 1);
  client->answer(http_answer(taken));
  settle();
  CHECK(ended->has_value());
}

TEST_CASE_METHOD(registering, "an admin that requires the app name gets it, and callbacks in its format", "[actors][executor]") {
  client->answers = [](const protocol::http_call& call) {
    return http_answer(header(call, "XXL-JOB-APPNAME") == "pay-worker" ? taken : wants_name);
  };
  begin();
  CHECK(client->targets() == std::vector<std::string>(2, "http://a:8080/xxl-job-admin/api/registry"));
  report(1);
  CHECK(client->sent().size() == 3);
  CHECK(header(client->sent()[2], "XXL-JOB-APPNAME") == "pay-worker");
  CHECK(json::parse(client->sent()[2].body).contains("callbackList"));
}

TEST_CASE_METHOD(registering, "an admin that always requires the app name is asked twice, then skipped", "[actors][executor]") {
  client->answers = [](const protocol::http_call& call) {
    return http_answer(call.origin == "http://a:8080" ? wants_name : taken);
  };
  begin();
  CHECK(client->targets() == std::vector<std::string>{"http://a:8080/xxl-job-admin/api/registry",
                                                      "http://a:8080/xxl-job-admin/api/registry", "http://b:8080/api/registry"});
  CHECK(header(client->sent()[2], "XXL-JOB-APPNAME") == "(none)");
}

TEST_CASE_METHOD(registering, "an admin that cannot read the new format gets the old one", "[actors][executor]") {
  client->answers = [](const protocol::http_call& call) {
    return http_answer(header(call, "XXL-JOB-APPNAME") == "pay-worker" ? taken : wants_name);
  };
  begin();
  client->answers = [](const protocol::http_call& call) {
    const auto* misread = R"({"code":500,"msg":"openapi invoke error: array wanted"})";
    return http_answer(json::parse(call.body).is_array() ? taken : misread);
  };
  report(1);
  REQUIRE(client->sent().size() == 4);
  CHECK(header(client->sent()[3], "XXL-JOB-APPNAME") == "(none)");
  CHECK(test::results_in(client->sent()[3]).size() == 1);
  CHECK(files->saved == 0);
}

TEST_CASE_METHOD(registering, "a configured family is not learned", "[actors][executor]") {
  const auto named = GENERATE(true, false);
  using protocol::wire::admin_family;
  link_settings.family = named ? admin_family::app_named : admin_family::array;
  client->answers = [](const protocol::http_call&) { return http_answer(wants_name); };
  begin();
  REQUIRE(client->sent().size() == 2); // once each
  for (const auto& call : client->sent())
    CHECK(header(call, "XXL-JOB-APPNAME") == (named ? "pay-worker" : "(none)"));
  client->answers = [](const protocol::http_call&) { return http_answer(R"({"code":500,"msg":"openapi invoke error:x"})"); };
  report(7);
  pass(40s);
  CHECK(header(client->sent().back(), "XXL-JOB-APPNAME") == (named ? "pay-worker" : "(none)"));
}

TEST_CASE_METHOD(registering, "without admins results are kept", "[actors][executor]") {
  link_settings.admins.clear();
  begin();
  report(1);
  CHECK(client->sent().empty());
  CHECK(files->reports() == 1);
  pass(5min);
  CHECK(files->reports() == 1);
}
