#include "tests/support/catch.hpp"

#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/raw_socket.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using protocol::delivery;

TEST_CASE_METHOD(transport_fixture, "a connection is used again, never by two calls at once", "[gateway]") {
  raw_listener executor;
  trigger.connections_per_executor = 1;
  collected_results results{5};
  post(results, std::vector<protocol::http_call>(5, make_call(executor.origin())));
  auto peer = executor.accept();
  for (std::size_t i = 0; i < 5; ++i) {
    peer.read_message();
    CHECK(peer.is_quiet_for(5ms)); // no pipelining (XXL wire S14)
    peer.send(reply_with(std::to_string(i)));
    CHECK(results.wait(i).body == std::to_string(i));
  }
  CHECK(executor.is_quiet_for(5ms));
}

TEST_CASE_METHOD(transport_fixture, "no more connections than allowed are opened", "[gateway]") {
  raw_listener executor;
  trigger.connections_per_executor = 3;
  collected_results results{7};
  post(results, std::vector<protocol::http_call>(7, make_call(executor.origin())));
  std::vector<raw_socket> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(executor.accept());
    peers.back().read_message();
  }
  CHECK(executor.is_quiet_for(20ms));
  // Waiting calls go on in order, on any connection that becomes free.
  for (std::size_t i = 3; i < 7; ++i) {
    peers[i % 3].send(reply_with("{}"));
    peers[i % 3].read_message();
  }
  for (auto& peer : peers)
    peer.send(reply_with("{}"));
  results.wait_all();
  CHECK(results.doubled() == 0);
  CHECK(executor.is_quiet_for(5ms));
}

TEST_CASE_METHOD(transport_fixture, "a connection that the peer closed while idle is replaced, and no call is unknown",
                 "[gateway]") {
  raw_listener executor;
  for (int i = 0; i < 20; ++i) {
    collected_results results{1};
    post(results, make_calls(make_call(executor.origin())));
    auto peer = executor.accept();
    peer.read_message();
    peer.send(reply_with("{}"));
    REQUIRE(results.wait().state == delivery::answered);
    if (i % 2 == 0)
      peer.reset();
    else
      peer.close();
    // The next call may come before the client has noticed.
  }
}

TEST_CASE_METHOD(transport_fixture, "Connection: close is honoured", "[gateway]") {
  raw_listener executor;
  collected_results results{1};
  post(results, make_calls(make_call(executor.origin())));
  auto peer = executor.accept();
  peer.read_message();
  peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
  CHECK(results.wait().body == "{}");
  // The peer announced the close and does not do it, so the client does.
  CHECK(peer.is_closed());
}

TEST_CASE_METHOD(transport_fixture, "a connection is closed before the peer's keep-alive time ends", "[gateway]") {
  raw_listener executor;
  collected_results results{1};
  post(results, make_calls(make_call(executor.origin())));
  auto peer = executor.accept();
  peer.read_message();
  peer.send("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\n{}");
  CHECK(results.wait().body == "{}");
  CHECK(peer.is_closed());
}

TEST_CASE_METHOD(transport_fixture, "an idle connection is closed after its time", "[gateway]") {
  raw_listener executor;
  trigger.connection_idle = 50ms;
  collected_results results{1};
  post(results, make_calls(make_call(executor.origin())));
  auto peer = executor.accept();
  peer.read_message();
  peer.send(reply_with("{}"));
  CHECK(results.wait().state == delivery::answered);
  CHECK(peer.is_closed());
  // It works again, whether the origin was forgotten meanwhile or not.
  for (int i = 0; i < 3; ++i) {
    collected_results more{1};
    post(more, make_calls(make_call(executor.origin())));
    auto again = executor.accept();
    again.read_message();
    again.send(reply_with("{}"));
    CHECK(more.wait().state == delivery::answered);
    CHECK(again.is_closed());
  }
}

TEST_CASE_METHOD(transport_fixture, "a silent executor delays neither its waiting calls nor other executors", "[gateway]") {
  raw_listener silent;
  trigger.connections_per_executor = 2;
  listen_echo();
  auto lost = make_call(silent.origin());
  lost.connect_timeout = 100ms;
  lost.request_timeout = 300ms;
  collected_results results{50};
  post(results, std::vector<protocol::http_call>(50, lost));
  CHECK(call(make_call("http://" + address)).state == delivery::answered);
  results.wait_all();
  std::size_t unknown = 0, not_sent = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    unknown += results.wait(i).state == delivery::unknown ? 1 : 0;
    not_sent += results.wait(i).state == delivery::not_sent ? 1 : 0;
    CHECK(results.wait(i).elapsed < 5s);
  }
  CHECK(unknown == 2);
  CHECK(not_sent == 48);
}

TEST_CASE_METHOD(transport_fixture, "calls wait for an executor that is slow but answers", "[gateway]") {
  raw_listener slow;
  trigger.connections_per_executor = 1;
  auto patient = make_call(slow.origin());
  patient.connect_timeout = 150ms;
  collected_results results{6};
  post(results, std::vector<protocol::http_call>(6, patient));
  auto peer = slow.accept();
  for (int i = 0; i < 6; ++i) {
    peer.read_message();
    CHECK(peer.is_quiet_for(60ms));
    peer.send(reply_with("{}"));
  }
  results.wait_all();
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(results.wait(i).state == delivery::answered);
  // Together longer than one call would have waited.
  CHECK(results.wait(5).elapsed > 150ms);
}

TEST_CASE_METHOD(transport_fixture, "an executor that is down fails all its calls at once, one that comes back serves",
                 "[gateway]") {
  raw_listener executor;
  auto origin = executor.origin();
  auto address_text = executor.address();
  executor.close();
  collected_results results{1000};
  post(results, std::vector<protocol::http_call>(1000, make_call(origin)));
  results.wait_all();
  for (std::size_t i = 0; i < 1000; ++i)
    CHECK(results.wait(i).state == delivery::not_sent);
  server.listen = address_text;
  transport_fixture reborn;
  reborn.server.listen = address_text;
  reborn.listen_echo();
  CHECK(call(make_call(origin)).state == delivery::answered);
}

TEST_CASE_METHOD(transport_fixture, "a peer that accepts and closes causes no endless loop", "[gateway]") {
  raw_listener executor;
  event over;
  std::thread closer([&] {
    while (!executor.is_quiet_for(300ms))
      executor.accept().reset();
  });
  collected_results results{100};
  post(results, std::vector<protocol::http_call>(100, make_call(executor.origin())));
  results.wait_all();
  closer.join();
  for (std::size_t i = 0; i < 100; ++i)
    CHECK(results.wait(i).state != delivery::answered);
  CHECK(results.doubled() == 0);
}
