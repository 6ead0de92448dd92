#include "actors/console/spool_pipe.hpp"
#include "actors/executors/executor_link.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/scripted_client.hpp"
#include "tests/support/virtual_time.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using protocol::delivery;
using protocol::send_state;
using test::http_answer;
using test::http_failure;

namespace {

constexpr auto unknown_path = R"({"code":500,"msg":"invalid request, uri-mapping(/run) not found."})";

struct linked : test::virtual_time {
  static constexpr std::int64_t life = 3;

  linked() {
    gate->open_until(life, boot_now() + std::chrono::nanoseconds{1h}.count());
    client->answers = nullptr;
    listener = track(system().spawn([this]() -> protocol::send_listener::behavior_type {
      return {[this](protocol::send_results& told) {
        ++messages;
        std::move(told.items.begin(), told.items.end(), std::back_inserter(results));
      }};
    }));
    make();
  }

  protocol::access_token_source token{"secret"};

  void make(const std::string& address = "http://10.0.0.3:9999/", bool app_header = false) {
    actors::link_tools tools{client, gate, {}, token};
    actor = spawn<actors::executor_link_state, protocol::executor_link>(tools, address, view_of(address, app_header));
  }
  /// Returns a view in which the executor belongs to the groups 4 and 9.
  static std::shared_ptr<const protocol::registry_view> view_of(const std::string& address, bool app_header) {
    auto view = std::make_shared<protocol::registry_view>();
    for (auto [id, app_name] : {std::pair{9, "mail-worker"}, std::pair{4, "pay-worker"}}) {
      core::group group;
      group.id = core::group_id{id};
      group.app_name = app_name;
      group.addresses = {address};
      view->groups.emplace(id, std::move(group));
    }
    if (app_header)
      view->with_app_header.emplace("pay-worker", address);
    return view;
  }

  [[nodiscard]] core::claimed_run run_of(std::int64_t id, std::int32_t group = 4) {
    auto spec = std::make_shared<core::job>();
    spec->id = core::job_id{7};
    spec->group = core::group_id{group};
    spec->handler = "settle";
    spec->param = "a=1";
    spec->timeout_s = 30;
    core::claimed_run run;
    run.id = core::log_id{id};
    run.claim = 5;
    run.incarnation = life;
    run.plan.fire_at = start + 1234ms;
    run.leave_at = clock().when(run.plan.fire_at);
    run.plan.part = {1, 3, true};
    run.plan.spec = std::move(spec);
    return run;
  }
  void send(const std::vector<std::int64_t>& ids) {
    protocol::send_batch batch{{}, listener};
    for (auto id : ids)
      batch.runs.push_back(run_of(id));
    tell(actor, std::move(batch));
    run();
  }
  /// Sends run 12 and returns its result for this `answer` of the executor.
  protocol::send_result told(protocol::http_result answer) {
    results.clear();
    send({12});
    client->answer(std::move(answer));
    run();
    REQUIRE(results.size() == 1);
    return results[0];
  }

  [[nodiscard]] static std::string header(const protocol::http_call& call, const std::string& name) {
    for (const auto& [key, value] : call.headers)
      if (key == name)
        return value;
    return "(none)";
  }

  std::shared_ptr<test::scripted_client> client = std::make_shared<test::scripted_client>(boot());
  std::shared_ptr<protocol::send_gate> gate = std::make_shared<protocol::send_gate>();
  std::vector<protocol::send_result> results;
  std::size_t messages = 0;
  protocol::send_listener listener;
  protocol::executor_link actor;
};

} // namespace

