// Random walks of one host and three nodes: keeper_book under delays, cuts, half-open links, deaths of nodes and pauses of the
// host. Nodes follow elastic design §3: a node acknowledges before it reads the database, becomes the keeper by compare-and-set,
// reads changes every 150 ms, and counts silence from its last heartbeat and its own start as keeper; for a keeper that is over,
// not from before its end. A node of a silent host acknowledges without a number until a node is its keeper again.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <utility>

#include "executor/elastic/keeper_book.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using namespace std::chrono_literals;
using core::milliseconds;
using executor::elastic::keeper_book;
using executor::elastic::link_number;

namespace {

constexpr milliseconds short_lease = 500ms;
constexpr milliseconds long_lease = 3s;
constexpr milliseconds margin = 250ms;
constexpr milliseconds silence = 750ms;
constexpr milliseconds faults_until = 12s;
constexpr milliseconds walk_end = 17s;

class lease_walk {
public:
  explicit lease_walk(std::uint64_t seed) : random_{seed} {}

  /// Returns the number of takeovers. Checks each one.
  int go() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      after(draw(0, 50), [this, i] { connect(i); });
      after(draw(0, 150), [this, i] { poll(i); });
      after(draw(0, 50), [this, i] { judge(i); });
    }
    after(50ms, [this] { tick(); });
    after(draw(300, 1500), [this] { fault(); });
    while (!events_.empty() && now_ < walk_end) {
      auto next = events_.extract(events_.begin());
      now_ = next.key().first;
      next.mapped()();
    }
    // Long after the last fault the host has a keeper again.
    CHECK(has_lease(short_lease));
    return takeovers_;
  }

