// user_admin: API keys and their owners.

#include <algorithm>
#include <utility>

#include "actors/console/user_admin.hpp"
#include "actors/store/store_access.hpp"
#include "core/text/text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

core::error no_key() { return {core::errc::not_found, "there is no such API key"}; }

core::error too_many_failures(std::chrono::steady_clock::duration wait) {
  const auto seconds = std::to_string(std::max(std::chrono::ceil<std::chrono::seconds>(wait), 1s).count());
  return {core::errc::too_large, "too many wrong API keys: try again in " + seconds + " s", core::refusal::none, seconds};
}

} // namespace

// A key that was valid before is never delayed: many programs may share one address, and one of them may have an old key.
caf::result<protocol::identified> user_admin_state::identify(const protocol::identify_key& asked) {
  if (!core::is_api_key(asked.key))
    return protocol::to_caf(no_key());
  auto digest = tokens_.digest(asked.key);
  const auto steady_now = self_->clock().now();
  const auto* kept = keys_.find(digest);
  if (kept && steady_now < kept->until)
    return kept->found;
  if (const auto wait = key_gate_.remaining(digest, asked.remote, steady_now); wait > 0s && !kept)
    return protocol::to_caf(too_many_failures(wait));
  auto answer = self_->make_response_promise<protocol::identified>();
  ask_store<core::found_api_key>(
    self_, stores_.reads, [digest, t = now()](storage::store& store) { return store.api_keys().find(digest, t); },
    [this, answer, asked, digest, epoch = keys_.epoch()](core::result<core::found_api_key>&& key) mutable {
      deliver(answer, found(asked, digest, epoch, std::move(key)));
    });
  return answer;
}

core::result<protocol::identified> user_admin_state::found(const protocol::identify_key& asked, const std::string& digest,
                                                           std::uint64_t epoch, core::result<core::found_api_key>&& key) {
  if (key) {
    const auto rest = key->expires ? *key->expires - now() : known_identities::kept_for;
    keys_.keep(digest, {{key->who, false, key->expires}, {}, key->id}, rest, epoch, self_->clock().now());
    write_use(*key);
    return protocol::identified{std::move(key->who), false, key->expires};
  }
  if (key.error().code != core::errc::not_found)
    return tl::unexpected{std::move(key.error())};
  keys_.erase(digest);
  key_gate_.began(digest, asked.remote, self_->clock().now());
  log_->warn("unknown or expired API key from {}", asked.remote);
  return tl::unexpected{no_key()};
}

void user_admin_state::write_use(const core::found_api_key& key) {
  const auto t = now();
  if (key.used && t - *key.used < core::api_key_use_step)
    return;
  ask_store<void>(
    self_, stores_.reads, [id = key.id, t](storage::store& store) { return store.api_keys().used(id, t); },
    [this](core::result<void>&& outcome) {
      if (!outcome)
        log_->warn("the last use of an API key could not be stored: {}", outcome.error().context);
    });
}

caf::result<protocol::added_key> user_admin_state::add(protocol::add_key&& asked) {
  const auto token = tokens_.fresh();
  if (!token)
    return protocol::to_caf(token.error());
  auto key = std::string{core::api_key_prefix} + *token;
  core::api_key_draft draft{std::string{core::trimmed(asked.name)}, tokens_.digest(key), asked.user.value_or(asked.by.user),
                            asked.expires};
  auto answer = self_->make_response_promise<protocol::added_key>();
  ask_store<core::api_key_id>(
    self_, stores_.edits,
    [draft = std::move(draft), by = asked.by, t = now()](storage::store& store) { return store.api_keys().add(draft, by, t); },
    [this, answer, by = asked.by.name, key = std::move(key)](core::result<core::api_key_id>&& id) mutable {
      if (!id)
        return answer.deliver(protocol::to_caf(id.error()));
      log_->info("API key {} added by {}", core::number(*id), by);
      answer.deliver(protocol::added_key{*id, std::move(key)});
    });
  return answer;
}

caf::result<void> user_admin_state::remove(const protocol::remove_key& asked) {
  auto answer = self_->make_response_promise<void>();
  ask_store<void>(
    self_, stores_.edits, [asked, t = now()](storage::store& store) { return store.api_keys().remove(asked.id, asked.by, t); },
    [this, asked, answer](core::result<void>&& outcome) mutable {
      if (outcome)
        log_->info("API key {} removed by {}", core::number(asked.id), asked.by.name);
      // Also when the answer was lost: the key may have been removed.
      keys_.end_if([&](const known_identities::entry& each) { return each.key == asked.id; });
      deliver(answer, std::move(outcome));
    });
  return answer;
}

caf::result<protocol::key_list> user_admin_state::list(protocol::key_query&& asked) {
  auto answer = self_->make_response_promise<protocol::key_list>();
  ask_store<protocol::key_list>(
    self_, stores_.reads,
    [asked = std::move(asked)](storage::store& store) -> core::result<protocol::key_list> {
      return store.api_keys().list(asked.search, asked.by).map([](auto&& rows) { return protocol::key_list{std::move(rows)}; });
    },
    [answer](core::result<protocol::key_list>&& outcome) mutable { deliver(answer, std::move(outcome)); });
  return answer;
}

} // namespace ringmaster::actors
