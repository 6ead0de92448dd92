// user_admin: signing in and out, and finding the user of a session.

#include "actors/console/user_admin.hpp"

#include <algorithm>
#include <utility>

#include "actors/store/store_access.hpp"
#include "core/text/text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

/// Longest wait for the keeper, which answers one request after another.
constexpr auto keeper_patience = 30s;

core::error wrong_sign_in() {
  return {core::errc::invalid_argument, "the user name or the password is wrong", core::refusal::sign_in_wrong};
}

core::error too_many_unknown_sessions() {
  return {core::errc::too_large, "too many requests with unknown sessions: try again in a minute", core::refusal::none, "60"};
}

core::error no_session() { return {core::errc::not_found, "there is no such session"}; }

/// Compares names without regard to the case of the letters a to z. Databases treat more names as equal, which the rate limiter
/// would count as different names.
bool is_name(std::string_view stored, std::string_view typed) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::equal(stored.begin(), stored.end(), typed.begin(), typed.end(),
                    [lower](char a, char b) { return lower(a) == lower(b); });
}

core::principal himself(const core::user_card& card, std::string remote) {
  return {card.id, card.name, card.admin, card.rights, std::move(remote)};
}

} // namespace

user_admin_state::user_admin_state(protocol::user_admin::pointer self, query_workers stores,
                                   protocol::password_keeper keeper, config::security_settings settings, session_tokens tokens,
                                   protocol::wall_clock clock, logger log)
  : self_{self},
    stores_{std::move(stores)},
    keeper_{std::move(keeper)},
    settings_{std::move(settings)},
    tokens_{std::move(tokens)},
    clock_{std::move(clock)},
    log_{std::move(log)},
    link_{std::exchange(tokens_.one_time, std::nullopt)},
    link_until_{self->clock().now() + (link_ ? link_->lifetime : std::chrono::milliseconds{})} {}

protocol::user_admin::behavior_type user_admin_state::make_behavior() {
  return {
    [this](protocol::sign_in& asked) { return sign_in(std::move(asked)); },
    [this](const protocol::sign_out& asked) { return sign_out(asked); },
    [this](const protocol::identify& asked) { return identify(asked); },
    [this](protocol::user_query& asked) { return list(std::move(asked)); },
    [this](const protocol::user_by_id& asked) { return read(asked); },
    [this](protocol::save_user& asked) { return save(std::move(asked)); },
    [this](const protocol::remove_user& asked) { return remove(asked); },
    [this](protocol::change_password& asked) { return change(std::move(asked)); },
    [this](protocol::audit_query& asked) { return list(std::move(asked)); },
    [this](protocol::changes_query& asked) { return list(std::move(asked)); },
    [this](const protocol::identify_key& asked) { return identify(asked); },
    [this](protocol::add_key& asked) { return add(std::move(asked)); },
    [this](const protocol::remove_key& asked) { return remove(asked); },
    [this](protocol::key_query& asked) { return list(std::move(asked)); },
    [this](protocol::session_query& asked) { return list(std::move(asked)); },
    [this](const protocol::end_session& asked) { return end(asked); },
    [this](const protocol::user_settings_query& asked) { return read(asked); },
    [this](protocol::save_user_settings& asked) { return save(std::move(asked)); },
    [this](const protocol::one_time_sign_in& asked) { return sign_in(asked); },
  };
}

core::result<void> user_admin_state::admit(std::string_view name, std::string_view remote) const {
  const auto wait = gate_.remaining(name, remote, self_->clock().now());
  if (wait <= 0s && attempts_ < attempts_max)
    return {};
  const auto seconds = std::max(std::chrono::ceil<std::chrono::seconds>(wait), 1s).count();
  return core::refuse(core::errc::too_large, core::refusal::none,
                      wait > 0s ? "too many failures: try again in " + std::to_string(seconds) + " s"
                                : "too many sign-ins at once: try again in a moment",
                      std::to_string(seconds));
}

// -- signing in ------------------------------------------------------------------------------------------------------------

caf::result<protocol::signed_in> user_admin_state::sign_in(protocol::sign_in&& asked) {
  if (core::is_blank(asked.name) || core::is_blank(asked.password))
    return protocol::to_caf(
      {core::errc::invalid_argument, "the user name or the password is empty", core::refusal::sign_in_empty});
  if (auto admitted = admit(asked.name, asked.remote); !admitted)
    return protocol::to_caf(admitted.error());
  gate_.began(asked.name.substr(0, core::long_password_bytes_max), asked.remote, self_->clock().now());
  // No user has such a name or password, and hashing a long password costs more.
  if (asked.name.size() > core::long_password_bytes_max || asked.password.size() > core::long_password_bytes_max ||
      asked.name != core::trimmed(asked.name))
    return protocol::to_caf(wrong_sign_in());
  auto now = std::make_shared<attempt>();
  now->asked = std::move(asked);
  now->answer = self_->make_response_promise<protocol::signed_in>();
  ++attempts_;
  look_up(now);
  return now->answer;
}

