#pragma once

// A fresh database with one administrator.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/store.hpp"
#include "tests/storage/databases.hpp"
#include "tests/storage/firing_fixture.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test {

inline constexpr core::group_id pay{3};
inline constexpr core::group_id stock{5};

/// A user's permissions, by group.
using rights = std::vector<std::pair<core::group_id, core::group_right>>;

struct access_fixture {
  explicit access_fixture(const test_backend& backend) : db{fresh_database(backend)}, store{db->open()} {
    for (const auto* group : {"3", "4", "5", "7", "9"})
      db->exec(std::string{"INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES ("} + group + ", 'app-" + group +
               "', 'Title', 0)");
    REQUIRE(require(store->users().add_first("admin", "hash-a", noon)));
    admin = who("admin");
  }

  storage::user_store& users() { return store->users(); }
  storage::session_store& sessions() { return store->sessions(); }

  core::principal who(const std::string& name) {
    const auto card = require(users().find(name)).card;
    return {card.id, card.name, card.admin, card.rights, "10.0.0.7"};
  }

  static core::user_draft draft(const std::string& name, const std::string& hash = "hash-b") {
    core::user_draft made;
    made.name = name;
    made.password_hash = hash;
    made.rights.emplace();
    return made;
  }

  core::user_id add(const std::string& name) { return require(users().add(draft(name), admin, noon)); }

  /// Opens a session with the digest, for an hour.
  core::result<void> open(const std::string& digest, core::user_id user, const std::string& hash = "hash-b",
                          core::time_point at = noon) {
    core::principal by;
    by.user = user;
    by.name = "himself";
    by.remote = "10.0.0.8";
    return sessions().open({digest, user, at, at + std::chrono::hours{1}, by.remote}, hash, by, at);
  }

  bool is_open(const std::string& digest, core::time_point at = noon) {
    const auto found = sessions().find(digest, at);
    if (!found)
      REQUIRE(found.error().code == core::errc::not_found);
    return found.has_value();
  }

  std::string rows_of_sessions() {
    std::string out;
    for (const auto& row : db->query("SELECT digest FROM rm_session ORDER BY opened_ms"))
      out += (out.empty() ? "" : " ") + row.at(0);
    return out;
  }

  std::unique_ptr<test_database> db;
  std::unique_ptr<storage::store> store;
  core::principal admin;
};

/// Returns `code why`, or `ok`.
template <class T>
std::string verdict(const core::result<T>& outcome) {
  if (outcome)
    return "ok";
  return std::string{core::to_string(outcome.error().code)} +
         (outcome.error().why == core::refusal::none ? "" : ' ' + std::to_string(static_cast<int>(outcome.error().why)));
}

inline std::string refused(core::errc code, core::refusal why) {
  return verdict(core::result<void>{core::refuse(code, why, "")});
}

} // namespace ringmaster::test
