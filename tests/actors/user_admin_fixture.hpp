#pragma once

// user_admin over a real store, with a keeper whose stored forms can be read.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/console/user_admin.hpp"
#include "tests/support/actor_doubles.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_store.hpp"
#include "tests/support/memory_database.hpp"

namespace ringmaster::test {

inline constexpr const char* known_hash = "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92";

struct keeper_record {
  std::vector<protocol::check_password> checks;
  std::size_t hashes = 0;
  /// Duration of a check.
  std::chrono::milliseconds delay{0};
};

/// `ours:PASSWORD` and `java:PASSWORD`.
struct keeper_double {
  explicit keeper_double(virtual_time& world)
    : actor{world.track(world.system().spawn(
      [record = record](protocol::password_keeper::pointer self) -> protocol::password_keeper::behavior_type {
        return {
          [record, self](const protocol::check_password& question) -> caf::result<protocol::password_verdict> {
            record->checks.push_back(question);
            if (record->delay.count() == 0)
              return answer(question);
            auto promise = self->make_response_promise<protocol::password_verdict>();
            self->run_delayed(record->delay, [promise, verdict = answer(question)]() mutable { promise.deliver(verdict); });
            return promise;
          },
          [record](const protocol::hash_password& command) -> caf::result<protocol::hashed_password> {
            ++record->hashes;
            return protocol::hashed_password{stored(command.given, command.form)};
          },
        };
      }))} {}

  static std::string stored(const std::string& password, core::password_form form) {
    if (core::is_known_password(password))
      return known_hash;
    return (form == core::password_form::argon2id ? "ours:" : "java:") + password;
  }
  static protocol::password_verdict answer(const protocol::check_password& question) {
    protocol::password_verdict verdict;
    const auto ours = stored(question.given, core::password_form::argon2id);
    const auto java = stored(question.given, core::password_form::sha256);
    verdict.right = question.stored == ours || question.stored == java;
    verdict.known = verdict.right && core::is_known_password(question.given);
    if (question.stored == java && ours != java && question.form == core::password_form::argon2id)
      verdict.better = ours;
    return verdict;
  }

  std::shared_ptr<keeper_record> record = std::make_shared<keeper_record>();
  protocol::password_keeper actor;
};

struct sign_in_fixture : virtual_time {
  using digest_function = std::function<std::string(std::string_view)>;

  explicit sign_in_fixture(config::security_settings settings = {}, digest_function digest = words_of,
                           std::optional<actors::one_time_link> link = {})
    : actor{spawn<actors::user_admin_state, protocol::user_admin>(actors::query_workers{worker.actor, edits.actor},
                                                                  keeper.actor, std::move(settings),
                                                                  tokens(std::move(digest), std::move(link)),
                                                                  clock(), silent_log())} {
    expect(store.inner().users().add_first("admin", "ours:secret", start));
    admin = who("admin");
  }

  /// Returns `token-1`, `token-2`, …
  static actors::session_tokens tokens(digest_function digest, std::optional<actors::one_time_link> link) {
    return {[count = 0]() mutable -> core::result<std::string> { return "token-" + std::to_string(++count); }, std::move(digest),
            std::move(link)};
  }
  static std::string words_of(std::string_view token) { return "digest of " + std::string{token}; }

  core::principal who(const std::string& name) {
    const auto card = expect(store.inner().users().find(name)).card;
    return {card.id, card.name, card.admin, card.rights, "10.0.0.7"};
  }
  std::string stored(const std::string& name) { return expect(store.inner().users().find(name)).password_hash; }
  core::user_id add(const std::string& name, const std::string& hash) {
    core::user_draft draft;
    draft.name = name;
    draft.password_hash = hash;
    draft.rights.emplace();
    return expect(store.inner().users().add(draft, core::local_operator(), civil()));
  }

  caf::expected<protocol::signed_in> sign_in(const std::string& name, const std::string& password, bool remember = false,
                                             const std::string& remote = "10.0.0.7") {
    return ask<protocol::signed_in>(actor, protocol::sign_in{name, password, remember, remote});
  }
  std::string session(const std::string& name, const std::string& password, bool remember = false) {
    auto answer = sign_in(name, password, remember);
    REQUIRE(answer);
    return answer->session;
  }
  caf::expected<protocol::identified> identify(const std::string& session) {
    return ask<protocol::identified>(actor, protocol::identify{session});
  }
  bool is_open(const std::string& session) {
    auto answer = identify(session);
    if (!answer)
      CHECK(protocol::to_core(answer.error()).code == core::errc::not_found);
    return static_cast<bool>(answer);
  }
  /// Counts the requests to the store by this name from now on.
  std::shared_ptr<std::size_t> count_calls(std::string_view method) {
    auto calls = std::make_shared<std::size_t>(0);
    store.after = [calls, method](std::string_view called) { *calls += called == method ? 1 : 0; };
    return calls;
  }

  memory_database database;
  faulty_store store{database.open()};
  query_worker_double worker{*this, store};
  query_worker_double edits{*this, store};
  keeper_double keeper{*this};
  protocol::user_admin actor;
  core::principal admin;
};

/// Returns the code and the refusal of a failure.
template <class T>
core::error failure(const caf::expected<T>& answer) {
  REQUIRE_FALSE(answer);
  return protocol::to_core(answer.error());
}

} // namespace ringmaster::test
