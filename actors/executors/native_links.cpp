#include "actors/executors/native_links.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "actors/executors/native_gate.hpp"
#include "actors/next_tick.hpp"
#include "core/text/text.hpp"
#include "protocol/address_key.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

using namespace std::chrono_literals;

namespace {

constexpr auto registry_group = "EXECUTOR";
constexpr std::size_t shown_bytes_max = 200;
constexpr auto registry_limit = 5s;

constexpr auto unknown_groups = "this node does not know its groups yet";
constexpr auto separate_folders = "give each executor its own data folder and address";
constexpr auto too_many_wrong = "too many wrong access tokens from this address: wait a minute";

/// Returns a stranger's text, cut so that a log line can hold it.
std::string shown(std::string_view text) {
  const auto valid = core::valid_utf8(core::cut_bytes(text, shown_bytes_max));
  return valid.size() < text.size() ? valid + "..." : valid;
}

std::string refusal_of_replaced(const std::string& address, const std::string& remote) {
  return "another process" + (remote.empty() ? std::string{} : " (" + remote + ')') + " uses the address " + address + ": "
         + separate_folders;
}

} // namespace

native_links_state::native_links_state(protocol::native_links::pointer self, native_links_parts parts)
  : self_{self}, parts_{std::move(parts)}, next_tick_{self->clock().now()} {
  arm();
}

native_links_state::~native_links_state() {
  caf::anon_send_exit(door_, caf::exit_reason::user_shutdown);
  for (auto& [address, known] : links_)
    caf::anon_send_exit(known.link, caf::exit_reason::user_shutdown);
  for (auto& [number, known] : leaving_)
    caf::anon_send_exit(known.link, caf::exit_reason::user_shutdown);
}

protocol::native_links::behavior_type native_links_state::make_behavior() {
  return {
    [this](protocol::link_hello& hello) { greet(std::move(hello)); },
    [this](const protocol::link_proof& proof) { verify(proof); },
    [this](const protocol::registry_change& change) { learn_groups(change); },
    [this](const protocol::incarnation_change& change) { mode_ = change.mode; },
    [this](const protocol::native_link_lost& lost) { forget(lost); },
    [this](protocol::link_subscription& subscription) { extend(std::move(subscription)); },
    [this](protocol::tick_atom) { tick(); },
  };
}

// A peer can end the door, as any actor that it knows. The next tick opens another one; without a door no executor can connect.
void native_links_state::open_door() {
  auto door = self_->spawn<protocol::with_state<link_door_state, protocol::link_door>>(protocol::native_links{self_});
  if (auto open = parts_.ports->publish(door); !open) {
    parts_.tools.log->error("cannot accept native links from executors: {}", open.error().context);
    caf::anon_send_exit(door, caf::exit_reason::user_shutdown);
    return;
  }
  door_ = std::move(door);
  watcher_.watch(self_, door_, [this](const caf::error& reason) {
    parts_.tools.log->error("native links are not accepted any more: {}", protocol::end_in_words(reason));
    door_ = nullptr;
  });
}

link_rules native_links_state::rules(std::string_view peer_host) const {
  return {parts_.token.get(), parts_.clock.at(self_->clock().now()), mode_, parts_.judge, peer_host};
}

link_admission native_links_state::admit(const protocol::link_hello& hello, std::string_view shown,
                                         std::string_view peer_host) const {
  if (!view_)
    return {unknown_groups};
  return admit_link(hello, shown, *view_, rules(peer_host));
}

void native_links_state::greet(protocol::link_hello&& hello) {
  if (!hello.gate)
    return;
  if (auto breach = protocol::breach_of(hello); !breach.empty())
    return refuse(hello, breach);
  if (auto why = refusal_of_version(hello); !why.empty())
    return refuse(hello, why);
  if (!view_)
    return refuse(hello, unknown_groups);
  const auto gate = hello.gate;
  const auto gate_key = hello.gate_key;
  auto peer_host = protocol::host_key(parts_.ports->remote_of(gate->node()));
  const auto nonce = challenges_.enter({std::move(hello), std::move(peer_host)}, self_->clock().now());
  protocol::anon_send(gate, protocol::link_challenge{nonce, gate_key});
}

// A challenge is valid for one proof: a recorded proof is useless the next time.
void native_links_state::verify(const protocol::link_proof& proof) {
  auto guest = challenges_.take(proof.nonce, self_->clock().now());
  if (!guest)
    return;
  if (auto breach = protocol::breach_of(proof); !breach.empty())
    return refuse(guest->hello, breach);
  auto shown = token_behind(*guest, proof);
  if (!shown)
    return refuse_proof(*guest);
  let_in(std::move(*guest), proof.nonce, std::move(*shown));
}