TEST_CASE_METHOD(linked, "a run is posted with all twelve fields, its token and the configured limits", "[actors]") {
  send({12});
  REQUIRE(client->sent().size() == 1);
  const auto& call = client->sent()[0];
  CHECK(call.origin + call.target == "http://10.0.0.3:9999/run");
  CHECK(header(call, "XXL-JOB-ACCESS-TOKEN") == "secret");
  CHECK(header(call, "XXL-JOB-APPNAME") == "pay-worker");
  CHECK(call.gate == gate);
  CHECK(call.incarnation == life);
  CHECK(call.not_before == clock().when(start + 1234ms));
  CHECK(call.connect_timeout == 3s);
  CHECK(call.request_timeout == 3s);
  auto body = nlohmann::json::parse(call.body);
  CHECK(body.size() == 12);
  CHECK(body["jobId"] == 7);
  CHECK(body["executorHandler"] == "settle");
  CHECK(body["executorParams"] == "a=1");
  CHECK(body["executorBlockStrategy"] == "SERIAL_EXECUTION");
  CHECK(body["executorTimeout"] == 30);
  CHECK(body["logId"] == 12);
  CHECK(body["logDateTime"] == core::to_ms(start + 1s));
  CHECK(body["glueType"] == "BEAN");
  CHECK(body["glueSource"] == "");
  CHECK(body["glueUpdatetime"] == 0);
  CHECK(body["broadcastIndex"] == 1);
  CHECK(body["broadcastTotal"] == 3);
}

TEST_CASE_METHOD(linked, "an address keeps its prefix", "[actors]") {
  make("http://10.0.0.4:80/job/");
  send({12});
  CHECK(client->targets() == std::vector<std::string>{"http://10.0.0.4:80/job/run"});
}

TEST_CASE_METHOD(linked, "answers are matched to their runs in any order, many in one message", "[actors]") {
  send({1, 2});
  send({3});
  client->answer_all(http_answer(R"({"code":200})"));
  run();
  REQUIRE(results.size() == 3);
  CHECK(messages == 1);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(core::number(results[i].run.id) == static_cast<std::int64_t>(i) + 1);
    CHECK(results[i].state == send_state::answered);
    CHECK(results[i].code == 200);
    CHECK(results[i].run.claim == 5);
  }
}

TEST_CASE_METHOD(linked, "answers that cannot mean success are failures with the executor's message", "[actors]") {
  auto array = told(http_answer(
    R"([{"logId":1,"executeResult":{"code":500,"msg":"Task not registered"},)"
    R"("handleCode":500,"handleMsg":"Task not registered"}])"));
  CHECK(array.state == send_state::answered);
  CHECK(array.code == 500);
  CHECK(array.message == "Task not registered");

  auto busy = told(http_answer(R"({"code":402,"msg":"busy"})", 402));
  CHECK(busy.code == 402);
  CHECK(busy.message == "busy");

  auto own = told(http_answer(R"({"code":500,"msg":"no job thread"})", 500));
  CHECK(own.state == send_state::answered);
  CHECK(own.message == "no job thread");
}

TEST_CASE_METHOD(linked, "an answer that is not from the executor leaves the delivery of the run unknown", "[actors]") {
  for (const auto& [status, body] : std::vector<std::pair<unsigned, std::string>>{
         {504, "<html>Gateway Time-out</html>"}, {502, ""}, {503, R"({"code":503,"msg":"upstream"})"}, {200, "<html/>"},
         {200, ""}, {200, R"({"msg":"x"})"}, {500, "Internal Server Error"}, {408, "late"}}) {
    CAPTURE(status, body);
    auto foreign = told(http_answer(body, status));
    CHECK(foreign.state == send_state::unknown);
    CHECK(foreign.code == 0);
    CHECK_FALSE(foreign.message.empty());
  }
}

TEST_CASE_METHOD(linked, "a server that refused to forward the run is a known failure", "[actors]") {
  for (unsigned status : {301U, 400U, 401U, 403U, 404U, 405U, 413U, 414U, 429U, 501U}) {
    CAPTURE(status);
    auto refused = told(http_answer("<html>no</html>", status));
    CHECK(refused.state == send_state::answered);
    CHECK(refused.code == 500);
    CHECK(refused.message.find("HTTP status " + std::to_string(status)) == 0);
  }
}

