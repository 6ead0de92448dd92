// Digests, random texts and stored forms of passwords, and the actor that makes them.

#include "gateway/auth/secrets.hpp"

#include <algorithm>
#include <ctime>
#include <set>

#include "gateway/auth/password_keeper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/virtual_time.hpp"

using namespace ringmaster;
using namespace ringmaster::gateway;
using core::password_form;

namespace {

template <class T>
T require(core::result<T> result) {
  if (!result)
    FAIL(result.error().context);
  return std::move(*result);
}

struct keeping : test::virtual_time {
  protocol::password_verdict check(const std::string& stored, const std::string& given,
                                   password_form form = password_form::argon2id) {
    auto verdict = ask<protocol::password_verdict>(actor, protocol::check_password{stored, given, form});
    REQUIRE(verdict);
    return *verdict;
  }
  protocol::password_keeper actor = spawn<password_keeper_state, protocol::password_keeper>();
};

} // namespace

TEST_CASE("secrets: digests equal XXL's", "[gateway][access]") {
  CHECK(md5_hex("123456") == "e10adc3949ba59abbe56e057f20f883e");
  CHECK(sha256_hex("123456") == "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92");
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(core::is_known_hash(md5_hex("123456")));
  CHECK(core::is_known_hash(sha256_hex("123456")));
  CHECK_FALSE(core::is_known_hash(md5_hex("1234567")));
}

TEST_CASE("secrets: random texts differ and have their form", "[gateway][access]") {
  std::set<std::string> tokens, passwords;
  for (int i = 0; i < 100; ++i) {
    const auto token = require(random_token());
    CHECK(token.size() == 43);
    CHECK(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == token.npos);
    tokens.insert(token);
    const auto password = require(random_password());
    CHECK(password.size() == 20);
    CHECK(password.find_first_not_of("abcdefghijkmnpqrstuvwxyz23456789") == password.npos);
    passwords.insert(password);
  }
  CHECK(tokens.size() == 100);
  CHECK(passwords.size() == 100);
}

TEST_CASE("secrets: each form is accepted only for its password", "[gateway][access]") {
  for (const auto form : {password_form::md5, password_form::sha256, password_form::argon2id}) {
    const auto stored = require(stored_password("correct horse", form));
    CHECK(is_password("correct horse", stored));
    CHECK_FALSE(is_password("correct horsf", stored));
    CHECK_FALSE(is_password("", stored));
    CHECK_FALSE(is_password(std::string{"correct horse\0", 14}, stored));
    CHECK_FALSE(is_password(stored, stored));
    auto other = stored;
    other.back() = other.back() == 'a' ? 'b' : 'a';
    CHECK_FALSE(is_password("correct horse", other));
    CHECK(stored.size() <= 100);
    CHECK(is_strong(stored) == (form == password_form::argon2id));
  }
}

TEST_CASE("secrets: Argon2id uses a new salt each time and accepts any bytes", "[gateway][access]") {
  const auto a = require(stored_password("same", password_form::argon2id));
  const auto b = require(stored_password("same", password_form::argon2id));
  CHECK(a != b);
  CHECK(a.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
  const std::string odd{"\0\xFF 漢", 6};
  CHECK(is_password(odd, require(stored_password(odd, password_form::argon2id))));
}

TEST_CASE("secrets: an invalid or too costly stored form matches no password", "[gateway][access]") {
  const auto stored = require(stored_password("correct horse", password_form::argon2id));
  for (const std::string bad : {"", "x", "$argon2id$", "$argon2id$v=19$", "$argon2id$v=19$m=19456,t=2,p=1",
                                "$argon2i$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g", "$2b$12$abcdefghijklmnopqrstuv"})
    CHECK_FALSE(is_password("", bad));
  auto costly = stored;
  costly.replace(costly.find("m=19456"), 7, "m=4000000000");
  CHECK_FALSE(is_password("correct horse", costly));
  auto many_passes = stored;
  many_passes.replace(many_passes.find("t=2"), 3, "t=4000000000");
  CHECK_FALSE(is_password("correct horse", many_passes));
  auto cheap = stored;
  cheap.replace(cheap.find("m=19456"), 7, "m=8");
  CHECK_FALSE(is_strong(cheap));
}

TEST_CASE("secrets: a known password keeps a form in which it is recognised", "[gateway][access]") {
  CHECK(core::is_known_hash(require(stored_password("123456", password_form::argon2id))));
  CHECK(core::is_known_hash(require(stored_password("123456", password_form::md5))));
}

TEST_CASE_METHOD(keeping, "password_keeper upgrades XXL's form where ours is stored", "[gateway][access]") {
  const auto md5 = md5_hex("correct horse");
  const auto verdict = check(md5, "correct horse");
  CHECK(verdict.right);
  CHECK_FALSE(verdict.known);
  CHECK(is_strong(verdict.better));
  CHECK(is_password("correct horse", verdict.better));
  CHECK(check(md5, "wrong").better.empty());
  CHECK_FALSE(check(md5, "wrong").right);
  CHECK(check(md5, "correct horse", password_form::sha256).better.empty());
  CHECK(check(verdict.better, "correct horse").right);
  CHECK(check(verdict.better, "correct horse").better.empty());
}

TEST_CASE_METHOD(keeping, "password_keeper recognises the known password, and refuses an empty form", "[gateway][access]") {
  const auto known = check(sha256_hex("123456"), "123456");
  CHECK(known.right);
  CHECK(known.known);
  CHECK(known.better.empty());
  CHECK_FALSE(check(sha256_hex("other"), "123456").known);
  CHECK_FALSE(check("", "").right);
  CHECK_FALSE(check("", "123456").right);
  CHECK_FALSE(check("", "123456", password_form::md5).right);
}

TEST_CASE_METHOD(keeping, "password_keeper takes as long for unknown names as for known ones", "[gateway][access]") {
  const auto strong = require(stored_password("correct horse", password_form::argon2id));
  const auto seconds = [this](const std::string& stored, password_form form) {
    const auto begin = std::clock();
    CHECK_FALSE(check(stored, "wrong", form).right);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  // Processor time of this process; the shortest of several, so that other load does not count.
  const auto shortest = [&](const std::string& stored, password_form form) {
    double least = 1000;
    for (int i = 0; i < 5; ++i)
      least = std::min(least, seconds(stored, form));
    return least;
  };
  for (const auto form : {password_form::argon2id, password_form::sha256, password_form::md5}) {
    const auto known = shortest(strong, form);
    for (const auto& stored : {std::string{}, sha256_hex("other"), md5_hex("other")}) {
      const auto other = shortest(stored, form);
      CAPTURE(static_cast<int>(form), stored, known, other);
      CHECK(other > known / 2);
      CHECK(other < known * 2);
    }
  }
}

TEST_CASE_METHOD(keeping, "password_keeper hashes in the requested form", "[gateway][access]") {
  auto hashed = ask<protocol::hashed_password>(actor, protocol::hash_password{"correct horse", password_form::md5});
  REQUIRE(hashed);
  CHECK(hashed->stored == md5_hex("correct horse"));
  hashed = ask<protocol::hashed_password>(actor, protocol::hash_password{"correct horse", password_form::argon2id});
  REQUIRE(hashed);
  CHECK(is_strong(hashed->stored));
}
