#pragma once

// Hosts: executor processes that run items of elastic jobs (`ej_node`), and the order in which strategies see them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic/elastic_ids.hpp"
#include "core/result.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// Maximum number of hosts of a cluster.
inline constexpr std::size_t hosts_max = 1024;

/// State of a host as the cluster sees it. Values are stored in `ej_node.state`.
enum class host_state : std::uint8_t { up = 0, silent = 1, dead = 2, left = 3 };

/// Decision of operators about a host, over all its processes. Values are stored in `ej_node.mode`.
enum class host_mode : std::uint8_t {
  enabled = 0,
  /// No new grants of any job; open runs go on.
  disabled = 1,
  /// No new grants of any job; open runs are asked to end.
  draining = 2,
  /// Left out of lists. Its next process is enabled.
  removed = 3,
};

/// Facts about a host at one moment.
struct host {
  host_number number = no_host;
  /// Configured name, unique in the cluster and stable over restarts.
  std::string id;
  std::string ip;
  /// Process id.
  std::int64_t pid = 0;
  /// Start of the process; only compared.
  time_point started{};
  host_state state = host_state::up;
  /// The host has a link to this node and is not suspected to be lost.
  bool linked = false;
  /// The host gets no new grants, because it is about to leave.
  bool draining = false;
  host_mode mode = host_mode::enabled;
  /// Labels, each compared as a whole.
  std::vector<std::string> labels;
  /// Names of the handlers that the host can run.
  std::vector<std::string> handlers;
  /// Names of its each-node and once-listeners.
  std::vector<std::string> listeners;
  std::vector<std::string> once_listeners;
  /// Clock of the host minus clock of this node; unset until the first heartbeat.
  std::optional<milliseconds> clock_difference;
};

/// Returns ElasticJob's name of a process, `<ip>@-@<pid>` (EJ §2.1).
[[nodiscard]] std::string instance_name(const host& which);

/// Order in which a strategy sees the hosts of a job (EJ §7.4).
enum class host_order : std::uint8_t {
  /// By instance name as a text, descending: the order of ElasticJob, in which 10.0.0.10 is after 10.0.0.1.
  desc_string,
  /// By IP address as a number, then by start time, ascending. Texts that are not an IPv4 address are last, in the order of
  /// their bytes.
  asc_natural,
};

/// Returns the configured name of an order, e.g. `desc-string`.
[[nodiscard]] std::string_view to_string(host_order order) noexcept;
/// Parses that name; unset for all others.
[[nodiscard]] std::optional<host_order> parse_host_order(std::string_view name) noexcept;

/// All known hosts of a cluster at one moment, also dead ones, in both orders. Immutable; readable from all threads.
class host_list {
public:
  /// Creates an empty list.
  host_list() = default;

  /// Sorts the hosts. Hosts that an order cannot distinguish are ordered by number.
  /// Errors: `invalid_argument` for a number below 1, an empty id, and a number or id that two hosts have; `too_large` for more
  /// than `hosts_max` hosts.
  [[nodiscard]] static result<host_list> make(std::vector<host> hosts);

  /// Returns the number of hosts.
  [[nodiscard]] std::size_t size() const noexcept { return hosts_.size(); }
  /// Returns the host with this number, null if there is none. The pointer is valid as long as the list.
  [[nodiscard]] const host* find(host_number number) const noexcept;
  /// Returns the host at a position of an order. Requires `position` < `size()`.
  [[nodiscard]] const host& at(host_order order, std::size_t position) const { return hosts_[positions(order)[position]]; }
  /// Returns the position of a host in an order; unset for an unknown host.
  [[nodiscard]] std::optional<std::size_t> position_of(host_order order, host_number number) const noexcept;

private:
  [[nodiscard]] const std::vector<std::uint32_t>& positions(host_order order) const noexcept {
    return order == host_order::desc_string ? descending_ : natural_;
  }

  /// By number, ascending.
  std::vector<host> hosts_;
  /// Indexes in `hosts_`.
  std::vector<std::uint32_t> descending_;
  std::vector<std::uint32_t> natural_;
};

} // namespace ringmaster::core::elastic
