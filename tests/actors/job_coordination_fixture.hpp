#pragma once

// One elastic job on virtual time with a played store and played hosts: `job_coordination` alone decides.

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "actors/elastic/job_coordination.hpp"
#include "core/schedule/schedule.hpp"
#include "tests/actors/agreeing_store.hpp"
#include "tests/support/catch.hpp"

namespace ringmaster::test {

namespace elastic = core::elastic;
using core::milliseconds;

/// Names of hosts are letters; A has number 1.
class coordinated_job : public agreeing_store {
public:
  static constexpr core::time_point start = core::from_ms(1'772'452'800'000);

  explicit coordinated_job(std::int32_t items) {
    stored.job.id = elastic::elastic_job_id{7};
    stored.job.what.name = "report";
    stored.job.what.group = core::group_id{1};
    stored.job.what.handler = "demo";
    stored.job.what.total = items;
    stored.job.what.options.schedule = core::schedule_type::fixed_rate;
    stored.job.what.options.schedule_conf = "10";
    stored.job.version = 1;
    stored.job.status = elastic::job_status::on;
    stored.job.next = start + milliseconds{10'000};
    stored.job.revision = 5;
    for (std::int32_t i = 0; i < items; ++i)
      stored.items.push_back(idle_row(i));
  }
  static elastic::item_row idle_row(std::int32_t item) {
    elastic::item_row row;
    row.item = elastic::item_number{item};
    return row;
  }

  elastic::adopted_job stored;
  /// Loads `stored`.
  void load() {
    job.load(elastic::adopted_job{stored}, rule(), at());
    settle();
  }
  /// Loads `stored` when these hosts are up, and lets a second pass.
  void begin(const std::string& names, int slots = 100) {
    for (const char name : names)
      host_up(name, slots);
    view();
    load();
    advance(std::chrono::seconds{1});
  }
  /// The job is read again after a change of `stored`.
  void change() {
    job.change(elastic::adopted_job{stored}, rule(), at());
    settle();
  }
  /// A user requests runs; the coordinator reads the request.
  void request(std::int64_t id, std::optional<std::string> param = std::nullopt,
               elastic::request_policy policy = elastic::request_policy::discard) {
    elastic::request_row row{elastic::request_id{id}, stored.job.id};
    row.param = std::move(param);
    row.policy = policy;
    row.at = wall_;
    stored.requests = {std::move(row)};
    change();
    stored.requests.clear();
  }
  /// An operator cancels a run of an item; the coordinator reads that.
  void cancel(int item, elastic::item_run_id run) {
    stored.items.at(static_cast<std::size_t>(item)).cancel_run = run;
    change();
  }
  void cancel(int item) { cancel(item, latest(item).what.run); }
  /// Answers `rereads`.
  void rows_read(const std::vector<elastic::item_row>& rows) {
    job.rows_read(rows, at());
    settle();
  }
  [[nodiscard]] std::shared_ptr<const core::schedule> rule() const {
    const auto& options = stored.job.what.options;
    return std::make_shared<const core::schedule>(
      core::schedule::compile(options.schedule, options.schedule_conf, core::zone{}, options.timing).value());
  }

  // Hosts.

  void host_up(char name, int slots = 100) {
    auto& host = hosts_[name];
    host = {++host.incarnation, slots, elastic::host_state::up, true};
  }
  void host_unlinked(char name) { hosts_[name].linked = false; }
  void host_linked(char name) { hosts_[name].linked = true; }
  void host_state(char name, elastic::host_state state) { hosts_[name].state = state; }
  void host_mode(char name, elastic::host_mode mode) { hosts_[name].mode = mode; }
  [[nodiscard]] elastic::host_process process(char name) {
    return {elastic::host_number{name - 'A' + 1}, elastic::host_incarnation{hosts_[name].incarnation}};
  }
  /// Sends the list of hosts as it is now.
  void view() {
    std::vector<elastic::host> list;
    auto known = std::make_shared<protocol::known_hosts>();
    for (const auto& [name, each] : hosts_) {
      elastic::host made;
      made.number = elastic::host_number{name - 'A' + 1};
      made.id = std::string{"host-"} + name;
      made.ip = std::string{"10.0.0."} + std::to_string(name - 'A' + 1);
      made.pid = 100;
      made.linked = each.linked;
      made.state = each.state;
      made.mode = each.mode;
      made.handlers = {"demo", "SCRIPT"};
      made.listeners = {"trace"};
      made.once_listeners = {"audit"};
      list.push_back(std::move(made));
      protocol::host_seat seat;
      seat.host = process(name);
      seat.capacity = each.slots;
      seat.free_slots = each.slots - static_cast<int>(std::count_if(granted.begin(), granted.end(), [&](const auto& run) {
        return run.second.host == seat.host && !run.second.ended;
      }));
      known->seats.push_back(std::move(seat));
    }
    known->hosts = elastic::host_list::make(std::move(list)).value();
    known->several_nodes = several_nodes;
    job.look(std::move(known), at());
    settle();
  }
  bool several_nodes = true;
  void notice(char name, protocol::host_fate fate) {
    job.notice({process(name), fate, now_}, at());
    settle();
  }
  /// The process dies, and this is known at once.
  void dies(char name) {
    host_state(name, elastic::host_state::dead);
    host_unlinked(name);
    view();
    notice(name, protocol::host_fate::dead);
  }

  // Runs. An item is named by its number; its latest grant is meant.

  struct grant {
    elastic::host_process host;
    protocol::elastic_grant what;
    std::string param;
    bool ended = false;
  };
  /// Grants that have left, by run.
  std::map<elastic::item_run_id, grant> granted;

  [[nodiscard]] const grant& latest(int item) const {
    const grant* found = nullptr;
    for (const auto& [run, each] : granted)
      if (each.what.item == elastic::item_number{item})
        found = &each;
    REQUIRE(found != nullptr);
    return *found;
  }
  protocol::elastic_event event(int item, protocol::elastic_event_kind kind) const {
    const auto& run = latest(item);
    protocol::elastic_event made;
    made.job = stored.job.id;
    made.item = run.what.item;
    made.run = run.what.run;
    made.fence = run.what.fence;
    made.kind = kind;
    made.at = wall_;
    return made;
  }
  void tell(const protocol::elastic_event& what) { tell_from(granted.at(what.run).host, what); }
  void tell_from(const elastic::host_process& host, const protocol::elastic_event& what) {
    protocol::host_events events{host, 1, ++batch_, {what}};
    if (what.kind == protocol::elastic_event_kind::finished)
      granted.at(what.run).ended = true;
    job.hear(events, at());
    settle();
  }
  void started(int item) { tell(event(item, protocol::elastic_event_kind::started)); }
  void refused(int item, protocol::elastic_refusal why) {
    auto refusal = event(item, protocol::elastic_event_kind::refused);
    refusal.refusal = why;
    tell(refusal);
  }
  void finished(int item, elastic::host_outcome outcome = elastic::host_outcome::success) {
    auto what = event(item, protocol::elastic_event_kind::finished);
    what.outcome = outcome;
    tell(what);
  }

  // Time.

  void advance(milliseconds by) {
    const auto end = now_ + by;
    for (;;) {
      const auto next = job.next_call(at());
      const auto to = next && *next < end ? std::max(*next, now_) : end;
      wall_ += std::chrono::ceil<milliseconds>(to - now_);
      now_ = to;
      if (!next || *next > now_)
        return;
      job.pass_time(at());
      settle();
      REQUIRE(++calls_ < 10'000);
    }
  }
  /// Sets the civil clock forward or back; the director tells the coordinators.
  void step_clock(milliseconds by) {
    wall_ += by;
    job.pass_time(at());
    settle();
  }
  [[nodiscard]] actors::job_moment at() const { return {now_, wall_}; }

  // The store.

  /// Writes wait for `answer`.
  bool holds_answers = false;
  void answer() {
    holds_answers = false;
    settle();
  }
  std::vector<elastic::elastic_op> ops;
  [[nodiscard]] std::vector<elastic::fire_write> fires() const {
    std::vector<elastic::fire_write> out;
    for (const auto& op : ops)
      if (const auto* fire = std::get_if<elastic::fire_write>(&op))
        out.push_back(*fire);
    return out;
  }
  /// Returns the changes of this kind, in order.
  template <class Change>
  [[nodiscard]] std::vector<Change> changes() const {
    std::vector<Change> out;
    const auto add = [&](const elastic::item_write& item) {
      if (const auto* change = std::get_if<Change>(&item.what))
        out.push_back(*change);
    };
    for (const auto& op : ops)
      if (const auto* item = std::get_if<elastic::item_write>(&op))
        add(*item);
      else if (const auto* fire = std::get_if<elastic::fire_write>(&op))
        std::for_each(fire->items.begin(), fire->items.end(), add);
    return out;
  }

  // Results.

  std::vector<protocol::host_events_done> done;
  std::vector<std::pair<elastic::host_process, protocol::elastic_orders>> orders;
  std::vector<elastic::item_number> rereads;
  std::vector<std::string> problems;
  std::vector<protocol::item_error> errors;
  std::vector<actors::job_fact> facts;
  actors::item_counts items;
  /// Returns the facts of this kind, in order.
  template <class Fact>
  [[nodiscard]] std::vector<Fact> facts_of() const {
    std::vector<Fact> out;
    for (const auto& each : facts)
      if (const auto* found = std::get_if<Fact>(&each))
        out.push_back(*found);
    return out;
  }
  int specs = 0;
  bool reload = false;
  bool ended = false;
  /// Returns the grants as "item@host source", by run; attempts after the first one have a number.
  [[nodiscard]] std::string runs() const {
    std::ostringstream out;
    for (const auto& [run, each] : granted) {
      out << (run == granted.begin()->first ? "" : ", ") << core::number(each.what.item) << '@'
          << static_cast<char>('A' + core::number(each.host.host) - 1) << " NMFR"[1 + static_cast<int>(each.what.source)];
      if (each.what.attempt > 1)
        out << each.what.attempt;
    }
    return out.str();
  }
  [[nodiscard]] std::size_t count_orders(elastic::item_order what) const {
    std::size_t count = 0;
    for (const auto& [host, message] : orders)
      count += static_cast<std::size_t>(std::count_if(message.orders.begin(), message.orders.end(),
                                                      [&](const auto& each) { return each.order == what; }));
    return count;
  }
  /// The newest run of an item, as a host that runs it names it.
  [[nodiscard]] protocol::elastic_held_run held(int item) const {
    const auto& run = latest(item).what;
    return {stored.job.id, elastic::item_number{item}, run.run, run.fence, protocol::elastic_phase::running};
  }

  /// Answers the last question for an inventory with these runs.
  void answer_inventory(char name, std::vector<protocol::elastic_held_run> runs) {
    protocol::elastic_inventory part;
    for (const auto& [host, message] : orders)
      if (message.inventory != 0 && host == process(name))
        part.question = message.inventory;
    REQUIRE(part.question != 0);
    part.slot = 7;
    part.epoch = 1;
    part.runs = std::move(runs);
    part.end = true;
    job.hear({process(name), 1, 0, {}, part}, at());
    settle();
  }

  actors::job_coordination job{{elastic::elastic_job_id{7}, {7, 1}, 3},
                               std::make_shared<const elastic::strategy_registry>()};

  /// Handles outputs, and answers writes, until nothing is left.
  void settle() {
    for (bool more = true; more;) {
      take(job.take_output(at()));
      more = !holds_answers && !waiting_.empty();
      if (!more)
        return;
      const auto writes = waiting_.front();
      waiting_.erase(waiting_.begin());
      protocol::elastic_stored stored_now{writes.number, {}};
      for (const auto& op : writes.ops)
        stored_now.answers.push_back(answer_of(op));
      job.stored(stored_now, at());
    }
  }

private:
  struct host {
    std::int64_t incarnation = 0;
    int slots = 0;
    elastic::host_state state = elastic::host_state::up;
    bool linked = true;
    elastic::host_mode mode = elastic::host_mode::enabled;
  };

  void take(actors::job_output&& out) {
    for (auto& each : out.writes) {
      ops.insert(ops.end(), each.ops.begin(), each.ops.end());
      waiting_.push_back(std::move(each));
    }
    done.insert(done.end(), out.done.begin(), out.done.end());
    rereads.insert(rereads.end(), out.rereads.begin(), out.rereads.end());
    problems.insert(problems.end(), out.problems.begin(), out.problems.end());
    errors.insert(errors.end(), out.errors.begin(), out.errors.end());
    reload = reload || out.reload;
    ended = ended || out.ended;
    facts.insert(facts.end(), out.facts.begin(), out.facts.end());
    items = out.items;
    for (const auto& each : out.sends)
      if (const auto* grants = std::get_if<protocol::elastic_grants>(&each.message.what)) {
        for (const auto& one : grants->items)
          granted[one.run] = {each.host, one, grants->param};
      } else if (const auto* order = std::get_if<protocol::elastic_orders>(&each.message.what)) {
        orders.emplace_back(each.host, *order);
      } else {
        ++specs;
      }
  }

  elastic::steady_time now_{std::chrono::hours{1000}};
  core::time_point wall_ = start;
  std::map<char, host> hosts_;
  std::vector<actors::job_writes> waiting_;
  std::uint64_t batch_ = 0;
  int calls_ = 0;
};

} // namespace ringmaster::test
