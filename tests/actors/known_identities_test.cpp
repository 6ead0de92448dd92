#include "actors/console/known_identities.hpp"

#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using actors::known_identities;

namespace {

constexpr known_identities::steady asked_at{1h};

known_identities::entry owned_by(std::int64_t user, std::int64_t key = 0) {
  known_identities::entry entry;
  entry.found.who.user = core::user_id{static_cast<std::int32_t>(user)};
  entry.key = core::api_key_id{key};
  return entry;
}

} // namespace

TEST_CASE("an identity is used for a second, or for the rest of its lifetime", "[actors]") {
  known_identities known;
  known.keep("a", owned_by(1), 1h, known.epoch(), asked_at);
  CHECK(known.find("a")->until == asked_at + 1s);
  known.keep("b", owned_by(1), 300ms, known.epoch(), asked_at);
  CHECK(known.find("b")->until == asked_at + 300ms);
  known.note("c");
  CHECK(known.find("c")->until < asked_at);
  CHECK_FALSE(known.find("d"));
}

TEST_CASE("an answer of the store from before an end is not kept", "[actors]") {
  known_identities known;
  const auto epoch = known.epoch();
  known.end("other");
  known.keep("a", owned_by(1), 1h, epoch, asked_at);
  CHECK_FALSE(known.find("a"));
}

TEST_CASE("ended identities are unknown, expired ones stay known", "[actors]") {
  known_identities known;
  known.keep("a", owned_by(1, 10), 1h, known.epoch(), asked_at);
  known.keep("b", owned_by(2, 20), 1h, known.epoch(), asked_at);
  const auto epoch = known.epoch();
  known.expire_if([](const auto& each) { return each.found.who.user == core::user_id{1}; });
  CHECK(known.epoch() != epoch);
  CHECK(known.find("a")->until < asked_at);
  CHECK(known.find("b")->until > asked_at);
  known.end_if([](const auto& each) { return each.key == core::api_key_id{10}; });
  CHECK_FALSE(known.find("a"));
  CHECK(known.find("b"));
}

TEST_CASE("the number of identities is limited, and expired ones make room first", "[actors]") {
  known_identities known;
  for (std::size_t i = 0; i < known_identities::kept_max; ++i)
    known.keep(std::to_string(i), owned_by(1), i < 10 ? 0ms : 1h, known.epoch(), asked_at);
  known.keep("next", owned_by(1), 1h, known.epoch(), asked_at);
  CHECK(known.size() == known_identities::kept_max - 9);
  for (int i = 0; i < 10; ++i)
    known.keep("more" + std::to_string(i), owned_by(1), 1h, known.epoch(), asked_at);
  CHECK(known.size() == 1);
}