std::optional<std::string> native_links_state::token_behind(const link_guest& guest, const protocol::link_proof& proof) {
  const auto now = self_->clock().now();
  const auto text = protocol::proof_text(protocol::link_end::executor, guest.hello, proof.nonce);
  const bool is_held_up = proofs_.wrong.is_exhausted(guest.peer_host, now);
  const auto rules_now = rules(guest.peer_host);
  for (const auto token : tokens_for(guest.hello.app_name, *view_, rules_now)) {
    if (is_held_up && !proofs_.right.contains(guest.peer_host, token, now))
      continue;
    const auto expected = parts_.ports->seal(guest.hello.gate->node(), token, text);
    if (expected.empty() || !core::equal_in_constant_time(proof.proof, expected))
      continue;
    proofs_.right.keep(guest.peer_host, token, now);
    return std::string{token};
  }
  return std::nullopt;
}

void native_links_state::refuse_proof(const link_guest& guest) {
  using enum core::failure_rate_limiter::verdict;
  const auto verdict = proofs_.wrong.failed(guest.peer_host, self_->clock().now());
  if (verdict == first_too_many)
    parts_.tools.log->warn("more than {} wrong tokens in a minute over native links from {}",
                           core::failure_rate_limiter::a_minute_max, shown(guest.peer_host));
  // Uses the text of a wrong token, so that the answer does not reveal unknown app names.
  refuse(guest.hello, verdict == few ? std::string{link_admission::wrong_token} : too_many_wrong);
}

void native_links_state::let_in(link_guest&& guest, const protocol::link_key& nonce, std::string&& shown) {
  auto admitted = admit(guest.hello, shown, guest.peer_host);
  if (!admitted.refusal.empty())
    return refuse(guest.hello, admitted.refusal);
  if (admitted.token == core::token_kind::common)
    return enter(std::move(guest), nonce, std::move(shown), std::move(admitted));
  auto kept = std::make_shared<link_guest>(std::move(guest));
  ask_registry(kept->hello, [this, kept, nonce, shown = std::move(shown)](const std::string& refusal) {
    auto now = admit(kept->hello, shown, kept->peer_host);
    if (!refusal.empty())
      now.refusal = refusal;
    if (!now.refusal.empty())
      return refuse(kept->hello, now.refusal);
    enter(std::move(*kept), nonce, std::string{shown}, std::move(now));
  }, "the registry of this node did not answer");
}

// registry_monitor, which keeps the registrations, decides who has an address.
void native_links_state::ask_registry(const protocol::link_hello& hello, std::function<void(const std::string& refusal)> then,
                                      std::string unanswered) {
  protocol::request(self_, parts_.registry, registry_limit, protocol::address_claim{hello.app_name, hello.address})
    .then([then](const protocol::claim_verdict& verdict) { then(verdict.refusal); },
          [then, unanswered = std::move(unanswered)](const caf::error&) { then(unanswered); });
}

// Links with one group's token may fill a quarter of the places, those of all groups three quarters. A link whose executor has
// said goodbye has its place until it ends.
std::string native_links_state::lack_of_room(const link_admission& admitted) const {
  const auto full = [](std::size_t count, std::string_view whose) {
    return "this node has " + std::to_string(count) + " native links" + std::string{whose} + ", the maximum";
  };
  if (const auto all = links_.size() + leaving_.size(); all >= links_max)
    return full(all, "");
  if (admitted.token == core::token_kind::common)
    return {};
  std::size_t of_groups = 0;
  std::size_t of_this = 0;
  const auto count = [&](const known_link& known) {
    if (known.token == core::token_kind::common)
      return;
    ++of_groups;
    of_this += *known.groups == *admitted.groups ? 1 : 0;
  };
  for (const auto& [address, known] : links_)
    count(known);
  for (const auto& [number, known] : leaving_)
    count(known);
  if (of_this >= links_max / 4)
    return full(of_this, " of this group");
  return of_groups >= links_max / 4 * 3 ? full(of_groups, " with tokens of groups") : std::string{};
}

void native_links_state::enter(link_guest&& guest, const protocol::link_key& nonce, std::string&& shown,
                               link_admission&& admitted) {
  auto& hello = guest.hello;
  const auto peer = hello.gate->node();
  auto known = links_.find(hello.address);
  if (replaced_.keeps_out(hello.address, peer, self_->clock().now()))
    return refuse(hello, refusal_of_replaced(hello.address, known == links_.end() ? std::string{} : known->second.remote));
  if (known == links_.end())
    if (auto why = lack_of_room(admitted); !why.empty())
      return refuse(hello, why);
  auto remote = parts_.ports->remote_of(peer);
  if (known != links_.end())
    replace(known->second, peer, remote);
  replaced_.note_link(hello.address);
  parts_.ports->admit(peer);
  const auto token = admitted.token;
  const auto groups = admitted.groups;
  const auto number = ++last_number_;
  auto proof = parts_.ports->seal(peer, shown, protocol::proof_text(protocol::link_end::node, hello, nonce));
  auto link = self_->spawn<protocol::with_state<native_link_state, protocol::native_link>>(
    parts_.tools,
    native_peer{number, hello.app_name, hello.address, std::move(admitted), hello.gate, hello.gate_key, std::move(proof),
                hello.version, hosts_},
    protocol::native_links{self_});
  watcher_.watch(self_, link, [this](const caf::error& reason) {
    if (reason && reason != caf::exit_reason::unreachable && reason != caf::exit_reason::user_shutdown)
      self_->quit(reason); // its runs never get an answer: only the next incarnation can decide about them
  });
  parts_.tools.log->info("{} at {} has a native link", hello.app_name, hello.address);
  auto& kept = links_[hello.address];
  kept = {number, std::move(link), std::move(hello), std::move(shown), token, groups, std::move(guest.peer_host),
          peer,   std::move(remote)};
  kept.hello.gate = nullptr; // the link has it
  beat(kept);
}