void user_admin_state::look_up(attempt_ptr now) {
  using looked_up = std::pair<core::user_secret, core::password_form>;
  ask_store<looked_up>(
    self_, stores_.reads,
    [name = now->asked.name](storage::store& store) -> core::result<looked_up> {
      auto form = store.users().password_form();
      if (!form)
        return tl::unexpected<core::error>{form.error()};
      auto user = store.users().find(name);
      if (!user && user.error().code != core::errc::not_found)
        return tl::unexpected<core::error>{user.error()};
      return looked_up{user && is_name(user->card.name, name) ? std::move(*user) : core::user_secret{}, *form};
    },
    [this, now](core::result<looked_up>&& found) {
      if (!found)
        return refuse(now, found.error());
      now->user = std::move(found->first);
      now->form = found->second;
      if (!now->link)
        return check(now);
      if (now->user.card.id == core::user_id{})
        return fail(now);
      open_session(now);
    });
}

void user_admin_state::check(attempt_ptr now) {
  protocol::request(self_, keeper_, keeper_patience,
                    protocol::check_password{now->user.password_hash, now->asked.password, now->form})
    .then(
      [this, now](protocol::password_verdict& verdict) {
        now->verdict = std::move(verdict);
        checked(now);
      },
      [this, now](const caf::error& reason) { refuse(now, protocol::to_core(reason)); });
}

void user_admin_state::checked(attempt_ptr now) {
  if (now->verdict.right)
    return open_session(now);
  // The typed name is not logged: it may be the password, entered in the wrong field.
  if (now->user.card.id != core::user_id{})
    log_->warn("wrong password for user {} from {}", now->user.card.name, now->asked.remote);
  else
    log_->warn("sign-in with an unknown user name from {}", now->asked.remote);
  fail(now);
}

void user_admin_state::open_session(attempt_ptr now) {
  auto token = tokens_.fresh();
  if (!token)
    return refuse(now, token.error());
  const auto t = this->now();
  const auto unused = now->asked.remember ? settings_.remember_lifetime : settings_.session_lifetime;
  const auto lifetime = std::min(unused, settings_.session_max_age);
  now->expires = t + lifetime;
  core::session session{
    tokens_.digest(*token), now->user.card.id, t, now->expires, now->asked.remote, now->link.has_value()};
  ask_store<void>(
    self_, stores_.reads,
    [session, t, by = himself(now->user.card, now->asked.remote), stored = now->user.password_hash,
     better = now->verdict.better](storage::store& store) -> core::result<void> {
      if (!better.empty())
        if (auto done = store.users().set_password(session.user, stored, better, true, by, t); !done)
          return done;
      return store.sessions().open(session, better.empty() ? stored : better, by, t);
    },
    [this, now, token = std::move(*token)](core::result<void>&& outcome) mutable {
      opened(now, std::move(outcome), std::move(token));
    });
}

// Two concurrent sign-ins may both want to write the better hash of the same password; the second one then looks at the hash that
// the first one wrote.
void user_admin_state::opened(const attempt_ptr& now, core::result<void>&& outcome, std::string&& token) {
  if (!outcome && outcome.error().code == core::errc::conflict && !std::exchange(now->again, true))
    return look_up(now);
  if (!outcome)
    return outcome.error().code == core::errc::not_found ? fail(now) : refuse(now, outcome.error());
  --attempts_;
  gate_.succeeded(now->asked.name, now->asked.remote);
  sessions_.note(tokens_.digest(token)); // the first request looks the session up
  log_->info("user {} signed in from {}{}", now->user.card.name, now->asked.remote, now->link ? " with the one-time link" : "");
  now->answer.deliver(protocol::signed_in{std::move(token), himself(now->user.card, now->asked.remote),
                                          now->verdict.known && !settings_.allow_known_passwords,
                                          settings_.session_max_age, now->expires});
}

void user_admin_state::fail(const attempt_ptr& now) {
  --attempts_;
  now->answer.deliver(protocol::to_caf(wrong_sign_in()));
}

void user_admin_state::refuse(const attempt_ptr& now, const core::error& why) {
  --attempts_;
  gate_.taken_back(now->asked.name, now->asked.remote);
  if (now->link)
    link_ = std::move(now->link);
  now->answer.deliver(protocol::to_caf(why));
}

