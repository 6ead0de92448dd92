#pragma once

// Items of one elastic job with hosts and bodies on virtual time: writes are stored and messages arrive at once. For timelines of
// the item's state machine alone: the plan of a timeline is given.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <sstream>
#include <string>
#include <vector>

#include "core/elastic/item_machine.hpp"
#include "tests/unit/elastic_text.hpp"

namespace ringmaster::test {

namespace elastic = core::elastic;
using core::milliseconds;

/// Time since T0 in seconds, as the timelines of the specification have it.
constexpr milliseconds at_seconds(double seconds) { return milliseconds{static_cast<std::int64_t>(seconds * 1000)}; }

class elastic_world {
public:
  static constexpr elastic::steady_time begin{std::chrono::hours{1000}};
  static constexpr core::time_point wall_begin = core::from_ms(1'700'000'000'000);
  /// From the end of a process to the verdict.
  static constexpr milliseconds death_proof{200};
  /// Duration of a body, by item, host and its number among the runs of the item (from 0).
  using durations = std::function<double(int item, char host, int number)>;

  explicit elastic_world(int items, durations lasts) : items_(static_cast<std::size_t>(items)), lasts_{std::move(lasts)} {
    rules.failover = true;
  }

  elastic::item_rules rules;
  /// Item → host of the plan.
  std::map<int, char> plan;
  bool streaming = false;
  /// Item and number of the run that fails.
  std::pair<int, int> failing{-1, 0};

  void host_up(char name, int slots = 100) { hosts_[name] = {slots, 0, true, true, ++incarnation_}; }
  void host_enabled(char name, bool enabled) { hosts_[name].enabled = enabled; }

  /// Plans `what` for a moment.
  void at(double seconds, std::function<void()> what) { plan_at(at_seconds(seconds), std::move(what)); }
  /// Fires all items that exist at T0 and then each period.
  void fires(double period, double until) {
    for (double t = 0; t <= until; t += period)
      at(t, [this] { fire(elastic::run_source::normal, {}); });
  }
  void fire(elastic::run_source source, elastic::request_id request) {
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (source == elastic::run_source::manual)
        apply(i, elastic::event::requested{{wall(), source, request}, policy, now() + std::chrono::hours{1}});
      else
        apply(i, elastic::event::fired{{wall(), source, request}});
  }
  elastic::request_policy policy = elastic::request_policy::discard;

  void apply(std::size_t item, const elastic::item_event& what) {
    choosing_ = static_cast<int>(item);
    handle(item, elastic::apply(items_[item], what, scene()));
  }
  void apply_to_all(const elastic::item_event& what) {
    for (std::size_t i = 0; i < items_.size(); ++i)
      apply(i, what);
  }
  [[nodiscard]] elastic::item& item(std::size_t index) { return items_[index]; }
  void resize(std::size_t items) {
    for (std::size_t i = items; i < items_.size(); ++i)
      apply(i, elastic::event::surplus_set{});
    items_.resize(std::max(items, items_.size()));
    for (std::size_t i = 0; i < items; ++i)
      items_[i].surplus = false;
  }

  /// The process ends; its verdict follows.
  void crash(char name) {
    const auto process = process_of(name);
    hosts_[name].up = false;
    for (auto& each : runs_)
      if (each.host == name && !each.ended)
        each.crashed = true;
    plan_at(time_ + death_proof, [this, process] { for_runs_on(process, elastic::event::host_gone{process}); });
  }
  /// A run of each item on the host: the event about its process.
  void for_runs_on(const elastic::host_process& process, const elastic::item_event& what) {
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (elastic::is_open(items_[i].state) && items_[i].host == process)
        apply(i, what);
    offer();
  }
  [[nodiscard]] elastic::host_process process_of(char name) {
    return {elastic::host_number{name}, elastic::host_incarnation{hosts_[name].incarnation}};
  }
  /// Offers free slots to items that wait.
  void offer() {
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].state == elastic::item_state::wanted)
        apply(i, elastic::event::host_freed{});
  }

  /// Runs until nothing is planned, or until this moment.
  void run_until(double seconds) {
    while (!events_.empty() && events_.top().at <= at_seconds(seconds)) {
      const auto next = events_.top();
      events_.pop();
      time_ = next.at;
      next.what();
    }
  }

  /// Returns the runs by start and item: "item@host source+attempt start-end end", the first attempt and the end "ok" left out.
  [[nodiscard]] std::vector<std::string> runs() const {
    auto sorted = runs_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const run& a, const run& b) {
      return std::pair{a.start, a.item} < std::pair{b.start, b.item};
    });
    std::vector<std::string> out;
    for (const auto& each : sorted) {
      std::ostringstream text;
      text << each.item << '@' << each.host << ' ' << "NMFR"[static_cast<int>(each.source)];
      if (each.attempt > 1)
        text << each.attempt;
      text << ' ' << static_cast<double>(each.start.count()) / 1000 << '-';
      if (each.ended)
        text << static_cast<double>(each.end.count()) / 1000;
      constexpr const char* names[] = {"", "", "", " error", " lost", " killed", " failed"};
      text << (each.ended ? names[static_cast<int>(each.how)] : "");
      out.push_back(text.str());
    }
    return out;
  }

  int gone = 0, dropped_fires = 0, dropped_requests = 0, deleted = 0;
  std::vector<std::string> impossible;

  [[nodiscard]] elastic::steady_time now() const { return begin + time_; }
  [[nodiscard]] core::time_point wall() const { return wall_begin + time_; }

