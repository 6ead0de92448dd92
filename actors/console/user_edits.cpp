// user_admin: changes by administrators and users.

#include <utility>

#include "actors/console/user_admin.hpp"
#include "actors/store/store_access.hpp"
#include "core/access/user_rules.hpp"
#include "core/text/text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr auto hashing_patience = 30s;

core::error wrong(core::refusal why, std::string context) {
  return {core::errc::invalid_argument, std::move(context), why};
}

/// Checks a request before the store is asked; whether the password is too long for XXL's formats is not known yet.
core::result<void> check_form(const protocol::save_user& asked) {
  if (auto allowed = core::check_admin(asked.by); !allowed)
    return allowed;
  if (asked.id)
    return core::check_other_account(asked.by, *asked.id);
  if (auto name = core::check_user_name(asked.name); !name)
    return name;
  return core::check_password(asked.password);
}

core::result<void> check_form(const protocol::change_password& asked, bool allow_known) {
  if (core::is_blank(asked.old_password))
    return tl::unexpected{wrong(core::refusal::old_password_empty, "the old password is empty")};
  if (auto sound = core::check_password(asked.password); !sound)
    return sound;
  if (!allow_known && core::is_known_password(asked.password))
    return tl::unexpected{wrong(core::refusal::none, "this is a well-known default password: choose another one")};
  return {};
}

} // namespace

caf::result<protocol::user_page> user_admin_state::list(protocol::user_query&& asked) {
  if (auto allowed = core::check_admin(asked.by); !allowed)
    return protocol::to_caf(allowed.error());
  auto answer = self_->make_response_promise<protocol::user_page>();
  ask_store<protocol::user_page>(
    self_, stores_.reads,
    [search = std::move(asked.search)](storage::store& store) -> core::result<protocol::user_page> {
      return store.users().page(search).map([](auto&& page) { return protocol::user_page{std::move(page)}; });
    },
    [answer](core::result<protocol::user_page>&& outcome) mutable { deliver(answer, std::move(outcome)); });
  return answer;
}

caf::result<protocol::user_found> user_admin_state::read(const protocol::user_by_id& asked) {
  if (auto allowed = core::check_admin(asked.by); !allowed)
    return protocol::to_caf(allowed.error());
  auto answer = self_->make_response_promise<protocol::user_found>();
  ask_store<protocol::user_found>(
    self_, stores_.reads,
    [id = asked.id](storage::store& store) -> core::result<protocol::user_found> {
      return store.users().read(id).map([](auto&& user) { return protocol::user_found{std::move(user.card)}; });
    },
    [answer](core::result<protocol::user_found>&& outcome) mutable { deliver(answer, std::move(outcome)); });
  return answer;
}

caf::result<protocol::audit_list> user_admin_state::list(protocol::audit_query&& asked) {
  auto answer = self_->make_response_promise<protocol::audit_list>();
  ask_store<protocol::audit_list>(
    self_, stores_.reads,
    [asked = std::move(asked)](storage::store& store) -> core::result<protocol::audit_list> {
      return store.audits().list(asked.search, asked.by).map([](auto&& rows) { return protocol::audit_list{std::move(rows)}; });
    },
    [answer](core::result<protocol::audit_list>&& outcome) mutable { deliver(answer, std::move(outcome)); });
  return answer;
}

caf::result<protocol::audit_list> user_admin_state::list(protocol::changes_query&& asked) {
  auto answer = self_->make_response_promise<protocol::audit_list>();
  ask_store<protocol::audit_list>(
    self_, stores_.reads,
    [asked = std::move(asked)](storage::store& store) -> core::result<protocol::audit_list> {
      return store.audits().history(asked.object, asked.window, asked.by).map([](auto&& rows) {
        return protocol::audit_list{std::move(rows)};
      });
    },
    [answer](core::result<protocol::audit_list>&& outcome) mutable { deliver(answer, std::move(outcome)); });
  return answer;
}

// -- by administrators -----------------------------------------------------------------------------------------------------

caf::result<protocol::saved_user> user_admin_state::save(protocol::save_user&& asked) {
  if (auto sound = check_form(asked); !sound)
    return protocol::to_caf(sound.error());
  auto answer = self_->make_response_promise<protocol::saved_user>();
  auto command = std::make_shared<const protocol::save_user>(std::move(asked));
  if (core::is_blank(command->password)) {
    store(command, std::nullopt, answer);
    return answer;
  }
  ask_store<core::password_form>(
    self_, stores_.reads, [](storage::store& store) { return store.users().password_form(); },
    [this, command, answer](core::result<core::password_form>&& form) mutable {
      if (!form)
        return answer.deliver(protocol::to_caf(form.error()));
      if (auto sound = core::check_password(command->password, *form); !sound)
        return answer.deliver(protocol::to_caf(sound.error()));
      hash_and_store(command, *form, answer);
    });
  return answer;
}

void user_admin_state::hash_and_store(std::shared_ptr<const protocol::save_user> asked, core::password_form form,
                                      caf::typed_response_promise<protocol::saved_user> answer) {
  protocol::request(self_, keeper_, hashing_patience, protocol::hash_password{asked->password, form})
    .then([this, asked, answer](protocol::hashed_password& hashed) { store(asked, std::move(hashed.stored), answer); },
          [answer](const caf::error& reason) mutable { answer.deliver(protocol::to_caf(protocol::to_core(reason))); });
}

