// local_api_client: nodes, from their rows. Clocks of other machines are not comparable, so the command watches the rows for a
// moment, like the nodes do.

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <thread>

#include "actors/node/peer_watch.hpp"
#include "apps/client/local_api_client.hpp"
#include "protocol/wire/v1/api_nodes.hpp"
#include "storage/reservations.hpp"

namespace ringmaster::apps {

namespace {

using namespace std::chrono_literals;
using core::result;

constexpr auto look_gap = 50ms;
/// Upper limit of the watch time, regardless of the settings.
constexpr std::chrono::milliseconds watch_max = 5s;

std::int64_t steady_ns() {
  return std::chrono::nanoseconds{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

/// Returns whether the node sent a heartbeat since it was first seen here.
bool has_beaten(const std::vector<core::node_row>& first, const core::node_row& now) {
  const auto was = std::find_if(first.begin(), first.end(), [&now](const auto& each) { return each.id == now.id; });
  return was == first.end() || was->incarnation != now.incarnation || was->beat != now.beat;
}

/// Watches until every node that is marked up has sent a heartbeat, `limit` at most.
result<std::vector<core::seen_node>> watch(storage::store& store, std::chrono::milliseconds limit) {
  actors::peer_watch peers{"", limit};
  std::optional<std::vector<core::node_row>> first;
  std::int64_t end = 0;
  for (;; std::this_thread::sleep_for(look_gap)) {
    const auto rows = store.cluster().nodes();
    if (!rows)
      return tl::unexpected{rows.error()};
    const auto now = steady_ns();
    peers.observe(*rows, now);
    if (!first) {
      first = *rows;
      end = now + std::chrono::nanoseconds{limit}.count();
    }
    const bool all_told = std::all_of(rows->begin(), rows->end(), [&first](const core::node_row& row) {
      return row.state != core::node_state::up || has_beaten(*first, row);
    });
    if (all_told || now >= end)
      return peers.seen(now);
  }
}

result<api_document> node_list(const store_question& asked) {
  const auto dead_after = std::min<std::chrono::milliseconds>(asked.settings.cluster.dead_after, watch_max);
  const auto mode = storage::agreed_mode(asked.store, "");
  if (!mode)
    return tl::unexpected{mode.error()};
  return watch(asked.store, dead_after).map([&](const std::vector<core::seen_node>& nodes) {
    return parsed(protocol::wire::api_nodes({nodes, *mode, dead_after, RINGMASTER_VERSION, true}));
  });
}

constexpr std::array answers_about_nodes = std::to_array<store_route>({{"GET", "/nodes", node_list}});

} // namespace

std::span<const store_route> node_routes() noexcept { return answers_about_nodes; }

} // namespace ringmaster::apps
