#pragma once

// Decisions about one elastic job, without actors: events and times come in, writes and messages go out (elastic design §1, §4,
// §5). The machines of core/elastic decide about items and barriers; this class keeps them, plans, fires, and carries their
// actions out.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "actors/elastic/item_table.hpp"
#include "actors/elastic/job_alarms.hpp"
#include "actors/elastic/job_hosts.hpp"
#include "actors/elastic/job_mail.hpp"
#include "actors/elastic/job_output.hpp"
#include "core/elastic/barrier_event.hpp"
#include "core/elastic/fire_machine.hpp"
#include "core/elastic/item_machine.hpp"
#include "core/elastic/strategy.hpp"
#include "core/schedule/schedule.hpp"

namespace ringmaster::actors {

/// The job, the lease of its slot, and the incarnation number of the node that has it.
struct job_identity {
  core::elastic::elastic_job_id job{};
  core::elastic::slot_lease lease;
  std::int64_t life = 0;
};

/// One elastic job of a held slot. Owned by its coordinator; one thread. Each input is followed by `take_output`.
class job_coordination {
public:
  using item_number = core::elastic::item_number;
  using steady_time = core::elastic::steady_time;
  using schedule_rule = std::shared_ptr<const core::schedule>;

  job_coordination(job_identity who, std::shared_ptr<const core::elastic::strategy_registry> strategies,
                   const config::elastic_settings& limits = {}, std::shared_ptr<host_slots> slots = nullptr);
  job_coordination(const job_coordination&) = delete;
  job_coordination& operator=(const job_coordination&) = delete;

  // Inputs.

  /// Takes the stored state (E13), and replaces an earlier one. `rule`: null if the schedule cannot be planned.
  void load(core::elastic::adopted_job&& stored, schedule_rule rule, job_moment at);
  /// Takes a new version, other flags of items, new requests. The states of items in `stored` are not used.
  void change(core::elastic::adopted_job&& stored, schedule_rule rule, job_moment at);
  void look(std::shared_ptr<const protocol::known_hosts> known, job_moment at);
  void hear(const protocol::host_events& what, job_moment at);
  void notice(const protocol::host_notice& what, job_moment at);
  /// Takes the answers to a message of writes; an unknown number has no effect.
  void stored(const protocol::elastic_stored& what, job_moment at);
  /// Takes the rows of `job_output::rereads`; those of missing items are left out.
  void rows_read(const std::vector<core::elastic::item_row>& rows, job_moment at);
  /// The rows could not be read: they are asked for again later.
  void rows_failed(job_moment at);
  /// The moment of `next_call` has come, or may have come.
  void pass_time(job_moment at);
  /// Sets the function that is called when a slot becomes free that an item waits for; `pass_time` is to follow. It is called by
  /// any thread, at most until this object is destroyed, and may only send a message.
  void set_wake(std::function<void()> wake) { hosts_.set_wake(std::move(wake)); }
  /// Nothing begins any more; `job_output::ended` follows once all writes are answered.
  void release(job_moment at);

  // Results.

  [[nodiscard]] job_output take_output(job_moment at);
  /// Returns whether an item is not idle.
  [[nodiscard]] bool is_busy() const noexcept { return !busy_.empty(); }
  /// Returns whether a question for an inventory may be one of this job: its number has the low bits of the job's.
  [[nodiscard]] static constexpr bool may_have_asked(std::uint64_t question, core::elastic::elastic_job_id job) noexcept {
    return (question & question_jobs) == (static_cast<std::uint64_t>(core::number(job)) & question_jobs);
  }
  /// Returns the moment of the next `pass_time`; unset: none.
  [[nodiscard]] std::optional<steady_time> next_call(job_moment at) const;

private:
  using host_process = core::elastic::host_process;
  using fire_key = core::elastic::fire_key;

  /// The cursor of an item.
  struct item_cursor {
    /// As stored; unset: none.
    std::optional<std::string> value = {};
    /// The newest write of the open run: older values of the run have no effect.
    core::elastic::item_run_id run{};
    std::uint64_t number = 0;
  };
  /// One op without an answer.
  struct op_note {
    enum class kind : std::uint8_t { item, fire, step, request, alarm };
    kind what = kind::item;
    std::vector<item_number> items = {};
    /// Fire of a step.
    fire_key fire = {};
    bool releases = false;
    /// The op is the loss of a run (E9).
    bool loses = false;
    /// Counted once the op is stored.
    std::vector<job_fact> facts = {};
    /// The cursor that the op writes.
    std::optional<std::string> cursor = {};
    /// Passed on once the op is stored.
    std::vector<protocol::item_error> errors = {};
  };
  struct fire_flight {
    /// Unset: a request.
    std::optional<core::elastic::elastic_move> move;
    /// Version of the plan that it stores; 0: none.
    std::int64_t plan_version = 0;
    /// Writes of items that follow once the fire is stored.
    std::vector<core::elastic::item_write> rest;
  };
  struct planning {
    std::optional<core::elastic::item_plan> plan = {};
    std::int64_t version = 0;
    bool stored = false;
    /// Fingerprint of the hosts that the plan saw; unset: there is no plan yet.
    std::optional<std::uint64_t> fingerprint = {};
    /// The job is dirty: it is planned at the earlier of these.
    std::optional<steady_time> quiet_at = {};
    steady_time latest{};
    /// Reason why there is no plan, once logged.
    std::string failure = {};
  };
  struct question {
    host_process host;
    steady_time asked_at{};
    std::vector<protocol::elastic_held_run> runs = {};
  };

