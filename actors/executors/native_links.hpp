#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "actors/executors/link_challenges.hpp"
#include "actors/executors/native_link.hpp"
#include "actors/executors/replaced_processes.hpp"
#include "config/settings.hpp"
#include "core/limits/log_rate_limiter.hpp"
#include "protocol/access_token_source.hpp"
#include "protocol/link_ports.hpp"

namespace ringmaster::actors {

struct native_links_parts {
  native_link_tools tools;
  protocol::registry_monitor registry;
  std::shared_ptr<protocol::link_ports> ports;
  protocol::access_token_source token;
  /// Returns why an HTTP address may not be called; empty: it may.
  std::function<std::string(std::string_view address)> judge;
  /// Interval in which the registration of a connected executor is renewed.
  core::milliseconds beat_every{30'000};
  protocol::wall_clock clock;
};

/// Executors that are connected by native links, one link for each address. A newer connection with the same address replaces the
/// older one, because a half-open link looks alive from one end. If it is that of another process, the older process stays out
/// while the newer one is linked: `replaced_processes`. A link acts as a registration that is renewed while the link is up and
/// its token counts.
class native_links_state {
public:
  static inline const char* name = "ringmaster.native_links";
  static constexpr std::size_t links_max = 8192;

  native_links_state(protocol::native_links::pointer self, native_links_parts parts);
  ~native_links_state();
  protocol::native_links::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  struct known_link {
    std::uint64_t number = 0;
    protocol::native_link link;
    protocol::link_hello hello;
    /// Token that the executor has proved to know.
    std::string shown;
    core::token_kind token = core::token_kind::common;
    std::shared_ptr<const std::vector<core::group_id>> groups;
    /// `protocol::host_key` of its executor when it was admitted.
    std::string peer_host;
    caf::node_id process;
    /// Address of the other end of its connection; empty: unknown.
    std::string remote;
  };
  using known_links = std::unordered_map<std::string, known_link>;

  void open_door();
  void greet(protocol::link_hello&& hello);
  void verify(const protocol::link_proof& proof);
  /// Returns the token to which the proof belongs; none if there is none, or if the host has shown too many wrong proofs.
  [[nodiscard]] std::optional<std::string> token_behind(const link_guest& guest, const protocol::link_proof& proof);
  void refuse_proof(const link_guest& guest);
  void let_in(link_guest&& guest, const protocol::link_key& nonce, std::string&& shown);
  void refuse(const protocol::link_hello& hello, const std::string& reason);
  [[nodiscard]] link_rules rules(std::string_view peer_host) const;
  [[nodiscard]] link_admission admit(const protocol::link_hello& hello, std::string_view shown, std::string_view peer_host) const;
  /// `unanswered`: refusal if the registry does not answer in time.
  void ask_registry(const protocol::link_hello& hello, std::function<void(const std::string& refusal)> then,
                    std::string unanswered);
  /// Returns why there is no room for this link; empty: there is room.
  [[nodiscard]] std::string lack_of_room(const link_admission& admitted) const;
  void enter(link_guest&& guest, const protocol::link_key& nonce, std::string&& shown, link_admission&& admitted);
  /// Cuts the link of an address for another link.
  void replace(const known_link& known, const caf::node_id& by, const std::string& remote);
  void end_unwanted(known_links::iterator which, const std::string& why);
  void learn_groups(const protocol::registry_change& change);
  void extend(protocol::link_subscription&& subscription);
  void forget(const protocol::native_link_lost& lost);
  void beat(const known_link& known);
  void cut(const known_link& known);
  void tick();
  void arm();

  protocol::native_links::pointer self_;
  native_links_parts parts_;
  protocol::watcher watcher_;
  protocol::link_door door_;
  std::shared_ptr<const protocol::registry_view> view_;
  core::cluster_mode mode_ = core::cluster_mode::native;
  known_links links_;
  replaced_processes replaced_;
  /// Links of executors that said goodbye, by number: results may still come.
  std::unordered_map<std::uint64_t, known_link> leaving_;
  std::uint64_t last_number_ = 0;
  steady next_tick_{};
  /// Receives messages of elastic jobs; null: nothing does yet.
  protocol::link_extension hosts_;
  core::log_rate_limiter refusals_;
  link_challenges challenges_;
  proof_counts proofs_;
};

} // namespace ringmaster::actors