TEST_CASE_METHOD(linked, "a proxy's answers to questions are not the executor's answers", "[actors]") {
  const auto [status, body] = GENERATE(table<unsigned, std::string>({{504, "<html/>"}, {503, R"({"code":500,"msg":"busy"})"},
                                                                     {200, "<html/>"}, {404, "not here"}}));
  CAPTURE(status, body);
  const auto asked = [&](auto question) {
    auto reply = later<protocol::probe_reply>(actor, question);
    run();
    client->answer(http_answer(body, status));
    run();
    REQUIRE((*reply && **reply));
    CHECK((**reply)->code == 0);
    CHECK_FALSE((**reply)->message.empty());
  };
  asked(protocol::probe_request{core::job_id{7}, true});
  asked(protocol::probe_request{core::job_id{7}, false});
  asked(protocol::kill_request{core::job_id{7}});
  auto log = later<protocol::log_reply>(actor, protocol::log_request{core::log_id{12}, start});
  run();
  client->answer(http_answer(body, status));
  run();
  REQUIRE((*log && **log));
  CHECK_FALSE((**log)->answered);
}

TEST_CASE_METHOD(linked, "a repeat proves a delivery only after a second sending", "[actors]") {
  const auto repeat = http_answer(R"({"code":500,"msg":"repeate trigger job, logId:12"})");
  auto first = told(repeat);
  CHECK(first.state == send_state::unknown);
  CHECK(first.repeated);
  CHECK(first.message.find("this run was sent once: repeate trigger job, logId:12") != std::string::npos);

  results.clear();
  auto again = run_of(12);
  again.attempt = 1;
  tell(actor, protocol::send_batch{{again}, listener});
  run();
  client->answer(repeat);
  run();
  REQUIRE(results.size() == 1);
  CHECK(results[0].state == send_state::answered);
  CHECK(results[0].code == 200);
  CHECK(results[0].repeated);

  auto other = told(http_answer(R"({"code":500,"msg":"repeate trigger job, logId:13"})"));
  CHECK(other.code == 500);
}

TEST_CASE_METHOD(linked, "runs that never left, may have arrived, or were held back by the gate are distinguished", "[actors]") {
  CHECK(told(http_failure(delivery::unknown, "no answer in 3000 ms")).state == send_state::unknown);
  auto refused = told(http_failure(delivery::not_sent, "connection refused"));
  CHECK(refused.state == send_state::not_sent);
  CHECK(refused.message == "connection refused");

  results.clear();
  auto sent = client->sent().size();
  SECTION("because the lease has expired") { gate->close(); }
  SECTION("because the incarnation that claimed it has ended, and another has begun") {
    gate->open_until(life + 1, boot_now() + std::chrono::nanoseconds{1h}.count());
  }
  send({13});
  REQUIRE(results.size() == 1);
  CHECK(results[0].state == send_state::gate_closed);
  CHECK(client->sent().size() == sent);
}

TEST_CASE_METHOD(linked, "an executor without /run gets the same body at /trigger, with its app name, and directly from then on",
                 "[actors]") {
  send({12});
  client->answer(http_answer(unknown_path));
  run();
  CHECK(results.empty());
  REQUIRE(client->sent().size() == 2);
  CHECK(client->sent()[1].target == "/trigger");
  CHECK(client->sent()[1].body == client->sent()[0].body);
  CHECK(client->sent()[1].gate == gate);
  CHECK(header(client->sent()[1], "XXL-JOB-APPNAME") == "pay-worker");
  client->answer(http_answer(R"({"code":200})"));
  run();
  REQUIRE(results.size() == 1);
  CHECK(results[0].code == 200);
  CHECK(core::number(results[0].run.id) == 12);

  send({13});
  CHECK(client->sent().back().target == "/trigger");
}

TEST_CASE_METHOD(linked, "the path is changed at most once for a run", "[actors]") {
  send({12});
  client->answer(http_answer(unknown_path));
  run();
  client->answer(http_answer(unknown_path));
  run();
  CHECK(client->sent().size() == 2);
  REQUIRE(results.size() == 1);
  CHECK(results[0].code == 500);
}

TEST_CASE_METHOD(linked, "runs that used the wrong path together are all repeated, each once", "[actors]") {
  send({1, 2, 3});
  client->answer_all(http_answer(unknown_path));
  run();
  CHECK(client->sent().size() == 6);
  client->answer_all(http_answer(R"({"code":200})"));
  run();
  REQUIRE(results.size() == 3);
  for (const auto& result : results)
    CHECK(result.code == 200);
}

