#include "tests/support/catch.hpp"

#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/raw_socket.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using protocol::delivery;

TEST_CASE_METHOD(transport_fixture, "a call is one POST with exact headers, and its answer comes back", "[gateway]") {
  raw_listener executor;
  auto call = make_call(executor.origin(), "/job/run", "{\"jobId\":1}");
  call.headers = {{"XXL-JOB-ACCESS-TOKEN", "tk-1"}};
  collected_results results{1};
  post(results, make_calls(std::move(call)));
  auto peer = executor.accept();
  auto request = peer.read_message();
  CHECK(request.head ==
        "POST /job/run HTTP/1.1\r\nHost: " + executor.address() +
          "\r\nContent-Type: application/json;charset=UTF-8\r\nXXL-JOB-ACCESS-TOKEN: tk-1\r\nContent-Length: 11\r\n\r\n");
  CHECK(request.body == "{\"jobId\":1}");
  CHECK_FALSE(results.is_done());
  CHECK(transport->counters().calls_in_flight == 1);
  peer.send(reply_with("{\"code\":200}"));
  auto result = results.wait();
  CHECK(result.state == delivery::answered);
  CHECK(result.status == 200);
  CHECK(result.body == "{\"code\":200}");
  CHECK(result.error.empty());
  CHECK(result.elapsed > 0us);
  CHECK(transport->counters().calls == 1);
  CHECK(transport->counters().calls_in_flight == 0);
}