  struct schedule_state {
    /// Null: the job cannot be planned.
    schedule_rule rule = {};
    std::optional<core::time_point> next = {};
    /// Last planned instant: it and those before it never fire again, although a clock may be set back (I4).
    core::time_point last{};
    std::int64_t revision = 0;
    /// Latest civil time at which `pass_time` was called: an earlier one shows that the clock was set back.
    core::time_point seen{};
  };
  /// Item whose host is being chosen, and the preferred host of a hook.
  struct choice {
    item_number item{};
    std::optional<host_process> host = {};
    /// The host of the plan may run the item, but has no free slot.
    bool is_full = false;
  };
  /// Places of writes while items of a fire are decided, or a hook is started; null: none.
  struct assembly {
    core::elastic::fire_write* fire = nullptr;
    std::vector<item_number> granted = {};
    std::optional<core::elastic::item_write>* hook = nullptr;
  };
  struct once_listening {
    std::vector<std::pair<fire_key, core::elastic::fire_machine>> barriers = {};
    /// Options of the hooks. They belong to a fire that has begun: it goes on, also when the job was disabled meanwhile.
    core::elastic::item_rules rules = {};
  };
  struct request_list {
    /// Parameters of requests that this coordination has taken.
    std::map<core::elastic::request_id, std::optional<std::string>> taken = {};
    /// The last ones that are over: a reading of the job from before their end may still have them.
    std::vector<core::elastic::request_id> over = {};
    /// Request that is being started, and the number of its items that dropped it.
    core::elastic::request_id starting{};
    std::size_t dropped = 0;
    /// Requests that wait until the fire under way is stored.
    std::vector<core::elastic::request_row> waiting = {};
  };
  struct write_list {
    std::uint64_t last_number = 0;
    /// By number of their message.
    std::map<std::uint64_t, std::vector<op_note>> under_way = {};
    std::vector<std::pair<core::elastic::elastic_op, op_note>> next = {};
  };
  struct known_specs {
    /// Process and version of the definition that it has, by number of the host.
    std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> sent = {};
    /// Part of the definition that the host lacks, as last logged.
    std::map<std::int32_t, std::string> lacks = {};
  };
  struct inventory_list {
    /// Hosts to ask.
    std::vector<host_process> hosts = {};
    std::map<std::uint64_t, question> questions = {};
    std::uint64_t last_question = 0;
  };
  struct row_reads {
    /// Items, with the moments before which their rows are not read.
    std::map<item_number, steady_time> wanted = {};
    /// No row is read before it.
    steady_time not_before{};
    /// A reading is under way. One at a time: an answer must not be taken as that to a later question.
    bool is_reading = false;
    /// Its items, with the numbers of their writes; empty if the state was read again since.
    std::map<item_number, std::uint32_t> being_read = {};
  };
  struct phase {
    bool releasing = false;
    /// The state is to be read again; the reading is under way.
    bool reload = false;
    bool reload_asked = false;
    /// A change came while a fire was under way: the job is read once more.
    bool change_waits = false;
    bool ended = false;
    /// The definition fits a message to hosts.
    bool sendable = true;
    /// End of the wait for the first host of a start.
    steady_time hosts_expected_until{};
  };

