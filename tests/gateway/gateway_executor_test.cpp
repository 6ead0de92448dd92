// Requests of executors (XXL wire §1 and §3), as far as the gateway decides them. The store decides about results
// (tests/storage), the registry about the expiry of addresses (tests/actors).

#include "tests/support/catch.hpp"

#include "tests/gateway/gateway_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;

namespace {

constexpr auto registry_path = "/xxl-job-admin/api/registry";
constexpr auto remove_path = "/xxl-job-admin/api/registryRemove";
constexpr auto callback_path = "/xxl-job-admin/api/callback";
const std::string app_1 = R"({"registryGroup":"EXECUTOR","registryKey":"app-1","registryValue":"http://127.0.0.1:7001/"})";
constexpr std::string_view golden_head = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=90\r\n"
                                         "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n";
const std::string token_wrong = refusal("The access token is wrong.");

std::string with_value(const std::string& value) {
  return R"({"registryGroup":"EXECUTOR","registryKey":"app-1","registryValue":")" + value + "\"}";
}

bool has_beats(const std::shared_ptr<recorder>& seen, std::size_t n) {
  return seen->wait([n](recorder& r) { return r.beats.size() >= n; });
}

} // namespace

TEST_CASE_METHOD(gateway_fixture, "a registration is answered at once and passed on", "[gateway]") {
  open();
  auto reply = post(registry_path, app_1);
  CHECK(reply.head == golden_head);
  CHECK(reply.body == plain_success);
  REQUIRE(has_beats(seen, 1));
  CHECK(seen->beats[0].registry_group == "EXECUTOR");
  CHECK(seen->beats[0].app_name == "app-1");
  CHECK(seen->beats[0].address == "http://127.0.0.1:7001/");
  CHECK_FALSE(seen->beats[0].app_header);
}

TEST_CASE_METHOD(gateway_fixture, "the API is served under both prefixes, and slashes collapse", "[gateway]") {
  open();
  const std::string paths[] = {"/api/registry", "/xxl-job-admin//api/registry", "//api///registry", "/api/registry/",
                               "/xxl-job-admin/api/registry?x=1", "http://admin:8080/xxl-job-admin/api/registry"};
  for (const auto& path : paths) {
    CAPTURE(path);
    CHECK(post(path, app_1).body == plain_success);
  }
  CHECK(has_beats(seen, std::size(paths)));
  CHECK(post("/xxl-job-admin/api/registry/deeper", app_1).status() == 404);
  CHECK(post("/xxl-job-admin/xxl-job-admin/api/registry", app_1).status() == 404);
}

TEST_CASE_METHOD(gateway_fixture, "with any context path the API is also served under XXL-JOB's path", "[gateway]") {
  server.context_path = GENERATE(as<std::string>{}, "/", "/jobs", "/api", "/xxl-job-admin/api");
  CAPTURE(server.context_path);
  open();
  for (const std::string prefix : {"", "/xxl-job-admin", "/xxl-job-admin/", server.context_path.c_str()}) {
    CAPTURE(prefix);
    CHECK(post(prefix + "/api/registry", app_1).body == plain_success);
    CHECK(post(prefix + "/api/callback", "[]").body == plain_success);
    CHECK(post(prefix + "/api/nothing", "{}").body == refusal("invalid request, uri-mapping(nothing) not found."));
  }
  CHECK(has_beats(seen, 4));
  CHECK(get(server.context_path + "/livez").body == "ok");
  // Only the API is served there.
  CHECK(get("/xxl-job-admin/livez").status() == 404);
  CHECK(post("/xxl-job-admin/xxl-job-admin/api/registry", app_1).status() == 404);
}

