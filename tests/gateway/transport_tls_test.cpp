// TLS of server and client, between two transports and with misbehaving peers.

#include "tests/support/catch.hpp"

#include <atomic>
#include <filesystem>
#include <thread>

#include <sys/stat.h>

#include "protocol/tls/tls_context.hpp"
#include "tests/gateway/transport_fixture.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/raw_socket.hpp"
#include "tests/support/tls_peer.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using protocol::delivery;

namespace {

const std::string get_text = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

std::string tls_post_text(const std::string& body) {
  return "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Serves and calls itself; `security` trusts the certificate authority of `server`.
struct tls_fixture : transport_fixture {
  tls_fixture() {
    serve_with(authority.issue("first"));
    security.executor_ca = authority.file();
  }
  void serve_with(const certificate_files& files) {
    server.tls_certificate = files.certificate;
    server.tls_key = files.key;
  }
  [[nodiscard]] std::string origin() const { return "https://" + address; }
  [[nodiscard]] std::string port() const { return address.substr(address.rfind(':')); }
  void wait_for_failures(std::uint64_t expected) {
    const auto end = std::chrono::steady_clock::now() + test_deadline;
    while (transport->counters().handshakes_failed < expected && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    CHECK(transport->counters().handshakes_failed == expected);
  }

  temp_folder folder;
  test_authority authority{folder, "authority"};
};

} // namespace

TEST_CASE_METHOD(tls_fixture, "calls to an https address use TLS", "[gateway][tls]") {
  listen_echo();
  CHECK(call(make_call(origin(), "/run", "abc")).body == "POST /run abc");
  CHECK(call(make_call("https://localhost" + port(), "/run", "abc")).body == "POST /run abc");
  // the same connections again
  for (int i = 0; i < 50; ++i)
    CHECK(call(make_call(origin(), "/run", std::to_string(i))).body == "POST /run " + std::to_string(i));
  CHECK(transport->counters().connections_open == 2);
  CHECK(transport->counters().handshakes_failed == 0);
}

TEST_CASE_METHOD(tls_fixture, "large bodies pass in both directions over TLS", "[gateway][tls]") {
  listen_echo();
  trigger.reply_bytes_max = 64 * 1024 * 1024;
  for (const std::size_t size : {16U * 1024U, 100'000U, 9U * 1024U * 1024U}) {
    auto big = make_call(origin(), "/run", std::string(size, 'b'));
    big.reply_bytes_max = 2 * size + 1024;
    big.request_timeout = 20s;
    const auto result = call(std::move(big));
    CHECK(result.state == delivery::answered);
    CHECK(result.body.size() == size + 10);
  }
}

TEST_CASE_METHOD(tls_fixture, "requests in small records and pipelined ones are answered in order", "[gateway][tls]") {
  listen_echo();
  tls_peer client{address};
  REQUIRE(client.shake_hands());
  for (const char c : tls_post_text("abc"))
    client.send({&c, 1});
  CHECK(client.read_message().body == "POST /a abc");
  std::string many;
  for (int i = 0; i < 100; ++i)
    many += tls_post_text(std::to_string(i));
  client.send(many);
  for (int i = 0; i < 100; ++i)
    CHECK(client.read_message().body == "POST /a " + std::to_string(i));
  client.send("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  CHECK(client.read_message().status() == 100);
  client.send("abc");
  CHECK(client.read_message().body == "POST /a abc");
  client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  CHECK(client.read_message().status() == 200);
  CHECK_FALSE(client.read_some());
  CHECK(client.ended_well());
}

TEST_CASE_METHOD(tls_fixture, "a request of one record larger than the buffer is read to its end", "[gateway][tls]") {
  listen_echo();
  tls_peer client{address};
  REQUIRE(client.shake_hands());
  const std::string body(15'000, 'x');
  client.send(tls_post_text(body));
  CHECK(client.read_message().body == "POST /a " + body);
}

TEST_CASE_METHOD(tls_fixture, "a plain HTTP client gets the hint to use https", "[gateway][tls]") {
  listen_echo();
  auto client = raw_socket::connect(address);
  client.send(get_text);
  const auto reply = client.read_message();
  CHECK(reply.status() == 400);
  CHECK(reply.head.find("Content-Type: text/plain") != std::string::npos);
  CHECK(reply.body.find("https://") != std::string::npos);
  client.shutdown_write();
  CHECK(client.is_closed());
  wait_for_failures(1);
  CHECK(transport->counters().requests == 0);
}

TEST_CASE_METHOD(tls_fixture, "non-TLS bytes, half a handshake and silence end; silence is not a failure", "[gateway][tls]") {
  server.read_timeout = 200ms;
  listen_echo();
  auto garbage = raw_socket::connect(address);
  garbage.send("\x01\x02\x03");
  CHECK(garbage.is_closed());
  auto half = raw_socket::connect(address);
  half.send(std::string_view{"\x16\x03\x01\x02", 4});
  CHECK(half.is_closed());
  auto wrong = raw_socket::connect(address);
  wrong.send("\x16garbage, not a record");
  (void)wrong.read_to_end();
  auto silent = raw_socket::connect(address);
  CHECK(silent.is_closed());
  wait_for_failures(3);
  // A client that leaves without sending, as probes do, is not a failure either.
  { auto probe = raw_socket::connect(address); }
  CHECK(call(make_call(origin())).state == delivery::answered);
  CHECK(transport->counters().handshakes_failed == 3);
}

TEST_CASE_METHOD(tls_fixture, "a peer that only sends TLS-internal records does not delay others", "[gateway][tls]") {
  listen_echo();
  std::atomic<bool> over = false;
  std::thread talker{[&] {
    tls_peer client{address};
    if (!client.shake_hands())
      return;
    while (!over && client.renew_keys()) {
    }
  }};
  for (int i = 0; i < 20; ++i) {
    tls_peer other{address};
    CHECK(other.shake_hands());
    other.send(get_text);
    CHECK(other.read_message().status() == 200);
  }
  over = true;
  talker.join();
}

TEST_CASE_METHOD(tls_fixture, "a client that ends TLS while its reply is held is no longer awaited", "[gateway][tls]") {
  event came;
  protocol::http_reply_ptr held;
  listen([&](protocol::http_request&&, protocol::http_reply_ptr reply) {
    reply->hold(1h);
    held = std::move(reply);
    came.set();
  });
  {
    tls_peer client{address};
    REQUIRE(client.shake_hands());
    client.send(get_text);
    REQUIRE(came.wait());
    CHECK(held->is_awaited());
    client.end();
  }
  const auto give_up = std::chrono::steady_clock::now() + test_deadline;
  while (held->is_awaited() && std::chrono::steady_clock::now() < give_up)
    std::this_thread::yield();
  CHECK_FALSE(held->is_awaited());
}

TEST_CASE_METHOD(tls_fixture, "TLS 1.1 is refused, TLS 1.2 is accepted", "[gateway][tls]") {
  listen_echo();
  tls_peer old{address, {}, TLS1_1_VERSION};
  CHECK_FALSE(old.shake_hands());
  tls_peer fine{address, {}, TLS1_2_VERSION};
  REQUIRE(fine.shake_hands());
  fine.send(get_text);
  CHECK(fine.read_message().status() == 200);
  wait_for_failures(1);
}

TEST_CASE_METHOD(tls_fixture, "a server with an invalid certificate gets no byte of a call", "[gateway][tls]") {
  struct row {
    const char* what;
    const char* error;
  };
  const auto given =
    GENERATE(row{"another authority", "unable to get local issuer certificate"}, row{"another name", "IP address mismatch"},
             row{"expired", "certificate has expired"}, row{"plain", ""});
  CAPTURE(given.what);
  temp_folder elsewhere;
  test_authority stranger{elsewhere, "stranger"};
  if (given.what == std::string_view{"another authority"})
    security.executor_ca = stranger.file();
  else if (given.what == std::string_view{"another name"})
    serve_with(authority.issue("other", "DNS:other.example,IP:127.0.0.2"));
  else if (given.what == std::string_view{"expired"})
    serve_with(authority.issue("old", "IP:127.0.0.1", -60));
  else
    server.tls_certificate = server.tls_key = "";
  std::atomic<int> requests{0};
  listen([&](protocol::http_request&&, protocol::http_reply_ptr reply) {
    ++requests;
    reply->send({});
  });
  const auto result = call(make_call(origin()));
  CHECK(result.state == delivery::not_sent);
  CHECK(result.unreachable);
  CHECK(result.error.starts_with("cannot connect to " + address + ": TLS: "));
  CHECK(result.error.find(given.error) != std::string::npos);
  CHECK(requests == 0);
}

TEST_CASE_METHOD(tls_fixture, "a host name is checked against the names of the certificate", "[gateway][tls]") {
  serve_with(authority.issue("address-only", "IP:127.0.0.1"));
  listen_echo();
  CHECK(call(make_call("https://localhost" + port())).error.find("ostname mismatch") != std::string::npos);
  CHECK(call(make_call(origin())).state == delivery::answered);
}

TEST_CASE_METHOD(tls_fixture, "a peer that does not complete the handshake causes a connect timeout", "[gateway][tls]") {
  raw_listener executor;
  auto slow = make_call("https://" + executor.address());
  slow.connect_timeout = 100ms;
  const auto result = call(std::move(slow));
  CHECK(result.state == delivery::not_sent);
  CHECK(result.error == "cannot connect to " + executor.address() + ": no connection within 100 ms");
}

TEST_CASE_METHOD(tls_fixture, "a stop ends handshakes on both sides", "[gateway][tls]") {
  raw_listener executor;
  listen_echo();
  auto client = raw_socket::connect(address);
  client.send(std::string_view{"\x16\x03\x01", 3});
  collected_results results{1};
  post(results, make_calls(make_call("https://" + executor.address())));
  auto peer = executor.accept();
  peer.read(1);
  transport->stop_accepting();
  CHECK(client.is_closed());
  transport->stop();
  CHECK(results.wait().state == delivery::not_sent);
}

TEST_CASE_METHOD(tls_fixture, "clients show a certificate where the server requires one", "[gateway][tls]") {
  temp_folder elsewhere;
  test_authority stranger{elsewhere, "stranger"};
  server.tls_client_ca = authority.file();
  const auto who = GENERATE("no client", "a stranger", "a friend");
  CAPTURE(who);
  certificate_files own;
  if (who == std::string_view{"a stranger"})
    own = stranger.issue("mallory");
  else if (who == std::string_view{"a friend"})
    own = authority.issue("alice");
  security.executor_certificate = own.certificate;
  security.executor_key = own.key;
  listen_echo();
  const auto result = call(make_call(origin()));
  if (who == std::string_view{"a friend"}) {
    CHECK(result.state == delivery::answered);
    CHECK(call(make_call(origin())).state == delivery::answered);
  } else {
    CAPTURE(result.error);
    // A reset may overtake the alert.
    CHECK((result.state == delivery::not_sent || result.error.find("broke") != std::string::npos));
    CHECK(transport->counters().requests == 0);
    wait_for_failures(1);
  }
}

TEST_CASE_METHOD(tls_fixture, "new connections get the new certificate, and old ones stay open", "[gateway][tls]") {
  listen_echo();
  tls_peer old{address};
  REQUIRE(old.shake_hands());
  CHECK(old.name_of_server() == "first");
  const auto second = authority.issue("second");
  std::filesystem::copy_file(second.certificate, server.tls_certificate, std::filesystem::copy_options::overwrite_existing);
  // The key is still the one of the first certificate.
  const auto refused = transport->reload_tls();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().context.starts_with("server.tls_key = \"" + server.tls_key + "\": "));
  tls_peer still{address};
  REQUIRE(still.shake_hands());
  CHECK(still.name_of_server() == "first");
  std::filesystem::copy_file(second.key, server.tls_key, std::filesystem::copy_options::overwrite_existing);
  REQUIRE(transport->reload_tls());
  tls_peer fresh{address};
  REQUIRE(fresh.shake_hands());
  CHECK(fresh.name_of_server() == "second");
  for (auto* each : {&old, &still, &fresh}) {
    each->send(get_text);
    CHECK(each->read_message().status() == 200);
  }
}

TEST_CASE_METHOD(tls_fixture, "a call posted ahead finds its connection ready", "[gateway][tls][ahead]") {
  listen_echo();
  const auto when = std::chrono::steady_clock::now() + 300ms;
  std::vector<protocol::http_call> calls;
  for (int i = 0; i < 8; ++i) {
    calls.push_back(make_call(origin()));
    calls.back().not_before = when;
  }
  collected_results results{8};
  post(results, std::move(calls));
  while (transport->counters().connections_open < 8 && std::chrono::steady_clock::now() < when)
    std::this_thread::yield();
  CHECK(transport->counters().connections_open == 8);
  CHECK(std::chrono::steady_clock::now() < when);
  CHECK(transport->counters().requests == 0);
  results.wait_all();
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(results.wait(i).state == delivery::answered);
    CHECK(results.wait(i).sent_at >= when);
  }
  CHECK(transport->counters().connections_open == 8);
}

TEST_CASE_METHOD(tls_fixture, "unusable TLS files prevent the start", "[gateway][tls]") {
  server.tls_key = authority.issue("other").key;
  start();
  auto bound = transport->bind();
  REQUIRE_FALSE(bound);
  CHECK(bound.error().code == core::errc::invalid_argument);
  server.tls_certificate = folder.path() + "/none.pem";
  start();
  bound = transport->bind();
  REQUIRE_FALSE(bound);
  CHECK(bound.error().context.find("No such file") != std::string::npos);
}

TEST_CASE_METHOD(tls_fixture, "a certificate or key that cannot be used is refused in plain words", "[gateway][tls]") {
  const auto refused = [](const std::string& certificate, const std::string& key) {
    const auto made = protocol::make_tls_context(TLS_method());
    REQUIRE(made);
    const auto used = protocol::use_identity(*made, {certificate, "C: "}, {key, "K: "});
    return used ? std::string{} : used.error().context;
  };
  const auto refusal = [&](const std::string& key) { return refused(server.tls_certificate, key); };
  CHECK(refusal(server.tls_key).empty());
  CHECK(refused(server.tls_key, server.tls_key) == "C: not a PEM file with a certificate");
  CHECK(refusal(server.tls_certificate) == "K: not a PEM file with a private key");
  CHECK(refusal(authority.issue("other").key) == "K: key values mismatch");
  const auto locked = folder.path() + "/locked.key";
  {
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_EC_gen("P-256"), &EVP_PKEY_free};
    std::unique_ptr<BIO, decltype(&BIO_free)> out{BIO_new_file(locked.c_str(), "w"), &BIO_free};
    const std::string passphrase = "hush";
    REQUIRE(PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), EVP_aes_256_cbc(), passphrase.data(),
                                          static_cast<int>(passphrase.size()), nullptr, nullptr) == 1);
  }
  CHECK(refusal(locked) == "K: the key has a passphrase; store the key without one");
}