TEST_CASE_METHOD(linked, "an executor that registered with the app header gets /trigger and both headers at once", "[actors]") {
  make("http://10.0.0.3:9999/", true);
  send({12});
  const auto& call = client->sent().back();
  CHECK(call.target == "/trigger");
  CHECK(header(call, "XXL-JOB-ACCESS-TOKEN") == "secret");
  CHECK(header(call, "XXL-JOB-APPNAME") == "pay-worker");
}

TEST_CASE_METHOD(linked, "a common token that was replaced is shown to executors that refuse the new one", "[actors]") {
  const std::string refused = R"({"code":500,"msg":"The access token is wrong."})";
  const auto shown = [&] { return header(client->sent().back(), "XXL-JOB-ACCESS-TOKEN"); };
  token.replace({"fresh", "secret"});
  send({12});
  CHECK(shown() == "fresh");
  client->answer(http_answer(refused));
  run();
  REQUIRE(client->sent().size() == 2);
  CHECK(shown() == "secret");
  client->answer(http_answer(R"({"code":200})"));
  run();
  CHECK(results.at(0).code == 200);
  // The token is remembered until the tokens change again.
  send({13});
  CHECK(shown() == "secret");
  client->answer(http_answer(R"({"code":200})"));
  run();
  token.replace({"fresh"});
  send({14});
  CHECK(shown() == "fresh");
  client->answer(http_answer(refused));
  run();
  CHECK(client->sent().size() == 4);
}

TEST_CASE_METHOD(linked, "an executor gets the token that it showed last, at first the token of its group", "[actors]") {
  const std::string address = "http://10.0.0.3:9999/";
  auto token_with = [&](std::optional<core::token_kind> shown) {
    auto view = std::make_shared<protocol::registry_view>(*view_of(address, false));
    view->groups.at(4).access_token = "of-pay";
    view->groups.at(4).previous_token = "was-of-pay";
    if (shown)
      view->tokens_shown.emplace(protocol::app_address{"pay-worker", address}, *shown);
    tell(actor, protocol::registry_change{view});
    send({12});
    return header(client->sent().back(), "XXL-JOB-ACCESS-TOKEN");
  };
  CHECK(token_with(std::nullopt) == "of-pay");
  CHECK(token_with(core::token_kind::common) == "secret");
  CHECK(token_with(core::token_kind::previous) == "was-of-pay");
  CHECK(token_with(core::token_kind::group) == "of-pay");
}

namespace {

const std::string token_refused = R"({"code":500,"msg":"invalid request, accessToken or appname invalid."})";

/// Link to an executor whose group 4 has a token and a former one.
struct guarded_link : linked {
  guarded_link() {
    view = std::make_shared<protocol::registry_view>(*view_of("http://10.0.0.3:9999/", false));
    view->groups.at(4).access_token = "of-pay";
    view->groups.at(4).previous_token = "was-of-pay";
    know();
  }
  void know() { tell(actor, protocol::registry_change{std::make_shared<protocol::registry_view>(*view)}); }
  std::string shown() const { return header(client->sent().back(), "XXL-JOB-ACCESS-TOKEN"); }
  void send_as(std::int32_t group, std::int64_t id) {
    protocol::send_batch batch{{}, listener};
    batch.runs.push_back(run_of(id, group));
    tell(actor, std::move(batch));
    run();
  }
  /// Refuses all requests; returns the tokens that were shown.
  std::vector<std::string> refuse_all(std::size_t before) {
    std::vector<std::string> tokens;
    for (auto at = before; at < client->sent().size(); ++at) {
      tokens.push_back(header(client->sent()[at], "XXL-JOB-ACCESS-TOKEN"));
      client->answer(http_answer(token_refused));
      run();
    }
    return tokens;
  }
  std::vector<std::string> refused_runs(std::int64_t id) {
    const auto before = client->sent().size();
    send({id});
    return refuse_all(before);
  }

  std::shared_ptr<protocol::registry_view> view;
};

using token_texts = std::vector<std::string>;

} // namespace