void user_admin_state::store(std::shared_ptr<const protocol::save_user> asked, std::optional<std::string> hash,
                             caf::typed_response_promise<protocol::saved_user> answer) {
  core::user_draft draft{std::string{core::trimmed(asked->name)}, std::move(hash), asked->admin, asked->rights,
                         asked->keeps_finer};
  ask_store<protocol::saved_user>(
    self_, stores_.edits,
    [asked, draft = std::move(draft), t = now()](storage::store& store) -> core::result<protocol::saved_user> {
      if (!asked->id)
        return store.users().add(draft, asked->by, t).map([](core::user_id id) { return protocol::saved_user{id}; });
      return store.users().update(*asked->id, draft, asked->seen, asked->by, t).map([&] {
        return protocol::saved_user{*asked->id};
      });
    },
    [this, asked, answer](core::result<protocol::saved_user>&& outcome) mutable {
      if (outcome)
        log_->info("user {} {} by {}", core::number(outcome->id), asked->id ? "changed" : "added", asked->by.name);
      // Also when the answer was lost: the change may have been made.
      if (asked->id)
        forget_sessions(*asked->id);
      deliver(answer, std::move(outcome));
    });
}

caf::result<void> user_admin_state::remove(const protocol::remove_user& asked) {
  auto answer = self_->make_response_promise<void>();
  ask_store<void>(
    self_, stores_.edits,
    [asked, t = now()](storage::store& store) { return store.users().remove(asked.id, asked.seen, asked.by, t); },
    [this, asked, answer](core::result<void>&& outcome) mutable {
      if (outcome)
        log_->info("user {} removed by {}", core::number(asked.id), asked.by.name);
      forget_sessions(asked.id);
      deliver(answer, std::move(outcome));
    });
  return answer;
}

// -- a user's own password -------------------------------------------------------------------------------------------------

caf::result<void> user_admin_state::change(protocol::change_password&& asked) {
  if (auto sound = check_form(asked, settings_.allow_known_passwords); !sound)
    return protocol::to_caf(sound.error());
  if (auto admitted = admit(asked.by.name, asked.by.remote); !admitted)
    return protocol::to_caf(admitted.error());
  auto now = std::make_shared<password_change>();
  now->asked = std::move(asked);
  now->answer = self_->make_response_promise<void>();
  ++attempts_;
  gate_.began(now->asked.by.name, now->asked.by.remote, self_->clock().now());
  using looked_up = std::pair<core::user_secret, core::password_form>;
  ask_store<looked_up>(
    self_, stores_.reads,
    [user = now->asked.by.user](storage::store& store) -> core::result<looked_up> {
      auto form = store.users().password_form();
      if (!form)
        return tl::unexpected<core::error>{form.error()};
      return store.users().read(user).map([&](auto&& found) { return looked_up{std::move(found), *form}; });
    },
    [this, now](core::result<looked_up>&& found) {
      if (!found)
        return end(now, tl::unexpected<core::error>{found.error()});
      now->user = std::move(found->first);
      now->form = found->second;
      if (auto sound = core::check_password(now->asked.password, now->form); !sound)
        return end(now, sound);
      check_old(now);
    });
  return now->answer;
}

// A person who finds an open browser must not be able to find out the password this way.
void user_admin_state::check_old(password_change_ptr now) {
  protocol::request(self_, keeper_, hashing_patience,
                    protocol::check_password{now->user.password_hash, now->asked.old_password, now->form})
    .then(
      [this, now](const protocol::password_verdict& verdict) {
        if (verdict.right)
          return hash_new(now);
        now->wrong = true;
        end(now, tl::unexpected<core::error>{wrong(core::refusal::old_password_wrong, "the old password is wrong")});
      },
      [this, now](const caf::error& reason) { end(now, tl::unexpected<core::error>{protocol::to_core(reason)}); });
}

void user_admin_state::hash_new(password_change_ptr now) {
  protocol::request(self_, keeper_, hashing_patience, protocol::hash_password{now->asked.password, now->form})
    .then([this, now](protocol::hashed_password& hashed) { store_new(now, std::move(hashed.stored)); },
          [this, now](const caf::error& reason) { end(now, tl::unexpected<core::error>{protocol::to_core(reason)}); });
}

void user_admin_state::store_new(password_change_ptr now, std::string hash) {
  ask_store<void>(
    self_, stores_.edits,
    [now, hash = std::move(hash), t = this->now()](storage::store& store) {
      return store.users().set_password(now->user.card.id, now->user.password_hash, hash, false, now->asked.by, t);
    },
    [this, now](core::result<void>&& outcome) {
      if (outcome)
        log_->info("user {} changed their password", now->user.card.name);
      forget_sessions(now->user.card.id);
      end(now, outcome);
    });
}

void user_admin_state::end(const password_change_ptr& now, const core::result<void>& outcome) {
  --attempts_;
  if (!now->wrong)
    gate_.taken_back(now->asked.by.name, now->asked.by.remote);
  if (outcome)
    now->answer.deliver();
  else
    now->answer.deliver(protocol::to_caf(outcome.error()));
}

} // namespace ringmaster::actors