TEST_CASE_METHOD(transport_fixture, "answers of every executor family are complete", "[gateway]") {
  raw_listener executor;
  struct row {
    std::string reply;
    unsigned status;
    std::string body;
    bool closes;
  };
  auto given = GENERATE(
    row{"HTTP/1.1 200 200 OK\nContent-Length: 12\n\n{\"code\":200}", 200, "{\"code\":200}", false},
    row{"HTTP/1.1 402 Payment Required\r\nContent-Length: 25\r\n\r\n{\"code\":402,\"msg\":\"busy\"}", 402,
        "{\"code\":402,\"msg\":\"busy\"}", false},
    row{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "", false},
    row{"HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n[{\"handleCode\":1}]", 200, "[{\"handleCode\":1}", false},
    row{"HTTP/1.1 200\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 200, "{}", false},
    row{"HTTP/1.0 200 OK\r\n\r\n{\"code\":200}", 200, "{\"code\":200}", true},
    row{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 x\r\nContent-Length: 3\r\n\r\nbad", 500, "bad", false});
  CAPTURE(given.reply);
  collected_results results{1};
  post(results, make_calls(make_call(executor.origin())));
  auto peer = executor.accept();
  peer.read_message();
  peer.send(given.reply);
  if (given.closes)
    peer.close();
  auto result = results.wait();
  CHECK(result.state == delivery::answered);
  CHECK(result.status == given.status);
  CHECK(result.body == given.body);
}

TEST_CASE_METHOD(transport_fixture, "calls to invalid addresses end as not sent", "[gateway]") {
  auto address = GENERATE("", "not an url", "http://", "http://h:0", "http://h:70000", "https://127.0.0.1:1", "ftp://127.0.0.1:1",
                          "a@b:1", "http://127.0.0.1:1?x=", "http://127.0.0.1:1/a b");
  CAPTURE(address);
  auto parts = protocol::split_address(address);
  auto result = call(make_call(parts.origin, parts.prefix + "/run"));
  CHECK(result.state == delivery::not_sent);
  CHECK_FALSE(result.error.empty());
  CHECK(result.status == 0);
}

TEST_CASE_METHOD(transport_fixture, "a refused connection is not sent", "[gateway]") {
  raw_listener executor;
  auto origin = executor.origin();
  executor.close();
  auto result = call(make_call(origin));
  CHECK(result.state == delivery::not_sent);
  CHECK(result.error == "cannot connect to " + origin.substr(7) + ": Connection refused");
}

TEST_CASE_METHOD(transport_fixture, "a peer that does not accept causes a connect timeout", "[gateway]") {
  // A full backlog: the kernel drops further handshakes.
  raw_listener executor{0};
  auto first = raw_socket::connect(executor.address());
  auto call = make_call(executor.origin());
  call.connect_timeout = 50ms;
  call.request_timeout = 100ms;
  collected_results results{40};
  post(results, std::vector<protocol::http_call>(40, call));
  results.wait_all();
  // One more handshake fits into the backlog; calls that wait for a connection give up with the others.
  std::size_t not_sent = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    not_sent += results.wait(i).state == delivery::not_sent ? 1 : 0;
    CHECK(results.wait(i).elapsed < 5s);
  }
  CHECK(not_sent >= 38);
}

TEST_CASE_METHOD(transport_fixture, "the gate is checked right before the first byte", "[gateway]") {
  raw_listener executor;
  auto gate = std::make_shared<protocol::send_gate>();
  auto gated = make_call(executor.origin());
  gated.gate = gate;
  SECTION("closed from the beginning") {
    auto result = call(gated);
    CHECK(result.state == delivery::gate_closed);
    CHECK_FALSE(result.error.empty());
    auto peer = executor.accept();
    CHECK(peer.is_quiet_for(20ms));
    // The connection itself is good, and an open gate lets calls pass.
    gate->open_until(0, protocol::boottime_ns() + 60'000'000'000);
    collected_results results{1};
    post(results, make_calls(gated));
    peer.read_message();
    peer.send(reply_with("{}"));
    CHECK(results.wait().state == delivery::answered);
  }
  SECTION("closed while the call waits for a connection") {
    trigger.connections_per_executor = 1;
    gate->open_until(0, protocol::boottime_ns() + 60'000'000'000);
    collected_results results{3};
    post(results, make_calls(gated, gated, make_call(executor.origin())));
    auto peer = executor.accept();
    peer.read_message();
    gate->close();
    peer.send(reply_with("1"));
    CHECK(results.wait(0).state == delivery::answered);
    CHECK(results.wait(1).state == delivery::gate_closed);
    peer.read_message();
    peer.send(reply_with("3"));
    CHECK(results.wait(2).body == "3");
  }
  SECTION("closed in the middle of a large request") {
    gate->open_until(0, protocol::boottime_ns() + 60'000'000'000);
    gated.body.assign(64 * 1024 * 1024, 'x');
    collected_results results{1};
    post(results, make_calls(gated));
    auto peer = executor.accept();
    peer.read(1000);
    gate->close();
    CHECK(peer.read_to_end().size() < gated.body.size());
    CHECK(results.wait().state == delivery::unknown);
  }
}

TEST_CASE_METHOD(transport_fixture, "only the allowed networks are called", "[gateway]") {
  raw_listener executor;
  SECTION("an address outside") {
    security.executor_networks = {"10.0.0.0/8"};
    auto result = call(make_call(executor.origin()));
    CHECK(result.state == delivery::not_sent);
    CHECK(result.error == "127.0.0.1 is outside security.executor_networks");
    CHECK(executor.is_quiet_for(20ms));
  }
  SECTION("a name that points outside") {
    security.executor_networks = {"10.0.0.0/8"};
    auto result = call(make_call("http://localhost:" + std::to_string(executor.port())));
    CHECK(result.state == delivery::not_sent);
    CHECK(result.error == "localhost is outside security.executor_networks");
    CHECK(executor.is_quiet_for(20ms));
  }
  SECTION("metadata, although everything is allowed") {
    security.executor_networks = {"0.0.0.0/0", "::/0"};
    for (auto origin :
         {"http://169.254.169.254", "http://[fd00:ec2::254]", "http://[::ffff:169.254.169.254]", "http://[fe80::1]:80"}) {
      CAPTURE(origin);
      auto result = call(make_call(origin));
      CHECK(result.state == delivery::not_sent);
      CHECK(result.error.find("outside security.executor_networks") != std::string::npos);
    }
  }
  SECTION("0.0.0.0 is judged by the address that it reaches") {
    security.executor_networks = {"0.0.0.0/32"};
    auto result = call(make_call("http://0.0.0.0:" + std::to_string(executor.port())));
    CHECK(result.state == delivery::not_sent);
    CHECK(result.error.find("127.0.0.1 is outside security.executor_networks") != std::string::npos);
    CHECK(executor.accept().is_closed());
  }
}

TEST_CASE_METHOD(transport_fixture, "names are resolved, and unknown ones are not sent", "[gateway]") {
  listen_echo();
  auto port = address.substr(address.rfind(':') + 1);
  auto result = call(make_call("http://localhost:" + port, "/run", "by name"));
  CHECK(result.state == delivery::answered);
  CHECK(result.body == "POST /run by name");
  auto unknown = make_call("http://no-such-host.invalid:80");
  unknown.connect_timeout = 10000ms;
  auto failed = call(unknown);
  CHECK(failed.state == delivery::not_sent);
  CHECK(failed.error.find("no-such-host.invalid") != std::string::npos);
}

TEST_CASE_METHOD(transport_fixture, "IPv6 executors are called", "[gateway]") {
  server.listen = "[::1]:0";
  listen_echo();
  auto result = call(make_call("http://" + address, "/run", "six"));
  CHECK(result.state == delivery::answered);
  CHECK(result.body == "POST /run six");
}

TEST_CASE_METHOD(transport_fixture, "an empty batch ends at once", "[gateway]") {
  start();
  transport->client()->post({}, [](std::size_t, protocol::http_result&&) { FAIL("no call, no result"); });
  transport->stop();
}

TEST_CASE_METHOD(transport_fixture, "stop completes every call according to its progress", "[gateway]") {
  trigger.connections_per_executor = 1;
  raw_listener executor;
  collected_results results{2};
  post(results, make_calls(make_call(executor.origin()), make_call(executor.origin())));
  auto peer = executor.accept();
  peer.read_message();
  auto client = transport->client();
  transport->stop();
  CHECK(results.wait(0).state == delivery::unknown);
  CHECK(results.wait(1).state == delivery::not_sent);
  CHECK(peer.is_closed());
  collected_results later{1};
  client->post(make_calls(make_call(executor.origin())), later.completion());
  CHECK(later.wait().state == delivery::not_sent);
  transport.reset();
  collected_results latest{1};
  client->post(make_calls(make_call(executor.origin())), latest.completion());
  CHECK(latest.wait().state == delivery::not_sent);
}

TEST_CASE_METHOD(transport_fixture, "completions run on the io thread and may post again", "[gateway]") {
  listen_echo();
  auto client = transport->client();
  collected_results results{1};
  event done;
  std::mutex mutex;
  std::string thread_name;
  client->post(make_calls(make_call("http://" + address)), [&](std::size_t, protocol::http_result&&) {
    char name[16] = {};
    ::pthread_getname_np(::pthread_self(), name, sizeof name);
    std::lock_guard guard{mutex};
    thread_name = name;
    client->post(make_calls(make_call("http://" + address, "/again")), results.completion());
    throw std::runtime_error("a defect of the caller");
  });
  CHECK(results.wait().body == "POST /again {}");
  std::lock_guard guard{mutex};
  CHECK(thread_name == "rm-io");
}
