#include "core/limits/failure_rate_limiter.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using verdict = core::failure_rate_limiter::verdict;

namespace {

struct meter_fixture {
  core::failure_rate_limiter meter;
  core::failure_rate_limiter::time now{1000h};

  /// Reports failures and returns the last verdict.
  verdict fail(std::size_t times, const std::string& remote = "10.0.0.1") {
    auto last = verdict::few;
    for (std::size_t i = 0; i < times; ++i)
      last = meter.failed(remote, now);
    return last;
  }
};

constexpr auto most = core::failure_rate_limiter::a_minute_max;

} // namespace

TEST_CASE_METHOD(meter_fixture, "failure rate limiter: few up to 100 a minute, then first_too_many, then too_many", "[core]") {
  CHECK(fail(most) == verdict::few);
  CHECK(fail(1) == verdict::first_too_many);
  CHECK(fail(1) == verdict::too_many);
  CHECK(fail(10 * most) == verdict::too_many);
  CHECK(fail(1, "10.0.0.2") == verdict::few);
  now += 59s;
  CHECK(fail(1) == verdict::too_many);
  now += 1s;
  CHECK(fail(most) == verdict::few);
  CHECK(fail(1) == verdict::first_too_many);
}

TEST_CASE_METHOD(meter_fixture, "failure rate limiter: addresses of one IPv6 network count as one", "[core]") {
  for (std::size_t i = 0; i < most; ++i)
    fail(1, "2001:db8::" + std::to_string(i));
  CHECK(fail(1, "2001:db8::ffff:1") == verdict::first_too_many);
  CHECK(fail(1, "2001:db8:0:1::1") == verdict::few);
}

TEST_CASE_METHOD(meter_fixture, "failure rate limiter: an address is exhausted for the rest of its minute", "[core]") {
  fail(most - 1);
  CHECK_FALSE(meter.is_exhausted("10.0.0.1", now));
  fail(1);
  CHECK(meter.is_exhausted("10.0.0.1", now));
  CHECK_FALSE(meter.is_exhausted("10.0.0.2", now));
  CHECK(meter.is_exhausted("10.0.0.1", now + 59s));
  CHECK_FALSE(meter.is_exhausted("10.0.0.1", now + 60s));
}

TEST_CASE("known tokens: a pair of address and token is kept for ten minutes, and memory is bounded", "[core]") {
  core::known_tokens known;
  core::failure_rate_limiter::time now{1000h};
  known.keep("2001:db8::1", "secret", now);
  CHECK(known.contains("2001:db8::2", "secret", now + 599s));
  CHECK_FALSE(known.contains("2001:db8::2", "secret", now + 600s));
  CHECK_FALSE(known.contains("2001:db8::2", "Secret", now));
  CHECK_FALSE(known.contains("10.0.0.1", "secret", now));
  for (std::size_t i = 0; i < 3 * core::known_tokens::pairs_max; ++i)
    known.keep("10.0.0.1", std::to_string(i), now);
  CHECK(known.size() <= core::known_tokens::pairs_max);
}

TEST_CASE_METHOD(meter_fixture, "failure rate limiter: memory is bounded", "[core]") {
  for (std::size_t i = 0; i < 3 * core::failure_rate_limiter::addresses_max; ++i)
    fail(1, "remote" + std::to_string(i));
  CHECK(meter.size() <= core::failure_rate_limiter::addresses_max);
  now += 1min;
  for (std::size_t i = 0; i <= core::failure_rate_limiter::addresses_max; ++i)
    fail(1, "other" + std::to_string(i));
  CHECK(meter.size() <= core::failure_rate_limiter::addresses_max);
}

TEST_CASE_METHOD(meter_fixture, "failure rate limiter: a flood of new addresses forgets no address that is counted", "[core]") {
  fail(most + 1, "2001:db8:1::1");
  fail(2, "10.0.0.2");
  for (std::size_t i = 0; i < 5 * core::failure_rate_limiter::addresses_max; ++i)
    fail(1, "2001:db8:2:" + std::to_string(i) + "::1");
  CHECK(meter.size() <= core::failure_rate_limiter::addresses_max);
  CHECK(meter.is_exhausted("2001:db8:1::1", now));
  CHECK(fail(1, "2001:db8:1::1") == verdict::too_many);
  CHECK(fail(most - 2, "10.0.0.2") == verdict::few);
  CHECK(fail(1, "10.0.0.2") == verdict::first_too_many);
}