TEST_CASE_METHOD(guarded_link, "after a refusal of the token, the group's former token is used", "[actors]") {
  send({12});
  CHECK(shown() == "of-pay");
  client->answer(http_answer(token_refused));
  run();
  CHECK(shown() == "was-of-pay");
  CHECK(results.empty());
  client->answer(http_answer(R"({"code":200})"));
  run();
  REQUIRE(results.size() == 1);
  CHECK(results[0].code == 200);
  SECTION("the accepted token is remembered") {
    send({13});
    CHECK(shown() == "was-of-pay");
  }
  SECTION("a probe also changes the token") {
    know();
    auto beat = later<protocol::probe_reply>(actor, protocol::probe_request{core::job_id{7}, false, core::group_id{4}});
    run();
    client->answer(http_answer(token_refused));
    run();
    CHECK(shown() == "was-of-pay");
    client->answer(http_answer(R"({"code":200})"));
    run();
    REQUIRE((*beat && **beat));
    CHECK((**beat)->code == 200);
  }
}

TEST_CASE_METHOD(guarded_link, "the common token is never sent to an address that has not shown it", "[actors]") {
  CHECK(refused_runs(13) == token_texts{"of-pay", "was-of-pay"});
  REQUIRE(results.size() == 1);
  CHECK(results[0].code == 500);
  CHECK(results[0].message == "invalid request, accessToken or appname invalid.");
  auto before = client->sent().size();
  SECTION("by /log, with or without a group") {
    auto log = later<protocol::log_reply>(actor, protocol::log_request{core::log_id{12}, start, 1, core::group_id{4}});
    run();
    CHECK(refuse_all(before) == token_texts{"of-pay", "was-of-pay"});
    view->groups.at(4).addresses.clear();
    view->groups.at(9).addresses.clear();
    know();
    before = client->sent().size();
    auto unknown = later<protocol::log_reply>(actor, protocol::log_request{core::log_id{12}, start});
    run();
    CHECK(refuse_all(before) == token_texts{"(none)"});
  }
  SECTION("by /kill and /idleBeat") {
    auto kill = later<protocol::probe_reply>(actor, protocol::kill_request{core::job_id{7}, core::group_id{4}});
    auto idle = later<protocol::probe_reply>(actor, protocol::probe_request{core::job_id{7}, true, core::group_id{4}});
    run();
    for (const auto& token : refuse_all(before))
      CHECK(token != "secret");
    CHECK(client->sent().size() > before + 2);
  }
  SECTION("in the name of another group, when it registered with a group's token") {
    view->without_common_token.insert("10.0.0.3|9999");
    know();
    send_as(9, 14);
    CHECK(shown() == "(none)");
  }
  SECTION("before the groups are known") {
    tell(actor, protocol::registry_change{std::make_shared<protocol::registry_view>()});
    auto log = later<protocol::log_reply>(actor, protocol::log_request{core::log_id{12}, start});
    auto beat = later<protocol::probe_reply>(actor, protocol::probe_request{});
    run();
    CHECK(client->sent().size() == before);
    REQUIRE((*beat && **beat));
    CHECK((**beat)->code == 0);
  }
}

TEST_CASE_METHOD(guarded_link, "an address that has shown the common token gets it first, then those of the group", "[actors]") {
  view->tokens_shown.emplace(protocol::app_address{"pay-worker", "http://10.0.0.3:9999/"}, core::token_kind::common);
  know();
  CHECK(refused_runs(12) == token_texts{"secret", "of-pay", "was-of-pay"});
}

TEST_CASE_METHOD(guarded_link, "the token that an address showed for one app has no effect on another app", "[actors]") {
  view->groups.at(9).access_token = "of-mail";
  view->tokens_shown.emplace(protocol::app_address{"pay-worker", "http://10.0.0.3:9999/"}, core::token_kind::common);
  view->with_app_header.emplace("pay-worker", "http://10.0.0.3:9999/");
  know();
  send_as(9, 12);
  CHECK(shown() == "of-mail");
  CHECK(client->sent().back().target == "/run");
  send_as(4, 13);
  CHECK(shown() == "secret");
  CHECK(client->sent().back().target == "/trigger");
}