void native_links_state::replace(const known_link& known, const caf::node_id& by, const std::string& remote) {
  if (by != known.process) {
    const auto& hello = known.hello;
    const auto from = [](const std::string& where) { return where.empty() ? where : " from " + where; };
    parts_.tools.log->warn("{} at {}: the link of another process{} replaces that{}; if both processes run: {}",
                           hello.app_name, hello.address, from(remote), from(known.remote), separate_folders);
    replaced_.add(hello.address, known.process);
  }
  cut(known);
}

// Updates the groups for which executors may get runs and report. Tokens are checked with the next beat.
void native_links_state::learn_groups(const protocol::registry_change& change) {
  const bool knows_groups = std::exchange(view_, change.view) != nullptr;
  if (!knows_groups)
    open_door(); // executors that connected before would have been refused, and stayed away for longer
  std::unordered_map<std::string, std::shared_ptr<const std::vector<core::group_id>>> by_app_name;
  for (auto& [address, known] : links_) {
    auto& groups = by_app_name[known.hello.app_name];
    if (!groups)
      groups = groups_of(known.hello.app_name, *view_);
    if (*groups == *known.groups)
      continue;
    known.groups = groups;
    protocol::send(self_, known.link, change);
  }
}

void native_links_state::extend(protocol::link_subscription&& subscription) {
  hosts_ = std::move(subscription.hosts);
  for (const auto& [address, known] : links_)
    protocol::send(self_, known.link, protocol::link_subscription{hosts_});
  for (const auto& [number, known] : leaving_)
    protocol::send(self_, known.link, protocol::link_subscription{hosts_});
}

void native_links_state::refuse(const protocol::link_hello& hello, const std::string& reason) {
  if (const auto end = refusals_.admit(self_->clock().now()))
    parts_.tools.log->warn("refused a native link of {} at {}: {}{}", shown(hello.app_name), shown(hello.address),
                           shown(reason), *end);
  const auto words = core::cut_bytes(reason, protocol::link_limits::name_bytes_max);
  protocol::anon_send(hello.gate, protocol::link_refusal{std::string{words}, hello.gate_key});
}

void native_links_state::beat(const known_link& known) {
  protocol::send(self_, parts_.registry,
                 protocol::registry_beat{registry_group, known.hello.app_name, known.hello.address, false, known.token, true});
}

// The link itself notifies the pool.
void native_links_state::forget(const protocol::native_link_lost& lost) {
  leaving_.erase(lost.number);
  const auto known = links_.find(lost.address);
  if (known == links_.end() || known->second.number != lost.number)
    return;
  replaced_.note_loss(lost.address, lost.goodbye, self_->clock().now());
  if (lost.goodbye) {
    protocol::send(self_, parts_.registry,
                   protocol::registry_removal{registry_group, known->second.hello.app_name, known->second.hello.address});
    leaving_.emplace(lost.number, std::move(known->second));
  }
  links_.erase(known);
}

void native_links_state::cut(const known_link& known) { protocol::send(self_, known.link, protocol::stop_request{}); }

void native_links_state::tick() {
  arm();
  if (view_ && !door_)
    open_door();
  replaced_.sweep(self_->clock().now());
  for (auto next = links_.begin(); next != links_.end();) {
    const auto each = next++;
    auto& [address, known] = *each;
    auto admitted = admit(known.hello, known.shown, known.peer_host);
    if (!admitted.refusal.empty()) {
      end_unwanted(each, admitted.refusal);
      continue;
    }
    known.token = admitted.token;
    beat(known);
    if (known.token != core::token_kind::common)
      ask_registry(known.hello, [this, address = address, number = known.number](const std::string& refusal) {
        const auto found = links_.find(address);
        if (refusal.empty() || found == links_.end() || found->second.number != number)
          return;
        end_unwanted(found, refusal);
      }, {}); // an admitted link stays until there is a verdict
  }
  parts_.ports->end_guests();
}

void native_links_state::end_unwanted(known_links::iterator which, const std::string& why) {
  const auto& [address, known] = *which;
  parts_.tools.log->warn("closed the native link of {} at {}: {}", known.hello.app_name, address, why);
  cut(known);
  replaced_.note_loss(address, false, self_->clock().now());
  links_.erase(which);
}

void native_links_state::arm() {
  next_tick_ = next_tick(next_tick_, parts_.beat_every, self_->clock().now());
  protocol::send_at(self_, protocol::native_links{self_}, next_tick_, protocol::tick_atom{});
}

} // namespace ringmaster::actors