TEST_CASE("TLS contexts have security level 2 at least", "[gateway][tls]") {
  const auto made = protocol::make_tls_context(TLS_method());
  REQUIRE(made);
  CHECK(SSL_CTX_get_security_level(made->get()) >= 2);
}

TEST_CASE_METHOD(tls_fixture, "TLS files are examined", "[gateway][tls]") {
  using level = gateway::tls_finding::level;
  const auto now = std::chrono::system_clock::now();
  CHECK(gateway::examine_tls({}, {}, {}, now).empty());
  ::chmod(server.tls_key.c_str(), 0600);
  auto findings = gateway::examine_tls(server, {}, {}, now);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].how == level::warning); // ends in an hour
  ::chmod(server.tls_key.c_str(), 0644);
  CHECK(gateway::examine_tls(server, {}, {}, now).size() == 2);
  CHECK(gateway::examine_tls(server, {}, {}, now + 2h)[0].how == level::failure);
  serve_with(authority.issue("long", "DNS:a", 40L * 24 * 3600));
  CHECK(gateway::examine_tls(server, {}, {}, now)[0].how == level::fine);
  server.tls_key = folder.path() + "/none";
  CHECK(gateway::examine_tls(server, {}, {}, now)[0].how == level::failure);
  const auto node = authority.issue("node", "DNS:a", 3600);
  config::link_settings link{.listen = {}, .certificate = node.certificate, .key = node.key, .ca = authority.file()};
  CHECK(gateway::examine_tls({}, {}, link, now)[0].detail.starts_with("link.certificate = "));
  const auto usage_of = [&](const std::string& usage, const std::string& listen) {
    const auto made = authority.issue("used", "DNS:a", 40L * 24 * 3600, usage);
    ::chmod(made.key.c_str(), 0600);
    const config::link_settings used{listen, made.certificate, made.key, authority.file()};
    const auto found = gateway::examine_tls({}, {}, used, now);
    return found.back().how;
  };
  CHECK(usage_of("", "127.0.0.1:0") == level::warning);
  CHECK(usage_of("serverAuth", "127.0.0.1:0") == level::fine);
  CHECK(usage_of("serverAuth,clientAuth", "127.0.0.1:0") == level::fine);
  CHECK(usage_of("clientAuth", "127.0.0.1:0") == level::failure);
  CHECK(usage_of("", "") == level::warning);
  CHECK(usage_of("clientAuth", "") == level::fine);
  CHECK(usage_of("serverAuth,clientAuth", "") == level::warning);
  CHECK(usage_of("serverAuth", "") == level::failure);
  link.ca = folder.path() + "/none";
  findings = gateway::examine_tls({}, {}, link, now);
  CHECK(findings[0].how == level::failure);
  CHECK(findings[0].detail.starts_with("link.ca"));
}