TEST_CASE_METHOD(linked, "an executor without /trigger gets the same body at /run, whatever its registration said", "[actors]") {
  make("http://10.0.0.3:9999/", true);
  send({12});
  CHECK(client->sent().back().target == "/trigger");
  client->answer(http_answer(R"({"code":500,"msg":"invalid request, uri-mapping(/trigger) not found."})"));
  run();
  REQUIRE(client->sent().size() == 2);
  CHECK(client->sent()[1].target == "/run");
  CHECK(client->sent()[1].body == client->sent()[0].body);
  client->answer(http_answer(R"({"code":200})"));
  run();
  REQUIRE(results.size() == 1);
  CHECK(results[0].code == 200);
  send({13});
  CHECK(client->sent().back().target == "/run");
}

TEST_CASE_METHOD(linked, "probes pass no gate and return the answer, or 0", "[actors]") {
  gate->close();
  auto idle = later<protocol::probe_reply>(actor, protocol::probe_request{core::job_id{7}, true});
  auto beat = later<protocol::probe_reply>(actor, protocol::probe_request{core::job_id{7}, false});
  auto lost = later<protocol::probe_reply>(actor, protocol::probe_request{core::job_id{7}, false});
  run();
  REQUIRE(client->sent().size() == 3);
  CHECK(client->sent()[0].target == "/idleBeat");
  CHECK(client->sent()[0].body == R"({"jobId":7})");
  CHECK(client->sent()[1].target == "/beat");
  client->answer(http_answer(R"({"code":500,"msg":"job thread is running or has trigger queue."})"));
  client->answer(http_answer(R"({"code":200})"));
  client->answer(http_failure(delivery::not_sent, "connection refused"));
  run();
  REQUIRE((*idle && **idle));
  CHECK((**idle)->code == 500);
  CHECK((**idle)->message == "job thread is running or has trigger queue.");
  REQUIRE((*beat && **beat));
  CHECK((**beat)->code == 200);
  REQUIRE((*lost && **lost));
  CHECK((**lost)->code == 0);
  CHECK((**lost)->message == "connection refused");
}

TEST_CASE_METHOD(linked, "a log with a sink is streamed, with more time and more room", "[actors]") {
  const auto sink = std::make_shared<actors::spool_pipe>([] {});
  auto found = later<protocol::log_reply>(actor, protocol::log_request{core::log_id{12}, start, 1, {}, sink});
  run();
  const auto& sent = client->sent().at(0);
  CHECK((sent.sink == sink && sent.request_timeout >= protocol::log_pause_limit && sent.reply_bytes_max > 256'000'000));
  auto answer = http_answer({});
  answer.streamed = true;
  client->answer(std::move(answer));
  run();
  REQUIRE((*found && **found));
  CHECK(((**found)->answered && (**found)->streamed && (**found)->status == 200 && (**found)->content.empty()));
}

TEST_CASE_METHOD(linked, "a log is read from its first line; a missing answer is not an empty log", "[actors]") {
  auto found = later<protocol::log_reply>(actor, protocol::log_request{core::log_id{12}, start + 1234ms});
  auto lost = later<protocol::log_reply>(actor, protocol::log_request{core::log_id{13}, start});
  run();
  REQUIRE(client->sent().size() == 2);
  CHECK(client->sent()[0].target == "/log");
  auto body = nlohmann::json::parse(client->sent()[0].body);
  CHECK(body["logId"] == 12);
  CHECK(body["fromLineNum"] == 1);
  CHECK(body["logDateTim"] == core::to_ms(start + 1s));
  client->answer(
    http_answer(R"({"code":200,"content":{"fromLineNum":1,"toLineNum":4,"logContent":"job execute start","isEnd":false}})"));
  client->answer(http_failure(delivery::unknown, "timeout"));
  run();
  REQUIRE((*found && **found));
  CHECK((**found)->answered);
  CHECK((**found)->to_line == 4);
  CHECK((**found)->content == "job execute start");
  REQUIRE((*lost && **lost));
  CHECK_FALSE((**lost)->answered);
  CHECK((**lost)->error == "timeout");
}