caf::result<void> user_admin_state::sign_out(const protocol::sign_out& asked) {
  if (asked.session.empty() || asked.session.size() > token_bytes_max)
    return caf::unit;
  auto digest = tokens_.digest(asked.session);
  // A session that is known here is never delayed.
  if (!sessions_.erase(digest) && looked_up_ >= look_ups_max)
    return protocol::to_caf(too_many_unknown_sessions());
  ++looked_up_;
  auto answer = self_->make_response_promise<void>();
  // Reads before it writes: any client may send a cookie, and a write delays claims on SQLite.
  ask_store<bool>(
    self_, stores_.reads,
    [digest, t = now()](storage::store& store) -> core::result<bool> {
      if (auto found = store.sessions().find(digest, t); !found)
        return found.error().code == core::errc::not_found ? core::result<bool>{false} : tl::unexpected{found.error()};
      return store.sessions().close(digest).map([] { return true; });
    },
    [this, answer, digest](core::result<bool>&& closed) mutable {
      --looked_up_;
      // An earlier answer of the store must not be cached, even when it is unknown whether the session was closed.
      if (!closed || *closed)
        sessions_.end(digest);
      if (closed)
        answer.deliver();
      else
        answer.deliver(protocol::to_caf(closed.error()));
    });
  return answer;
}

// -- sessions --------------------------------------------------------------------------------------------------------------

caf::result<protocol::identified> user_admin_state::identify(const protocol::identify& asked) {
  if (asked.session.empty() || asked.session.size() > token_bytes_max)
    return protocol::to_caf(no_session());
  auto digest = tokens_.digest(asked.session);
  if (const auto* kept = sessions_.find(digest)) {
    if (self_->clock().now() < kept->until)
      return kept->found;
    // The session was valid a moment ago, so the request is not delayed.
    sessions_.erase(digest);
  } else if (!admits_unknown(asked.remote)) {
    return protocol::to_caf(too_many_unknown_sessions());
  }
  auto answer = self_->make_response_promise<protocol::identified>();
  ++looked_up_;
  ask_store<core::found_session>(
    self_, stores_.reads, [digest, t = now()](storage::store& store) { return store.sessions().find(digest, t); },
    [this, answer, asked, digest, epoch = sessions_.epoch()](core::result<core::found_session>&& session) mutable {
      --looked_up_;
      if (session && session->opened + settings_.session_max_age <= now())
        return answer.deliver(protocol::to_caf(no_session())); // opened while sessions could last longer
      if (!session) {
        if (session.error().code == core::errc::not_found)
          (void) unknown_sessions_.failed(asked.remote, self_->clock().now());
        return answer.deliver(protocol::to_caf(session.error()));
      }
      answer.deliver(found(digest, epoch, std::move(*session)));
    });
  return answer;
}

// Invented cookies must neither fill the readers' queue nor take their time without limit.
bool user_admin_state::admits_unknown(const std::string& remote) const {
  return looked_up_ < look_ups_max && !unknown_sessions_.is_exhausted(remote, self_->clock().now());
}

protocol::identified user_admin_state::found(const std::string& digest, std::uint64_t epoch, core::found_session&& session) {
  const auto t = now();
  const auto expires = prolong(digest, session);
  protocol::identified found{std::move(session.who), session.known_password && !settings_.allow_known_passwords, expires};
  if (session.expires > t)
    sessions_.keep(digest, {found}, session.expires - t, epoch, self_->clock().now());
  return found;
}

// Extends the session at most once in `use_written_every`, so that few requests write, and never beyond its maximum age.
core::time_point user_admin_state::prolong(const std::string& digest, const core::found_session& session) {
  const auto last = session.opened + settings_.session_max_age;
  const auto end = std::min(now() + session.lifetime, last);
  if (end <= session.expires || (end < last && end - session.expires <= std::min(session.lifetime / 10, use_written_every)))
    return std::min(session.expires, last);
  ask_store<void>(
    self_, stores_.reads, [digest, end](storage::store& store) { return store.sessions().prolong(digest, end); },
    [this](core::result<void>&& outcome) {
      if (!outcome)
        log_->warn("a session could not be extended: {}", outcome.error().context);
    });
  return end;
}

void user_admin_state::forget_sessions(core::user_id user) {
  const auto is_theirs = [user](const known_identities::entry& each) { return each.found.who.user == user; };
  sessions_.end_if(is_theirs);
  keys_.expire_if(is_theirs);
}

} // namespace ringmaster::actors
