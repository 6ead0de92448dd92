#include "core/access/login_rate_limiter.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;

namespace {

struct gate_fixture {
  core::login_rate_limiter gate;
  core::login_rate_limiter::time now{1000h};

  void fail(int times, const std::string& name = "anna", const std::string& remote = "10.0.0.1") {
    for (int i = 0; i < times; ++i)
      gate.began(name, remote, now);
  }
  [[nodiscard]] std::chrono::seconds wait(const std::string& name = "anna", const std::string& remote = "10.0.0.1") const {
    return std::chrono::ceil<std::chrono::seconds>(gate.remaining(name, remote, now));
  }
};

} // namespace

TEST_CASE_METHOD(gate_fixture, "login rate limiter: four failures are free, then the wait doubles to 15 minutes", "[core]") {
  fail(4);
  CHECK(wait() == 0s);
  for (const auto expected : {1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s, 512s, 900s, 900s}) {
    fail(1);
    CHECK(wait() == expected);
    now += expected;
    CHECK(wait() == 0s);
  }
}

TEST_CASE_METHOD(gate_fixture, "login rate limiter: a name is delayed from one address only, in any case", "[core]") {
  fail(5, "Anna");
  CHECK(wait("aNNA") == 1s);
  CHECK(wait("anna", "10.0.0.2") == 0s);
  CHECK(wait("berta") == 0s);
}

TEST_CASE_METHOD(gate_fixture, "login rate limiter: an address that tries many names is delayed for all names", "[core]") {
  for (int i = 0; i < 20; ++i) {
    CHECK(wait("berta") == 0s);
    fail(1, "user" + std::to_string(i));
  }
  CHECK(wait("berta") == 1s);
  CHECK(wait("berta", "10.0.0.2") == 0s);
}

TEST_CASE_METHOD(gate_fixture, "login rate limiter: a success clears the name, not the address", "[core]") {
  fail(19);
  gate.succeeded("ANNA", "10.0.0.1");
  CHECK(wait() == 0s);
  fail(1, "other");
  CHECK(wait("berta") == 0s);
  fail(1, "other");
  CHECK(wait("berta") == 1s);
}

TEST_CASE_METHOD(gate_fixture, "login rate limiter: failures expire after 15 minutes", "[core]") {
  fail(4);
  now += 15min + 1s;
  fail(4);
  CHECK(wait() == 0s);
  fail(1);
  CHECK(wait() == 1s);
}

TEST_CASE_METHOD(gate_fixture, "login rate limiter: the longest wait is not followed by free attempts", "[core]") {
  fail(20);
  now += 15min;
  CHECK(wait() == 0s);
  fail(1);
  CHECK(wait() == 15min);
}

TEST_CASE_METHOD(gate_fixture, "login rate limiter: memory is bounded, and the oldest entries are removed first", "[core]") {
  fail(5);
  for (std::size_t i = 0; i < 2 * core::login_rate_limiter::entries_max; ++i)
    fail(1, "user", "remote" + std::to_string(i));
  CHECK(gate.size() == core::login_rate_limiter::entries_max);
  CHECK(wait() == 0s);
  fail(4, "user", "remote" + std::to_string(2 * core::login_rate_limiter::entries_max - 1));
  CHECK(wait("user", "remote" + std::to_string(2 * core::login_rate_limiter::entries_max - 1)) == 1s);
}

TEST_CASE_METHOD(gate_fixture, "login rate limiter: an attempt that was not a failure leaves no trace", "[core]") {
  fail(1);
  gate.taken_back("anna", "10.0.0.1");
  CHECK(gate.size() == 0);
  fail(5);
  now += 10s;
  // The wait is that after the fifth failure, not after the attempt.
  fail(1);
  gate.taken_back("anna", "10.0.0.1");
  CHECK(wait() == 0s);
  gate.taken_back("berta", "10.0.0.9");
  gate.succeeded("berta", "10.0.0.9");
  CHECK(gate.size() == 2);
}

TEST_CASE_METHOD(gate_fixture, "login rate limiter: blanks around a name and addresses of one network do not differ", "[core]") {
  for (const std::string name : {"anna", "anna ", " anna", "ANNA  ", "anna\t"})
    fail(1, name);
  CHECK(wait() == 1s);
  for (int i = 0; i < 5; ++i)
    fail(1, "berta", "2001:db8::" + std::to_string(i));
  CHECK(wait("berta", "2001:db8::ffff:1") == 1s);
  CHECK(wait("berta", "2001:db8:0:1::1") == 0s);
}

TEST_CASE_METHOD(gate_fixture, "login rate limiter: users behind a proxy with an attacker wait 5 seconds at most", "[core]") {
  for (int i = 0; i < 1000; ++i)
    fail(1, "user" + std::to_string(i));
  CHECK(wait() == 5s);
  now += 5s;
  CHECK(wait() == 0s);
  // An attacker that continues at this rate changes nothing.
  fail(1, "user");
  CHECK(wait() == 5s);
}

TEST_CASE_METHOD(gate_fixture, "login rate limiter: an address loses one failure a minute", "[core]") {
  for (int i = 0; i < 20; ++i)
    fail(1, "user" + std::to_string(i));
  CHECK(wait("berta") == 1s);
  now += 3min;
  // 17 still count, so that the wait comes with the third from now.
  for (int i = 0; i < 2; ++i)
    fail(1, "new" + std::to_string(i));
  CHECK(wait("berta") == 0s);
  fail(1, "new");
  CHECK(wait("berta") == 1s);
  // Regardless of their number, the address is free again 15 minutes later.
  for (int i = 0; i < 1000; ++i)
    fail(1, "user" + std::to_string(i));
  now += 17min;
  CHECK(wait("berta") == 0s);
  fail(1, "new");
  CHECK(wait("berta") == 0s);
}