  /// Bits of a question's number that are those of the job; the others are a time.
  static constexpr std::uint64_t question_jobs = (std::uint64_t{1} << 22U) - 1;
  /// Wait for an inventory; then the host is asked again.
  static constexpr core::milliseconds inventory_limit{2'000};

  // Items (job_items.cpp).
  core::elastic::item_decision::kind apply(item_number which, const core::elastic::item_event& what, job_moment at,
                                           core::elastic::run_report report = {});
  void apply_to_runs_on(const host_process& host, const core::elastic::item_event& what, job_moment at);
  template <class Action>
  void act(item_number which, job_item& one, const Action& what, core::elastic::run_report& report);
  void write(item_number which, job_item& one, core::elastic::item_change what, core::elastic::run_report report = {});
  void emit(core::elastic::elastic_op op, op_note note);
  void send_grant(item_number which, const job_item& one, const core::elastic::action::send_grant& what);
  /// Counts the item's run on its host, or no longer, if it has one.
  void count_run(const core::elastic::item& one, bool is_there);
  void keep_due(item_number which, job_item& one);
  void leave_after_writes(job_item& one);
  [[nodiscard]] std::optional<host_process> choose(const core::elastic::run_cause& cause,
                                                   std::span<const host_process> except);
  [[nodiscard]] core::elastic::item_scene scene(item_number which, job_moment at) const {
    return {at.now, at.wall, core::number(which) < 0 ? once_.rules : rules_, choose_, &choice_.is_full};
  }
  [[nodiscard]] std::vector<item_number> busy_items() const { return {busy_.begin(), busy_.end()}; }
  /// Returns whether the host of the plan has refused the item, so that another one may get it.
  [[nodiscard]] bool is_refused_by(core::elastic::host_number owner, std::span<const host_process> except) const;
  void offer(job_moment at);

  // Facts for the metrics (job_facts.cpp).
  void note_action(const core::elastic::item_before& before, job_item& one, const core::elastic::item_action& done,
                   job_moment at);
  void note_error(const core::elastic::item_before& before, bool was_late, const core::elastic::item_action& done, job_moment at);
  void note_takeover(job_item& one, job_moment at);
  void note_fires(const core::elastic::fire_write& what, op_note& note) const;

  // Alarms (job_facts.cpp).
  void raise(const job_alarms::raised& what);
  void note_alarm(core::elastic::item_write& write);
  [[nodiscard]] std::size_t unassigned_items() const;
  void count_item(item_number which, job_item& one, bool forgotten = false);

  // State (job_coordination.cpp, job_links.cpp).
  void forget();
  void take_definition(core::elastic::elastic_job_row&& job, std::vector<std::string>&& disabled, schedule_rule rule);
  void set_rules(core::time_point wall);
  [[nodiscard]] protocol::elastic_spec spec() const;
  [[nodiscard]] static core::elastic::stored_item stored_form(const core::elastic::item_row& row, job_moment at);
  void restore_item(const core::elastic::item_row& row, job_moment at);
  void owe_rest(const core::elastic::unfinished_fire& fire, const std::vector<core::elastic::item_row>& rows, job_moment at);
  void drop_unwanted(bool compensations, bool takeovers, job_moment at);
  void change_items(const core::elastic::adopted_job& stored, job_moment at);
  [[nodiscard]] bool is_idle_now() const noexcept { return phase_.releasing || phase_.reload || phase_.ended || !job_; }
  [[nodiscard]] bool is_on() const { return job_->status == core::elastic::job_status::on; }
  /// Takes the wake for a free slot, if there was one. Returns false if the job takes no slots now: the wake goes to other jobs.
  [[nodiscard]] bool take_wake();
  [[nodiscard]] std::string time_limit_text() const {
    return "exceeded its time limit of " + std::to_string(rules_.timeout.count()) + " ms";
  }
  void recount_slots();
  void check_links(job_moment at);
  /// Tells a run that its host process is gone. A program may outlive it: without a proof of its end, the lease decides.
  void lose_host(item_number which, job_moment at);
  void lose_host_of_all(const host_process& host, job_moment at);
  void count_lease(const host_process& host, job_moment at);
  void settle(job_moment at);
  void ask(const host_process& host) { inventories_.hosts.push_back(host); }
  void settle_asks(job_moment at);
  void expire_questions(job_moment at);

  // Plans, fires, requests (job_fires.cpp).
  void set_dirty(job_moment at);
  void replan(job_moment at);
  /// Asks streams to end whose items the plan gives to other hosts.
  void move_streams(job_moment at);
  [[nodiscard]] bool changes_host_by_fire();
  void fire_due(job_moment at);
  /// Warns once of times that a wrong clock has moved far ahead. Only an edit and a step of the clock can change that.
  void check_times(job_moment at);
  [[nodiscard]] bool waits_for_hosts(job_moment at) const;
  [[nodiscard]] bool is_due(core::time_point wall) const;
  void add_fire(core::elastic::fire_write& to, const fire_key& key, bool dropped, job_moment at);
  /// Lets a fire wait for the items that were granted for it, behind a barrier if the job has once-listeners.
  void expect_granted(core::elastic::fire_row& fire);
  void send_fire(core::elastic::fire_write&& what);
  void start_request(const core::elastic::request_row& request, job_moment at);
  /// Starts what a request owes that the coordinator before has begun.
  void continue_request(const std::vector<item_number>& owed, core::elastic::event::requested event, job_moment at);
  /// Ends a request for one item that starts no run.
  void drop_request(item_number which, core::elastic::request_id request);
  [[nodiscard]] const std::string& param_of(const fire_key& fire) const;
  void prune_requests();
  void settle_fire(const op_note& note, const core::elastic::elastic_answer& answer, job_moment at);

  // Results that another node has heard (job_inbox.cpp).
  /// Ends the run of an item by its result in the inbox, if it has one.
  void hear_inbox(item_number which, job_moment at);
  /// Takes the rows, which are sorted by run.
  void take_inbox(std::vector<core::elastic::inbox_row>&& rows, job_moment at);

  // Answers (job_answers.cpp).
  void settle_item(item_number which, const core::elastic::item_answer& answer, job_moment at);
  void keep_mark(item_number which);
  void settle_step(const op_note& note, const core::elastic::elastic_answer& answer, job_moment at);

  // Events of hosts (job_hearing.cpp).
  /// `leaves`: the host was known to leave when it reported the event.
  void hear_event(const protocol::host_events& from, const protocol::elastic_event& event, job_moment at, bool leaves);
  [[nodiscard]] bool take_event(const host_process& host, const protocol::elastic_event& event, job_item& one, job_moment at,
                                bool leaves);
  void keep_cursor(const protocol::elastic_event& event, job_item& one);
  void settle_cursor(item_number which, std::optional<std::string>&& value, bool stored);
  /// Logs which part of the definition a host lacks, unless the last refusal of the host had the same reason.
  void note_lack(const host_process& host, protocol::elastic_refusal why);
  void hear_inventory(const host_process& host, const protocol::elastic_inventory& part, job_moment at);
  void compare_inventory(const question& asked, job_moment at);
  void receive(const receipt_part& part, bool stored, std::size_t events = 1);
  void close(const close_order& what, job_item* one);

  // Barriers (job_barriers.cpp).
  [[nodiscard]] core::elastic::barrier_limits limits() const;
  [[nodiscard]] core::elastic::fire_machine* barrier_of(const fire_key& fire);
  void tell_barriers(const std::vector<core::elastic::barrier_event>& events, job_moment at);
  void tell_barrier(const fire_key& fire, const core::elastic::fire_machine_event& what, job_moment at);
  void carry_out(const fire_key& fire, const core::elastic::fire_decision& decision, std::size_t missing, job_moment at);
  /// Notes a barrier that was not complete in time, for the metrics and the error handler.
  void note_late(const core::elastic::fire_step_write& step, op_note& note, job_moment at) const;
  [[nodiscard]] std::optional<core::elastic::item_write> start_hook(const fire_key& fire,
                                                                    const core::elastic::fire_action::start_hook& what,
                                                                    job_moment at);
  /// Starts the hooks that barriers wait for and whose item is idle.
  void start_hooks(job_moment at);
  void release_all(const fire_key& fire);
  void send_go(item_number which);
  void pass_barrier_time(job_moment at);
  void restore_barriers(const core::elastic::adopted_job& stored, job_moment at);

  // Orders of operators, as the rows have them (job_orders.cpp).
  /// Cancels the open run of an item if it is the one that an operator has cancelled.
  void obey_cancel(item_number which, job_moment at);
  /// Asks the runs of a job or a host that operators drain to end.
  void obey_drains(job_moment at);
  [[nodiscard]] static bool may_drain(item_number which, const core::elastic::item& one);

  job_identity who_;
  std::shared_ptr<const core::elastic::strategy_registry> strategies_;
  std::shared_ptr<const core::elastic::elastic_job_row> job_;
  schedule_state schedule_;
  core::elastic::item_rules rules_;
  core::elastic::host_choice choose_;
  job_hosts hosts_;
  job_alarms alarms_;
  /// No list of hosts was seen since the start: hosts may be silent whose silence was no news to this job.
  bool fresh_ = true;
  item_table items_;
  /// Items that are not idle.
  std::set<item_number> busy_;
  /// Number of items with an open run, by number of the host.
  std::map<std::int32_t, std::size_t> runs_on_;
  std::set<std::pair<steady_time, item_number>> dues_;
  std::map<item_number, item_cursor> cursors_;
  /// Results of the last reading that were not applied yet, by run.
  std::vector<core::elastic::inbox_row> inbox_;
  choice choice_;
  /// A run ended: items that wait may get its slot.
  bool slot_freed_ = false;
  planning plan_;
  std::optional<fire_flight> fire_;
  assembly built_;
  request_list requests_;
  once_listening once_;
  write_list writes_;
  job_mail mail_;
  known_specs specs_;
  inventory_list inventories_;
  row_reads rows_;
  phase phase_;
  job_output out_;
  item_counts counts_;
};

} // namespace ringmaster::actors