private:
  struct host {
    int slots = 0;
    int used = 0;
    bool up = false;
    bool enabled = true;
    std::int64_t incarnation = 0;
  };
  struct run {
    int item;
    char host;
    elastic::run_source source;
    int attempt;
    milliseconds start;
    milliseconds end{0};
    elastic::item_run_end how{};
    elastic::item_run_id id{};
    bool ended = false;
    bool crashed = false;
  };
  struct planned {
    milliseconds at;
    std::uint64_t order;
    std::function<void()> what;
    friend bool operator<(const planned& a, const planned& b) { return std::pair{b.at, b.order} < std::pair{a.at, a.order}; }
  };

  void plan_at(milliseconds when, std::function<void()> what) { events_.push({when, ++order_, std::move(what)}); }
  [[nodiscard]] elastic::item_scene scene() { return {now(), wall(), rules, choose_}; }

  [[nodiscard]] bool is_free(char name) const {
    const auto found = hosts_.find(name);
    return found != hosts_.end() && found->second.up && found->second.enabled && found->second.used < found->second.slots;
  }
  [[nodiscard]] std::optional<elastic::host_process> choose(const elastic::run_cause& cause) {
    char best = 0;
    if (cause.source == elastic::run_source::failover) {
      for (const auto& [name, each] : hosts_)
        if (is_free(name) && (best == 0 || each.used < hosts_[best].used))
          best = name;
    } else if (const auto found = plan.find(choosing_); found != plan.end() && is_free(found->second)) {
      best = found->second;
    }
    if (best == 0)
      return std::nullopt;
    ++hosts_[best].used;
    return process_of(best);
  }

  void handle(std::size_t index, const elastic::item_decision& decision) {
    if (decision.outcome == elastic::item_decision::kind::impossible)
      impossible.push_back(std::to_string(index) + " in " + text_of(items_[index].state));
    for (const auto& each : decision.actions)
      std::visit([&](const auto& what) { act(index, what); }, each);
    if (const auto due = due_at(items_[index]))
      plan_at(std::chrono::duration_cast<milliseconds>(*due - begin), [this, index] {
        apply(index, elastic::event::time_passed{});
      });
  }

  void act(std::size_t index, const elastic::action::write_grant&) { store(index); }
  void act(std::size_t index, const elastic::action::write_wait_end& what) { store_next(index, what.next); }
  void act(std::size_t index, const elastic::action::write_end& what) { close(index, what.run, what.end, what.next); }
  void act(std::size_t index, const elastic::action::write_loss& what) { close(index, what.run, what.end, what.next); }
  void act(std::size_t, const elastic::action::write_miss& what) {
    dropped_fires += what.change == elastic::miss_change::dropped;
  }
  void act(std::size_t, const elastic::action::count_gone&) { ++gone; }
  void act(std::size_t, const elastic::action::drop_request&) { ++dropped_requests; }
  void act(std::size_t, const elastic::action::delete_item&) { ++deleted; }
  void act(std::size_t index, const elastic::action::send_grant& what) {
    const auto& one = items_[index];
    const auto name = static_cast<char>(core::number(what.host.host));
    const int number = ++count_[static_cast<int>(index)] - 1;
    runs_.push_back({static_cast<int>(index), name, one.cause.source, one.attempt, time_, {}, {}, what.run});
    plan_at(time_, [this, index, what] { apply(index, elastic::event::started{what.host, what.run, what.fence}); });
    const bool fails = failing == std::pair{static_cast<int>(index), number};
    if (!streaming)
      body_ends(index, what.run, what.fence, at_seconds(lasts_(static_cast<int>(index), name, number)),
                fails ? elastic::host_outcome::error : elastic::host_outcome::success);
  }
  void act(std::size_t index, const elastic::action::send_order& what) {
    if (what.order == elastic::item_order::drain)
      body_ends(index, what.run, what.fence, milliseconds{900}, elastic::host_outcome::yielded);
    else if (what.order == elastic::item_order::cancel)
      body_ends(index, what.run, what.fence, milliseconds{100}, elastic::host_outcome::cancelled);
  }
  void act(std::size_t, const auto&) {}

  void body_ends(std::size_t index, elastic::item_run_id id, elastic::fence_number fence, milliseconds after,
                 elastic::host_outcome outcome) {
    plan_at(time_ + after, [=, this] {
      const auto found = std::find_if(runs_.begin(), runs_.end(), [&](const run& each) { return each.id == id; });
      if (!found->crashed)
        apply(index, elastic::event::finished{id, fence, outcome});
      offer();
    });
  }
  void store(std::size_t index) {
    plan_at(time_, [this, index] { apply(index, elastic::event::grant_stored{elastic::item_run_id{++run_}}); });
  }
  void store_next(std::size_t index, const elastic::item_next& next) {
    if (next.grant)
      store(index);
  }
  void close(std::size_t index, elastic::item_run_id id, elastic::item_run_end how, const elastic::item_next& next) {
    for (auto& each : runs_)
      if (each.id == id) {
        each.ended = true;
        each.end = time_;
        each.how = how;
        --hosts_[each.host].used;
      }
    store_next(index, next);
  }

  std::vector<elastic::item> items_;
  durations lasts_;
  std::map<char, host> hosts_;
  std::vector<run> runs_;
  std::map<int, int> count_;
  std::priority_queue<planned> events_;
  milliseconds time_{0};
  std::uint64_t order_ = 0;
  std::int64_t run_ = 0;
  std::int64_t incarnation_ = 0;
  int choosing_ = 0;
  elastic::host_choice choose_ = [this](const elastic::run_cause& cause, std::span<const elastic::host_process>) {
    return choose(cause);
  };
};

} // namespace ringmaster::test