private:
  struct node_life {
    int life = 1;
    bool alive = true;
    link_number link = 0;
    /// The link loses messages without an end.
    bool half_open = false;
    milliseconds to_node{0};
    milliseconds to_host{0};
    /// Last heartbeat, or start as keeper.
    milliseconds heard{0};
    /// Number as keeper, as the node knows it; 0: not the keeper.
    std::int64_t number = 0;
  };
  struct keeper_row {
    std::size_t node = 0;
    int life = 0;
    std::int64_t number = 0;
    bool silent = false;
    int silences = 0;
  };

  milliseconds draw(std::int64_t from, std::int64_t to) {
    return milliseconds{std::uniform_int_distribution<std::int64_t>{from, to}(random_)};
  }
  void at(milliseconds when, std::function<void()> what) { events_.emplace(std::pair{when, ++last_event_}, std::move(what)); }
  void after(milliseconds delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }
  [[nodiscard]] executor::elastic::boot_time boot() const { return 1000s + now_; }
  [[nodiscard]] bool has_lease(milliseconds lease) const {
    const auto from = book_.lease_from();
    return from && *from + lease > boot();
  }

  // -- links, in order and with delays --

  void to_node(std::size_t i, std::function<void()> what) {
    auto& node = nodes_[i];
    node.to_node = std::max(node.to_node, now_ + draw(0, 40));
    at(node.to_node, [this, i, link = node.link, what = std::move(what)] {
      if (nodes_[i].link == link && link != 0 && !nodes_[i].half_open)
        what();
    });
  }
  void to_host(std::size_t i, std::function<void()> what) {
    auto& node = nodes_[i];
    node.to_host = std::max(node.to_host, now_ + draw(0, 40));
    at(node.to_host, [this, i, link = node.link, what = std::move(what)] {
      if (nodes_[i].link == link && link != 0 && !nodes_[i].half_open)
        on_host(what);
    });
  }
  /// The host acts on nothing while it is paused.
  void on_host(const std::function<void()>& what) {
    if (now_ < paused_until_)
      return at(paused_until_, what);
    what();
  }

  void connect(std::size_t i) {
    auto& node = nodes_[i];
    if (!node.alive || node.link != 0)
      return;
    node.link = ++last_link_;
    to_node(i, [this, i] { enter(i); });
  }
  void cut(std::size_t i) {
    auto& node = nodes_[i];
    const auto link = std::exchange(node.link, 0);
    node.half_open = false;
    if (link == 0)
      return;
    after(draw(0, 100), [this, link] {
      on_host([this, link] {
        book_.end_link(link, boot());
        beat();
      });
    });
    after(draw(300, 900), [this, i] { connect(i); });
  }

  // -- a node --

  void enter(std::size_t i) {
    auto& node = nodes_[i];
    node.heard = now_;
    if (row_.number == 0)
      row_ = {i, node.life, 1, false, 0};
    read(i);
    to_host(i, [this, link = node.link, number = node.number] { book_.add_link(link, {}, number, boot(), boot()); });
  }
  void read(std::size_t i) {
    const bool is_keeper = row_.node == i && row_.life == nodes_[i].life;
    nodes_[i].number = is_keeper && !row_.silent ? row_.number : 0;
  }
  void hear(std::size_t i, const protocol::elastic_heartbeat& beat) {
    auto& node = nodes_[i];
    node.heard = now_;
    to_host(i, [this, link = node.link, ack = protocol::elastic_ack{beat.number, node.number, false}] {
      (void)book_.take_ack(link, ack, boot());
      this->beat();
    });
    if (beat.asks_keeper)
      after(draw(1, 300), [this, i, life = node.life, seen = row_.number] { keep(i, life, seen); });
  }
  void keep(std::size_t i, int life, std::int64_t seen) {
    auto& node = nodes_[i];
    if (node.life != life || !node.alive || row_.number != seen)
      return;
    row_ = {i, life, seen + 1, false, row_.silences};
    node.heard = std::max(node.heard, now_);
    node.number = row_.number;
  }
  void poll(std::size_t i) {
    auto& node = nodes_[i];
    after(150ms, [this, i] { poll(i); });
    if (node.alive)
      read(i);
  }
  // E3: a node that is the keeper, or any node once the keeper has been dead for long enough.
  void judge(std::size_t i) {
    const auto& node = nodes_[i];
    after(50ms, [this, i] { judge(i); });
    if (!node.alive || row_.number == 0 || row_.silent || now_ - node.heard < silence)
      return;
    const auto& keeper = nodes_[row_.node];
    const bool is_keeper = row_.node == i && row_.life == node.life && row_.number == node.number;
    const bool keeper_is_over = !keeper.alive || keeper.life != row_.life;
    if (is_keeper)
      say_silent(node.heard);
    else if (keeper_is_over && now_ - died_ >= silence)
      say_silent(std::max(node.heard, died_));
  }
  void say_silent(milliseconds heard) {
    row_.silent = true;
    for (auto& node : nodes_)
      node.number = 0;
    const auto token = ++row_.silences;
    for (const auto lease : {short_lease, long_lease})
      at(std::max(now_, heard + lease + margin), [this, token, lease] { take_over(token, lease); });
  }
  // E9 of a run with this lease.
  void take_over(int token, milliseconds lease) {
    if (!row_.silent || row_.silences != token)
      return;
    ++takeovers_;
    INFO("takeover at " << now_.count() << " ms, lease of " << lease.count() << " ms");
    CHECK_FALSE(has_lease(lease));
  }

  // -- the host --

  void beat() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto link = nodes_[i].link;
      if (const auto sent = link != 0 ? book_.next_beat(link, boot()) : std::nullopt)
        to_node(i, [this, i, beat = *sent] { hear(i, beat); });
    }
  }
  void tick() {
    after(50ms, [this] { tick(); });
    if (now_ < paused_until_)
      return;
    book_.pass_time(boot());
    beat();
  }

  void fault() {
    if (now_ >= faults_until)
      return;
    after(draw(50, 1500), [this] { fault(); });
    const auto i = static_cast<std::size_t>(draw(0, 2).count());
    switch (draw(0, 4).count()) {
    case 0: return cut(i);
    case 1:
      nodes_[i].half_open = true;
      return after(draw(100, 2500), [this, i, link = nodes_[i].link] {
        if (nodes_[i].link == link)
          cut(i);
      });
    case 2: paused_until_ = now_ + draw(50, 1500); return;
    default: return kill(i);
    }
  }
  void kill(std::size_t i) {
    auto& node = nodes_[i];
    if (!node.alive || std::count_if(nodes_.begin(), nodes_.end(), [](const auto& each) { return each.alive; }) == 1)
      return;
    node.alive = false;
    node.number = 0;
    died_ = now_;
    cut(i);
    after(draw(500, 3000), [this, i] {
      nodes_[i].alive = true;
      ++nodes_[i].life;
      nodes_[i].heard = now_;
      connect(i);
    });
  }

  std::mt19937_64 random_;
  std::map<std::pair<milliseconds, std::uint64_t>, std::function<void()>> events_;
  std::uint64_t last_event_ = 0;
  milliseconds now_{0};
  std::array<node_life, 3> nodes_;
  keeper_row row_;
  /// Last death of a node.
  milliseconds died_{0};
  keeper_book book_;
  link_number last_link_ = 0;
  milliseconds paused_until_{0};
  int takeovers_ = 0;
};

} // namespace

TEST_CASE("no item is taken over while its host has a lease, whatever fails", "[actors][elastic]") {
  int takeovers = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    takeovers += lease_walk{seed}.go();
  }
  CHECK(takeovers > 0);
}