TEST_CASE_METHOD(linked, "a log is read from the requested line, and its end is reported", "[actors]") {
  auto part = later<protocol::log_reply>(actor, protocol::log_request{core::log_id{12}, start, 5});
  auto silent = later<protocol::log_reply>(actor, protocol::log_request{core::log_id{12}, start, 9});
  run();
  REQUIRE(client->sent().size() == 2);
  CHECK(nlohmann::json::parse(client->sent()[0].body)["fromLineNum"] == 5);
  client->answer(http_answer(R"({"code":200,"data":{"fromLineNum":5,"toLineNum":8,"logContent":"x","isEnd":true}})"));
  client->answer(http_answer(R"({"code":200,"msg":"Success"})"));
  run();
  REQUIRE((*part && **part));
  CHECK((**part)->from_line == 5);
  CHECK((**part)->to_line == 5);
  CHECK((**part)->end);
  REQUIRE((*silent && **silent));
  CHECK((**silent)->answered);
  CHECK((**silent)->from_line == 9);
  CHECK((**silent)->to_line == 0);
  CHECK_FALSE((**silent)->end);
}

TEST_CASE_METHOD(linked, "a kill is sent to the executor, and its result is found in the answer of every family", "[actors]") {
  gate->close();
  const auto kill = [&] {
    return later<protocol::probe_reply>(actor, protocol::kill_request{core::job_id{7}, core::group_id{4}});
  };
  auto older = kill();
  auto newer = kill();
  auto refused = kill();
  auto lost = kill();
  run();
  REQUIRE(client->sent().size() == 4);
  CHECK(client->sent()[0].target == "/kill");
  CHECK(client->sent()[0].body == R"({"jobId":7})");
  CHECK(header(client->sent()[0], "XXL-JOB-ACCESS-TOKEN") == "secret");
  CHECK(header(client->sent()[0], "XXL-JOB-APPNAME") == "pay-worker");
  client->answer(http_answer(R"({"code":200,"msg":"job thread already killed."})"));
  client->answer(http_answer(R"({"code":200,"msg":"Success","data":"job thread already killed."})"));
  client->answer(http_answer(R"({"code":500,"msg":"not yet supported"})"));
  client->answer(http_failure(delivery::unknown, "timeout"));
  run();
  REQUIRE((*older && **older));
  CHECK((**older)->message == "job thread already killed.");
  REQUIRE((*newer && **newer));
  CHECK((**newer)->code == 200);
  CHECK((**newer)->message == "job thread already killed.");
  REQUIRE((*refused && **refused));
  CHECK((**refused)->code == 500);
  CHECK((**refused)->message == "not yet supported");
  REQUIRE((*lost && **lost));
  CHECK((**lost)->code == 0);
  CHECK((**lost)->message == "timeout");
}

TEST_CASE_METHOD(linked, "each run carries the app name of its own group", "[actors]") {
  protocol::send_batch batch{{run_of(12, 9), run_of(13, 4)}, listener};
  tell(actor, std::move(batch));
  run();
  REQUIRE(client->sent().size() == 2);
  CHECK(header(client->sent()[0], "XXL-JOB-APPNAME") == "mail-worker");
  CHECK(header(client->sent()[1], "XXL-JOB-APPNAME") == "pay-worker");
  auto idle = later<protocol::probe_reply>(actor, protocol::probe_request{core::job_id{7}, true, core::group_id{9}});
  auto whose = later<protocol::probe_reply>(actor, protocol::probe_request{core::job_id{7}, true});
  run();
  REQUIRE(client->sent().size() == 4);
  CHECK(header(client->sent()[2], "XXL-JOB-APPNAME") == "mail-worker");
  CHECK(header(client->sent()[3], "XXL-JOB-APPNAME") == "pay-worker");
}

TEST_CASE_METHOD(linked, "a link that was created before its executor was known learns about it", "[actors]") {
  actors::link_tools tools{client, gate, {}, "secret"};
  const std::string address = "http://10.0.0.3:9999/";
  auto nobody = std::make_shared<const protocol::registry_view>();
  actor = spawn<actors::executor_link_state, protocol::executor_link>(tools, address, nobody);
  send({12});
  CHECK(header(client->sent().back(), "XXL-JOB-APPNAME") == "(none)");
  CHECK(client->sent().back().target == "/run");
  tell(actor, protocol::registry_change{view_of(address, true)});
  send({13});
  CHECK(header(client->sent().back(), "XXL-JOB-APPNAME") == "pay-worker");
  CHECK(client->sent().back().target == "/trigger");
}