TEST_CASE_METHOD(gateway_fixture, "repeated, verbose, unknown and foreign registrations pass", "[gateway]") {
  open();
  for (int i = 0; i < 3; ++i)
    CHECK(post(registry_path, app_1).body == plain_success);
  CHECK(post(registry_path, app_1.substr(0, app_1.size() - 1) + R"(,"zone":"b"})").body == plain_success);
  for (const auto* value : {"http://b:1/", "http://a:10/", "http://a:9/"})
    CHECK(post(registry_path, with_value(value)).body == plain_success);
  CHECK(post(registry_path, R"({"registryGroup":"EXECUTOR","registryKey":"nobody","registryValue":"http://h:1/"})").body ==
        plain_success);
  CHECK(post(registry_path, R"({"registryGroup":"OTHER","registryKey":"app-1","registryValue":"http://h:1/"})").body ==
        plain_success);
  REQUIRE(has_beats(seen, 9));
  CHECK(seen->beats[8].registry_group == "OTHER");
}

TEST_CASE_METHOD(gateway_fixture, "blank and missing fields are illegal", "[gateway]") {
  open();
  CHECK(post(registry_path, with_value(" ")).body == refusal("Illegal Argument."));
  CHECK(post(registry_path, R"({"registryGroup":"EXECUTOR","registryValue":"http://h:1/"})").body ==
        refusal("Illegal Argument."));
  CHECK(post(remove_path, with_value("")).body == refusal("Illegal Argument."));
}

TEST_CASE_METHOD(gateway_fixture, "addresses that would break a list or a log line are refused", "[gateway]") {
  open();
  CHECK(post(registry_path, with_value("http://a:1/,http://b:2/")).body == refusal("registryValue holds a comma."));
  CHECK(post(registry_path, with_value("http://a:1/\\n[error] x")).body ==
        refusal("registryValue holds a control character."));
  CHECK(post(remove_path, with_value("http://a:1/\\u001b[2J")).body == refusal("registryValue holds a control character."));
  CHECK(post(registry_path, app_1).body == plain_success);
  REQUIRE(has_beats(seen, 1));
  CHECK(seen->beats.size() == 1);
  CHECK(seen->removals.empty());
}

TEST_CASE_METHOD(gateway_fixture, "addresses that may not be called are not registered", "[gateway]") {
  open();
  for (const auto* address : {"http://169.254.169.254/", "http://169.254.169.254:80", "http://[fe80::1]:9999/",
                              "http://8.8.8.8:9/x", "http://[::ffff:169.254.169.254]/"}) {
    CAPTURE(address);
    const auto said = post(registry_path, with_value(address)).body;
    CHECK(said.find(R"({"code":500,"msg":"registryValue: )") == 0);
    CHECK(said.find("is outside security.executor_networks") != std::string::npos);
    // An address that was registered before may be withdrawn.
    CHECK(post(remove_path, with_value(address)).body == plain_success);
  }
  CHECK(post(registry_path, app_1).body == plain_success);
  REQUIRE(has_beats(seen, 1));
  CHECK(seen->beats.size() == 1);
}

TEST_CASE_METHOD(gateway_fixture, "registrations that do not fit a row are refused, and invalid UTF-8 is replaced", "[gateway]") {
  open();
  const auto body = [](const std::string& group, const std::string& key, const std::string& value) {
    return R"({"registryGroup":")" + group + R"(","registryKey":")" + key + R"(","registryValue":")" + value + "\"}";
  };
  for (const auto* path : {registry_path, remove_path}) {
    CHECK(post(path, body(std::string(51, 'g'), "k", "v")).body == refusal("registryGroup is longer than 50 characters."));
    CHECK(post(path, body("g", std::string(256, 'k'), "v")).body == refusal("registryKey is longer than 255 characters."));
    CHECK(post(path, body("g", "k", std::string(256, 'v'))).body == refusal("registryValue is longer than 255 characters."));
    for (const auto& empty : {body("", "k", "v"), body("g", "", "v"), body("g", "k", "")})
      CHECK(post(path, empty).body == refusal("Illegal Argument."));
  }
  CHECK(post(registry_path, body("g", "k", "http://\xff/")).body == plain_success);
  REQUIRE(has_beats(seen, 1));
  REQUIRE(seen->beats.size() == 1);
  CHECK(seen->beats[0].address == "http://\uFFFD/");
  CHECK(seen->removals.empty());
}

TEST_CASE_METHOD(gateway_fixture, "the token is compared exactly, its header without case", "[gateway]") {
  open();
  CHECK(post(registry_path, app_1, "").body == token_wrong);
  for (const auto* wrong : {"TK-1", "tk-", "tk-11", "", "tk-1tk-1"})
    CHECK(post(registry_path, app_1, "XXL-JOB-ACCESS-TOKEN: " + std::string(wrong) + "\r\n").body == token_wrong);
  CHECK(post(registry_path, app_1, "xxl-job-access-token: tk-1\r\n").body == plain_success);
  CHECK(post(registry_path, app_1, "Xxl-Job-Access-Token: tk-1\r\n").body == plain_success);
  CHECK(post(registry_path, app_1, "XXL-RPC-ACCESS-TOKEN: tk-1\r\n").body == plain_success);
  CHECK(post(registry_path, app_1, "XXL-RPC-ACCESS-TOKEN: tk-1\r\nXXL-JOB-ACCESS-TOKEN: no\r\n").body == token_wrong);
  CHECK(has_beats(seen, 3));
}

TEST_CASE_METHOD(gateway_fixture, "after 100 wrong tokens a minute only tokens that were right before pass", "[gateway]") {
  open();
  CHECK(post(registry_path, app_1).body == plain_success);
  for (std::size_t i = 0; i < core::failure_rate_limiter::a_minute_max; ++i)
    REQUIRE(post(registry_path, app_1, "XXL-JOB-ACCESS-TOKEN: guess\r\n").body == token_wrong);
  for (int i = 0; i < 3; ++i)
    CHECK(post(registry_path, app_1, "XXL-JOB-ACCESS-TOKEN: guess\r\n").body ==
          refusal("Too many requests, please try again later."));
  CHECK(post(registry_path, app_1).body == plain_success);
  // A right token that was never seen from there is not compared: the answer would reveal that it is right.
  core::group guarded;
  guarded.app_name = "app-1";
  guarded.access_token = "of-app-1";
  tell_groups(std::vector{guarded});
  CHECK(post(registry_path, app_1, "XXL-JOB-ACCESS-TOKEN: of-app-1\r\n").body ==
        refusal("Too many requests, please try again later."));
  CHECK(get("/metrics", "Authorization: Bearer wrong\r\nVia: 1.1 p\r\n").status() == 403);
  // Logged once, not for each.
  const auto logged = log_text.str();
  const auto at = logged.find("more than 100 wrong tokens in a minute from 127.0.0.1");
  REQUIRE(at != std::string::npos);
  CHECK(logged.find("wrong tokens", at + 30) == std::string::npos);
}

TEST_CASE_METHOD(gateway_fixture, "without a configured token executors need none", "[gateway]") {
  security.access_token = GENERATE(as<std::string>{}, "", "  ");
  open();
  CHECK(post(registry_path, app_1, "XXL-JOB-ACCESS-TOKEN:\r\n").body == plain_success);
  CHECK(post(registry_path, app_1, "").body == plain_success);
  CHECK(post(registry_path, app_1, "XXL-JOB-APPNAME: app-9\r\n").body == plain_success);
}

TEST_CASE_METHOD(gateway_fixture, "the previous common token is valid until its time, and both can be replaced", "[gateway]") {
  web.token = protocol::access_token_source{core::common_tokens{"new-1", "tk-1", core::from_ms(4'000'000'000'000)}};
  open();
  const auto admits = [&](const std::string& token) {
    return post(registry_path, app_1, "XXL-JOB-ACCESS-TOKEN: " + token + "\r\n").body == plain_success;
  };
  const auto is_operator = [&](const std::string& token) {
    return get("/metrics", "Authorization: Bearer " + token + "\r\nVia: 1.1 p\r\n").status() == 200;
  };
  CHECK(admits("new-1"));
  CHECK(admits("tk-1"));
  CHECK(is_operator("new-1"));
  CHECK(is_operator("tk-1"));
  web.token->replace({"new-1", "tk-1", core::from_ms(1'000)});
  CHECK(admits("new-1"));
  CHECK_FALSE(admits("tk-1"));
  CHECK_FALSE(is_operator("tk-1"));
  web.token->replace({"new-2", "new-1"});
  CHECK(admits("new-2"));
  CHECK(admits("new-1"));
  web.token->replace({"new-2"});
  CHECK_FALSE(admits("new-1"));
  CHECK_FALSE(admits(""));
}

TEST_CASE_METHOD(gateway_fixture, "method is checked before token, token before operation", "[gateway]") {
  open();
  const auto method = refusal("invalid request, HttpMethod not support.");
  auto reply = get(registry_path);
  CHECK(reply.head.substr(0, 17) == "HTTP/1.1 200 OK\r\n");
  CHECK(reply.body == method);
  CHECK(get("/api/nonsense").body == method);
  CHECK(ask(text("PUT", registry_path, app_1, "")).body == method);
  CHECK(ask(text("post", registry_path, app_1, "XXL-JOB-ACCESS-TOKEN: tk-1\r\n")).body == plain_success);
  CHECK(post("/xxl-job-admin/api/nothing", "{}").body == refusal("invalid request, uri-mapping(nothing) not found."));
  CHECK(post("/xxl-job-admin/api/nothing", "{}", "XXL-JOB-ACCESS-TOKEN: no\r\n").body == token_wrong);
  CHECK(post(registry_path, "", "XXL-JOB-ACCESS-TOKEN: no\r\n").body == token_wrong);
}

TEST_CASE_METHOD(gateway_fixture, "an unreadable body is refused with HTTP 200, and the connection stays open",
                 "[gateway]") {
  open();
  for (const auto* path : {registry_path, remove_path, callback_path})
    CHECK(post(path, "").body == refusal("invalid request, requestBody empty."));
  for (const std::string body : {R"({"registryGroup":)", "[]", "\"x\"", "{}}", "17", "<html>"}) {
    CAPTURE(body);
    auto reply = post(registry_path, body);
    CHECK(reply.status() == 200);
    CHECK(reply.body.rfind(R"({"code":500,"msg":"openapi invoke error: )", 0) == 0);
    CHECK(reply.head.find("Content-Type: application/json\r\n") != std::string::npos);
  }
  CHECK(post(registry_path, app_1).body == plain_success);
  CHECK(transport->counters().connections_open == 1);
  REQUIRE(has_beats(seen, 1));
  CHECK(seen->beats.size() == 1);
}

TEST_CASE_METHOD(gateway_fixture, "content type, framing and Accept do not matter", "[gateway]") {
  open();
  const std::string token = "XXL-JOB-ACCESS-TOKEN: tk-1\r\n";
  CHECK(post(registry_path, app_1, token + "Content-Type: text/plain\r\n").body == plain_success);
  CHECK(post(registry_path, app_1, token + "Content-Type: application/json;charset=UTF-8\r\n").body == plain_success);
  CHECK(post(registry_path, app_1, token + "Accept: text/html, *; q=.2, */*; q=.2\r\n").body == plain_success);
  std::string chunked = "POST /api/registry HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" + token + "\r\n";
  chunked += "10\r\n" + app_1.substr(0, 16) + "\r\n";
  std::ostringstream rest;
  rest << std::hex << app_1.size() - 16;
  chunked += rest.str() + "\r\n" + app_1.substr(16) + "\r\n0\r\n\r\n";
  CHECK(ask(chunked).body == plain_success);
  REQUIRE(has_beats(seen, 4));
  CHECK(seen->beats[3].address == "http://127.0.0.1:7001/");
}

TEST_CASE_METHOD(gateway_fixture, "a removal passes on exactly the address that was sent", "[gateway]") {
  open();
  CHECK(post(registry_path, app_1).body == plain_success);
  CHECK(post(remove_path, app_1).body == plain_success);
  CHECK(post(remove_path, with_value("http://127.0.0.1:7001")).body == plain_success);
  REQUIRE(seen->wait([](recorder& r) { return r.removals.size() == 2; }));
  CHECK(seen->removals[0].address == "http://127.0.0.1:7001/");
  CHECK(seen->removals[1].address == "http://127.0.0.1:7001");
  CHECK(seen->removals[1].app_name == "app-1");
}

TEST_CASE_METHOD(gateway_fixture, "callbacks in every spelling reach completion", "[gateway]") {
  open();
  const std::string bodies[] = {
    R"([{"logId":501,"logDateTim":1700000000000,"handleCode":200,"handleMsg":"fine"}])",
    R"([{"logId":501,"logDateTim":1700000000000,"handleCode":200}])",
    R"([{"logId":502,"logDateTim":0,"executeResult":{"code":500,"msg":"old"}}])",
    R"([{"logId":503,"executeResult":{"code":500,"msg":"","content":"go text"}}])",
    R"([{"logId":503,"handleCode":502,"executeResult":{"code":500,"msg":"x"}}])",
    R"({"callbackList":[{"logId":504,"logDateTime":1,"handleCode":200}]})",
    R"([{"logId":505,"handleCode":407}])",
  };
  for (const auto& body : bodies)
    CHECK(post(callback_path, body).body == plain_success);
  // The reply came after completion had the results: no wait.
  REQUIRE(seen->callbacks.size() == 7);
  CHECK(seen->callbacks[0].message == "fine");
  CHECK(seen->callbacks[1].message.empty());
  CHECK(seen->callbacks[2].message == "old");
  CHECK(seen->callbacks[3].message == "go text");
  CHECK(seen->callbacks[4].code == 502);
  CHECK(seen->callbacks[5].id == core::log_id{504});
  CHECK(seen->callbacks[6].code == 407);
}

TEST_CASE_METHOD(gateway_fixture, "an empty callback succeeds without a message to an actor", "[gateway]") {
  open();
  for (const auto* body : {"[]", "null", "[null]", R"({"callbackList":[]})", R"([{"handleCode":200}])"})
    CHECK(post(callback_path, body).body == plain_success);
  CHECK(seen->batches == 0);
}

TEST_CASE_METHOD(gateway_fixture, "long messages are cut, 2 000 items pass in one body", "[gateway]") {
  open();
  CHECK(post(callback_path, R"([{"logId":1,"handleCode":500,"handleMsg":")" + std::string(20000, 'm') + "\"}]").body ==
        plain_success);
  CHECK(seen->callbacks.at(0).message.size() == 15000);
  std::string body = "[";
  for (int i = 1; i <= 2000; ++i)
    body += (i > 1 ? "," : "") + (R"({"logId":)" + std::to_string(i)) + R"(,"logDateTim":1,"handleCode":200,"handleMsg":"ok"})";
  CHECK(post(callback_path, body + "]").body == plain_success);
  CHECK(seen->callbacks.size() == 2001);
  CHECK(seen->batches == 2);
}

TEST_CASE_METHOD(gateway_fixture, "an app name needs a group and the token", "[gateway]") {
  open();
  const auto invalid = refusal("invalid request, accessToken or appname invalid.");
  const std::string token = "XXL-JOB-ACCESS-TOKEN: tk-1\r\n";
  // Before the groups are known every name passes.
  CHECK(post(registry_path, app_1, token + "XXL-JOB-APPNAME: app-1\r\n").body == plain_success);
  tell_groups(std::vector<std::string>{"app-1", "app-2"});
  CHECK(post(registry_path, app_1, token + "XXL-JOB-APPNAME: app-1\r\n").body == plain_success);
  CHECK(post(registry_path, app_1, token + "XXL-JOB-APPNAME: ghost\r\n").body == invalid);
  CHECK(post(registry_path, app_1, "XXL-JOB-ACCESS-TOKEN: no\r\nXXL-JOB-APPNAME: app-1\r\n").body == invalid);
  CHECK(post(registry_path, app_1, "XXL-JOB-APPNAME: app-1\r\n").body
        == refusal("invalid request, accessToken or appname is empty."));
  for (const auto* blank : {"XXL-JOB-APPNAME:\r\n", "XXL-JOB-APPNAME:  \r\n"})
    CHECK(post(registry_path, app_1, token + blank).body == refusal("invalid request, accessToken or appname is empty."));
  CHECK(post(registry_path, app_1).body == plain_success);
  REQUIRE(has_beats(seen, 3));
  CHECK(seen->beats[1].app_header);
  CHECK_FALSE(seen->beats[2].app_header);
}

TEST_CASE_METHOD(gateway_fixture, "a group's token, and for a time its previous one, admits the group's executors", "[gateway]") {
  open();
  const auto now = std::chrono::floor<core::milliseconds>(std::chrono::system_clock::now());
  core::group guarded;
  guarded.app_name = "app-1";
  guarded.access_token = "of-app-1";
  guarded.previous_token = "was-of-app-1";
  guarded.previous_until = now + 1h;
  core::group former = guarded;
  former.app_name = "app-2";
  former.access_token = "of-app-2";
  former.previous_token = "was-of-app-2";
  former.previous_until = now - 1h;
  tell_groups(std::vector{guarded, former});
  auto registers = [&](const std::string& app, const std::string& token, const std::string& header) {
    const auto body = R"({"registryGroup":"EXECUTOR","registryKey":")" + app + R"(","registryValue":"http://a/"})";
    return post("/api/registry", body, "XXL-JOB-ACCESS-TOKEN: " + token + "\r\n" + header).body;
  };
  const std::string named = "XXL-JOB-APPNAME: app-1\r\n";
  const auto invalid = refusal("invalid request, accessToken or appname invalid.");
  CHECK(registers("app-1", "of-app-1", named) == plain_success);
  CHECK(registers("app-1", "was-of-app-1", named) == plain_success);
  CHECK(registers("app-1", "of-app-1", "") == plain_success);
  CHECK(registers("app-1", "tk-1", named) == plain_success);
  CHECK(registers("app-1", "of-app-2", named) == invalid);
  CHECK(registers("app-2", "of-app-1", named) == invalid);
  CHECK(registers("app-2", "of-app-1", "") == invalid);
  CHECK(registers("app-2", "was-of-app-2", "XXL-JOB-APPNAME: app-2\r\n") == invalid);
  CHECK(registers("app-2", "nobodys", "") == refusal("The access token is wrong."));
  REQUIRE(seen->wait([](const recorder& r) { return r.beats.size() == 4; }));
  using core::token_kind;
  CHECK(seen->beats[0].token == token_kind::group);
  CHECK(seen->beats[1].token == token_kind::previous);
  CHECK(seen->beats[2].token == token_kind::group);
  CHECK(seen->beats[3].token == token_kind::common);
}

TEST_CASE_METHOD(gateway_fixture, "a group's token registers no address of another group, no token one of a link", "[gateway]") {
  open();
  core::group pay;
  pay.app_name = "app-1";
  pay.access_token = "of-app-1";
  tell_groups(std::vector{pay});
  seen->note([](recorder& r) { r.taken_address = "http://127.0.0.1:7001/"; });
  constexpr std::string_view groups_token = "XXL-JOB-ACCESS-TOKEN: of-app-1\r\n";
  CHECK(post(registry_path, app_1, groups_token).body == refusal("registryValue: it is taken."));
  CHECK(post(registry_path, with_value("http://127.0.0.1:7002/"), groups_token).body == plain_success);
  CHECK(post(registry_path, app_1).body == plain_success);
  for (const auto token : {groups_token, std::string_view{"XXL-JOB-ACCESS-TOKEN: tk-1\r\n"}})
    for (const auto* address : {"ringmaster://app-1/one", "RingMaster://app-1/one", " ringmaster://x"})
      CHECK(post(registry_path, with_value(address), token).body
            == refusal("registryValue: such an address can only be registered over a native link."));
  REQUIRE(has_beats(seen, 2));
  CHECK(seen->beats[0].address == "http://127.0.0.1:7002/");
  CHECK(seen->beats[0].token == core::token_kind::group);
  CHECK(seen->beats[1].token == core::token_kind::common);
}

TEST_CASE_METHOD(gateway_fixture, "a callback is answered when it is durable, not before", "[gateway]") {
  seen->mode = completion_mode::hold;
  open();
  auto waiting = raw_socket::connect(address);
  waiting.send(text("POST", callback_path, R"([{"logId":1,"handleCode":200}])", "XXL-JOB-ACCESS-TOKEN: tk-1\r\n"));
  REQUIRE(seen->wait([](recorder& r) { return r.batches == 1; }));
  CHECK(waiting.is_quiet_for(50ms));
  // Other clients are served meanwhile.
  CHECK(get("/livez").body == "ok");
  protocol::anon_send(completion, protocol::sent_runs{});
  CHECK(waiting.read_message().body == plain_success);
}

TEST_CASE_METHOD(gateway_fixture, "a callback that is not stored gets no answer at all", "[gateway]") {
  seen->mode = GENERATE(completion_mode::refuse, completion_mode::hold);
  server.reply_timeout = 400ms;
  open();
  const auto begin = std::chrono::steady_clock::now();
  auto waiting = raw_socket::connect(address);
  waiting.send(text("POST", callback_path, R"([{"logId":1,"handleCode":200}])", "XXL-JOB-ACCESS-TOKEN: tk-1\r\n"));
  CHECK(waiting.read_to_end().empty());
  CHECK(std::chrono::steady_clock::now() - begin >= 350ms);
  CHECK(seen->batches == 1);
}

TEST_CASE_METHOD(gateway_fixture, "a gateway that ends leaves waiting callbacks unanswered", "[gateway]") {
  seen->mode = completion_mode::hold;
  server.reply_timeout = 400ms;
  open();
  auto waiting = raw_socket::connect(address);
  waiting.send(text("POST", callback_path, R"([{"logId":1,"handleCode":200}])", "XXL-JOB-ACCESS-TOKEN: tk-1\r\n"));
  REQUIRE(seen->wait([](recorder& r) { return r.batches == 1; }));
  caf::anon_send_exit(gateway_handle, caf::exit_reason::user_shutdown);
  CHECK(waiting.read_to_end().empty());
}

TEST_CASE_METHOD(gateway_fixture, "without completion a callback gets no answer, others are served", "[gateway]") {
  server.reply_timeout = 400ms;
  open();
  end_partner(1);
  auto waiting = raw_socket::connect(address);
  waiting.send(text("POST", callback_path, R"([{"logId":1,"handleCode":200},{"logId":2,"handleCode":200}])",
                    "XXL-JOB-ACCESS-TOKEN: tk-1\r\n"));
  CHECK(waiting.read_to_end().empty());
  CHECK(post(registry_path, app_1).body == plain_success);
  CHECK(transport->counters().connections_open == 1);
  const auto metrics = get("/metrics").body;
  CHECK(metrics.find(R"(ringmaster_http_requests_total{code="none",route="/api/callback"} 1 )") != std::string::npos);
  CHECK(metrics.find("ringmaster_callback_items_unanswered_total 2 ") != std::string::npos);
}

TEST_CASE_METHOD(gateway_fixture, "without a registry no executor is told that it is registered", "[gateway]") {
  open();
  CHECK(post(registry_path, app_1).body == plain_success);
  end_partner(0);
  const auto refused = refusal("the registry is not available");
  const auto end = std::chrono::steady_clock::now() + test_deadline;
  while (post(registry_path, app_1).body != refused && std::chrono::steady_clock::now() < end) {
  }
  CHECK(post(registry_path, app_1).body == refused);
  CHECK(post(remove_path, app_1).body == refused);
  CHECK(post(callback_path, R"([{"logId":1,"handleCode":200}])").body == plain_success);
}

TEST_CASE_METHOD(gateway_fixture, "a result is passed on with the groups of its sender's token", "[gateway]") {
  open();
  core::group mine, twin, other;
  mine.app_name = twin.app_name = "app-1";
  twin.access_token = "of-app-1";
  other.app_name = "app-2";
  tell_groups(std::vector{mine, other, twin});
  const std::string_view body = R"([{"logId":504,"handleCode":200}])";
  CHECK(post(callback_path, body, "XXL-JOB-ACCESS-TOKEN: tk-1\r\n").body == plain_success);
  CHECK(post(callback_path, body, "XXL-JOB-ACCESS-TOKEN: of-app-1\r\n").body == plain_success);
  REQUIRE(seen->callbacks.size() == 2);
  CHECK_FALSE(seen->callbacks[0].only_of);
  REQUIRE(seen->callbacks[1].only_of);
  // One executor serves all groups of its app name.
  CHECK(*seen->callbacks[1].only_of == std::vector{core::group_id{1}, core::group_id{3}});
}
