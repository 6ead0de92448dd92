#pragma once

// Users, sessions and API keys in front of real ones, for `faulty_store`: each call gets the fault of its name.

#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/access_store.hpp"

namespace ringmaster::test {

/// Decides before a call whether it is suppressed, and is notified of each call that was made.
struct access_faults {
  std::function<bool(std::string_view method)> away;
  std::function<void(std::string_view method)> after;
  /// Replaces the store's answer to `password_form`, if set.
  const std::optional<core::password_form>* form = nullptr;

  template <class Call>
  auto call(std::string_view method, Call make) const -> decltype(make()) {
    if (away(method))
      return core::fail(core::errc::unavailable, "the database is away");
    auto outcome = make();
    after(method);
    return outcome;
  }
};

class faulty_users final : public storage::user_store {
public:
  faulty_users(storage::user_store& inner, access_faults faults) : inner_{inner}, faults_{std::move(faults)} {}

  core::result<core::password_form> password_form() override {
    return faults_.call("password_form", [&]() -> core::result<core::password_form> {
      return *faults_.form ? **faults_.form : inner_.password_form();
    });
  }
  core::result<core::user_secret> find(std::string_view name) override {
    return faults_.call("find_user", [&] { return inner_.find(name); });
  }
  core::result<core::user_secret> read(core::user_id user) override {
    return faults_.call("read_user", [&] { return inner_.read(user); });
  }
  core::result<core::page<core::user_card>> page(const core::user_search& search) override {
    return faults_.call("user_page", [&] { return inner_.page(search); });
  }
  core::result<std::vector<core::user_activity>> activity(const std::vector<core::user_id>& users, core::milliseconds max_age,
                                                          core::time_point now) override {
    return faults_.call("user_activity", [&] { return inner_.activity(users, max_age, now); });
  }
  core::result<core::user_id> add(const core::user_draft& draft, const core::principal& by, core::time_point now) override {
    return faults_.call("add_user", [&] { return inner_.add(draft, by, now); });
  }
  core::result<void> update(core::user_id user, const core::user_draft& draft, std::string_view seen,
                            const core::principal& by, core::time_point now) override {
    return faults_.call("update_user", [&] { return inner_.update(user, draft, seen, by, now); });
  }
  core::result<void> remove(core::user_id user, std::string_view seen, const core::principal& by,
                            core::time_point now) override {
    return faults_.call("remove_user", [&] { return inner_.remove(user, seen, by, now); });
  }
  core::result<void> set_password(core::user_id user, std::string_view expected, std::string_view hash, bool same_password,
                                  const core::principal& by, core::time_point now) override {
    return faults_.call("set_password", [&] { return inner_.set_password(user, expected, hash, same_password, by, now); });
  }
  core::result<bool> add_first(std::string_view name, std::string_view hash, core::time_point now) override {
    return faults_.call("add_first", [&] { return inner_.add_first(name, hash, now); });
  }
  core::result<core::user_settings> settings(core::user_id user) override {
    return faults_.call("user_settings", [&] { return inner_.settings(user); });
  }
  core::result<void> save_settings(core::user_id user, const core::user_settings& settings) override {
    return faults_.call("save_user_settings", [&] { return inner_.save_settings(user, settings); });
  }

private:
  storage::user_store& inner_;
  access_faults faults_;
};

class faulty_sessions final : public storage::session_store {
public:
  faulty_sessions(storage::session_store& inner, access_faults faults) : inner_{inner}, faults_{std::move(faults)} {}

  core::result<void> open(const core::session& opened, std::string_view password_hash, const core::principal& by,
                          core::time_point now) override {
    return faults_.call("open_session", [&] { return inner_.open(opened, password_hash, by, now); });
  }
  core::result<core::found_session> find(std::string_view digest, core::time_point now) override {
    return faults_.call("find_session", [&] { return inner_.find(digest, now); });
  }
  core::result<void> prolong(std::string_view digest, core::time_point expires) override {
    return faults_.call("prolong_session", [&] { return inner_.prolong(digest, expires); });
  }
  core::result<void> close(std::string_view digest) override {
    return faults_.call("close_session", [&] { return inner_.close(digest); });
  }
  core::result<core::page<core::open_session>> page(const core::session_search& search, const core::principal& by,
                                                    core::time_point now) override {
    return faults_.call("session_page", [&] { return inner_.page(search, by, now); });
  }
  core::result<void> end(core::session_id session, const core::principal& by, core::time_point now) override {
    return faults_.call("end_session", [&] { return inner_.end(session, by, now); });
  }
  core::result<std::size_t> close_all(core::user_id user, const core::principal& by, core::time_point now) override {
    return faults_.call("close_sessions", [&] { return inner_.close_all(user, by, now); });
  }

private:
  storage::session_store& inner_;
  access_faults faults_;
};

class faulty_api_keys final : public storage::api_key_store {
public:
  faulty_api_keys(storage::api_key_store& inner, access_faults faults) : inner_{inner}, faults_{std::move(faults)} {}

  core::result<core::api_key_id> add(const core::api_key_draft& draft, const core::principal& by,
                                     core::time_point now) override {
    return faults_.call("add_api_key", [&] { return inner_.add(draft, by, now); });
  }
  core::result<std::vector<core::api_key>> list(const core::api_key_search& search, const core::principal& by) override {
    return faults_.call("api_key_list", [&] { return inner_.list(search, by); });
  }
  core::result<void> remove(core::api_key_id key, const core::principal& by, core::time_point now) override {
    return faults_.call("remove_api_key", [&] { return inner_.remove(key, by, now); });
  }
  core::result<core::found_api_key> find(std::string_view digest, core::time_point now) override {
    return faults_.call("find_api_key", [&] { return inner_.find(digest, now); });
  }
  core::result<void> used(core::api_key_id key, core::time_point now) override {
    return faults_.call("api_key_used", [&] { return inner_.used(key, now); });
  }

private:
  storage::api_key_store& inner_;
  access_faults faults_;
};

} // namespace ringmaster::test
