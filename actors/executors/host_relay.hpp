#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "protocol/elastic_border.hpp"
#include "protocol/elastic_messages.hpp"

namespace ringmaster::actors {

/// Rules of one native link for the messages of elastic jobs, on the node: the messages that a host may send, and how often. A
/// member of native_link, which alone uses it; it sends nothing itself.
class host_relay {
public:
  using steady = std::chrono::steady_clock::time_point;

  /// Fate of a message of a host.
  enum class verdict : std::uint8_t {
    pass,
    /// Has no effect.
    drop,
    /// This node has no elastic jobs.
    refuse,
  };

  /// `version`: that of the peer. `hosts`: null until the subscription.
  host_relay(std::uint32_t version, protocol::link_extension hosts) : version_{version}, hosts_{std::move(hosts)} {}

  /// Returns whether the peer understands the messages of elastic jobs.
  [[nodiscard]] bool speaks_elastic() const noexcept { return version_ >= protocol::elastic_link_version; }
  /// Returns whether elastic_hosts knows this link, and hears of its end.
  [[nodiscard]] bool is_introduced() const noexcept { return introduced_; }
  [[nodiscard]] const protocol::link_extension& hosts() const noexcept { return hosts_; }
  void extend(protocol::link_extension hosts) { hosts_ = std::move(hosts); }

  // Messages of the host, after `breach_of`.

  /// Returns the breach of a rule of this link; empty: none.
  template <class Message>
  [[nodiscard]] std::string breach_in(const Message& message) const {
    if (!speaks_elastic())
      return "a message of a later version of the link";
    return breach_of_order(message);
  }

  /// Decides on a message without a breach, and counts it.
  [[nodiscard]] verdict judge(const protocol::elastic_hello& hello, steady now);
  [[nodiscard]] verdict judge(const protocol::elastic_heartbeat& beat, steady now);
  [[nodiscard]] verdict judge(const protocol::elastic_events& batch, steady now);
  [[nodiscard]] verdict judge(const protocol::elastic_inventory& part, steady now);

  // Messages to the host.

  /// Returns whether a message may leave that was decided in this life of the node. A closed gate holds back grants and
  /// acknowledgements. It turns a receipt into one that asks for the batch again: another node may know the runs better.
  /// `is_open_in(life)`: see run_gate. Checked last.
  template <class Message, class IsOpenIn>
  [[nodiscard]] static bool passes_gate(Message& what, std::int64_t life, IsOpenIn is_open_in) {
    if constexpr (std::is_same_v<Message, protocol::elastic_receipt>)
      what.stored = what.stored && (life == 0 || is_open_in(life));
    else if constexpr (std::is_same_v<Message, protocol::elastic_grants> || std::is_same_v<Message, protocol::elastic_ack>)
      return is_open_in(life);
    return true;
  }
  /// Counts what leaves.
  void leaves(const protocol::elastic_orders& orders);
  void leaves(const protocol::elastic_receipt& receipt);
  template <class Message>
  void leaves(const Message&) noexcept {}

  /// Returns true once: a refusal is logged once per link.
  [[nodiscard]] bool may_log_refusal() noexcept { return !std::exchange(logged_, true); }

private:
  /// Questions for inventories that are remembered.
  static constexpr std::size_t questions_max = 1024;
  /// A host sends at most 20 heartbeats a second, and after a stall of the network those of the stall at once. Up to 100 pass at
  /// once, and 50 a second; others have no effect.
  static constexpr std::chrono::milliseconds beat_every{20};
  static constexpr std::chrono::milliseconds beats_at_once{100 * beat_every};

  /// Calls of once-listeners, which take no slot of the host, in the answer to one question.
  static constexpr std::size_t hooks_max = 10'000;
  struct run_count {
    std::size_t items = 0;
    std::size_t hooks = 0;
    friend run_count operator+(const run_count& left, const run_count& right) noexcept {
      return {left.items + right.items, left.hooks + right.hooks};
    }
  };

  [[nodiscard]] static run_count count_of(const protocol::elastic_inventory& part);
  [[nodiscard]] std::string breach_of_order(const protocol::elastic_events& batch) const;
  [[nodiscard]] std::string breach_of_order(const protocol::elastic_inventory& part) const;
  template <class Message>
  [[nodiscard]] std::string breach_of_order(const Message&) const {
    return {};
  }
  /// Returns the verdict about any message after the hello.
  [[nodiscard]] verdict judge_later() const noexcept;

  std::uint32_t version_;
  protocol::link_extension hosts_;
  bool introduced_ = false;
  bool logged_ = false;
  /// Earliest moment of the next hello.
  steady next_hello_{};
  /// When as many heartbeats as have passed would have passed, one every `beat_every`.
  steady beats_until_{};
  std::uint64_t last_batch_ = 0;
  /// Batches of events that have no receipt yet.
  std::set<std::uint64_t> unreceipted_;
  /// Runs so far in the answers to open questions for an inventory. Numbers ascend.
  std::map<std::uint64_t, run_count> questions_;
  /// As its last hello says: a host holds no more runs of items.
  std::size_t capacity_ = 0;
};

} // namespace ringmaster::actors
