#pragma once

// Stand-ins for the neighbours of an actor under test. They are typed, so that they replace the real actors; each stores the
// messages that it received in a record that the test shares with it.

#include <array>
#include <any>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/admin_messages.hpp"
#include "protocol/error.hpp"
#include "protocol/messages.hpp"
#include "storage/store.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::test {

// -- small roles -----------------------------------------------------------------------------------------------------------

using lives_heard = std::vector<std::optional<core::node_incarnation>>;

struct incarnation_double {
  explicit incarnation_double(virtual_time& world);
  std::shared_ptr<lives_heard> heard = std::make_shared<lives_heard>();
  protocol::incarnation_listener actor;
};

struct registry_listener_double {
  explicit registry_listener_double(virtual_time& world);
  std::shared_ptr<std::vector<std::shared_ptr<const protocol::registry_view>>> views =
    std::make_shared<std::vector<std::shared_ptr<const protocol::registry_view>>>();
  protocol::registry_listener actor;
};

// -- storage ---------------------------------------------------------------------------------------------------------------

struct storage_record {
  std::vector<core::trigger_result> triggers;
  std::vector<protocol::callback_batch> callbacks;
  std::vector<std::pair<std::int64_t, std::uint32_t>> opened_claims;
  /// Answer to a callback batch; empty: stored.
  std::optional<core::error> callback_error;
  /// Leaves callback batches unanswered.
  bool silent = false;
  std::vector<caf::typed_response_promise<protocol::callbacks_stored>> unanswered;
  /// Delay of a task before it runs, and its answer after it ran. Null: no delay.
  std::function<std::pair<std::chrono::milliseconds, std::chrono::milliseconds>()> latency;
  /// Incarnation under which a trigger result is also recorded in the store.
  std::optional<core::node_incarnation> records_for;
};

/// A storage_actor (or, with another handle type, a query worker) over `store`, which it shares with the test.
struct storage_double {
  storage_double(virtual_time& world, storage::store& store);
  std::shared_ptr<storage_record> record = std::make_shared<storage_record>();
  protocol::storage_actor actor;
};

struct query_worker_double {
  query_worker_double(virtual_time& world, storage::store& store);
  /// Requests received.
  std::shared_ptr<std::size_t> tasks = std::make_shared<std::size_t>(0);
  protocol::query_worker actor;
};

// -- the firing path -------------------------------------------------------------------------------------------------------

struct schedule_record {
  lives_heard lives;
  std::vector<core::slot_set> slots;
  std::vector<core::slot_set> prepared;
  /// Time that it takes to read the jobs of prepared slots.
  std::chrono::milliseconds load_takes{0};
  std::size_t edit_hints = 0;
  std::vector<core::intent> intents;
  /// Backlog that it reports.
  core::milliseconds late{0};
};

struct schedule_double {
  explicit schedule_double(virtual_time& world);
  std::shared_ptr<schedule_record> record = std::make_shared<schedule_record>();
  protocol::schedule_actor actor;
};

struct registry_monitor_double {
  explicit registry_monitor_double(virtual_time& world);
  std::shared_ptr<std::size_t> hints = std::make_shared<std::size_t>(0);
  std::shared_ptr<std::vector<protocol::registry_beat>> beats = std::make_shared<std::vector<protocol::registry_beat>>();
  std::shared_ptr<std::vector<protocol::registry_removal>> removals = std::make_shared<std::vector<protocol::registry_removal>>();
  /// Address that another group has.
  std::shared_ptr<std::string> taken = std::make_shared<std::string>();
  /// Answer to queries; unset: the registry has not been read.
  std::shared_ptr<std::optional<protocol::executor_list>> listed =
    std::make_shared<std::optional<protocol::executor_list>>(protocol::executor_list{});
  protocol::registry_monitor actor;
};

// -- executors -------------------------------------------------------------------------------------------------------------

[[nodiscard]] inline protocol::send_result send_outcome(protocol::send_state state, std::int32_t code = 0,
                                                        std::string message = {}) {
  return {{}, state, code, std::move(message), {}};
}

struct executor_record {
  /// `idle 7`, `log 12`, `run 12/1` (attempt 1), in order.
  std::vector<std::string> calls;
  std::vector<core::claimed_run> runs;
  /// Answer of the executor; a code of 0 or `answered` false stands for no answer.
  protocol::probe_reply idle{200, {}};
  protocol::log_reply log;
  /// Questions for a log, in order; the last one is there before `before_answer`.
  std::vector<protocol::log_request> log_requests;
  protocol::probe_reply kill{200, {}};
  /// Outcome of a send, with `run` filled in. Empty: no result ever comes.
  std::optional<protocol::send_result> send = send_outcome(protocol::send_state::answered, 200);
  /// Duration of each send.
  std::chrono::milliseconds takes{0};
  /// Delay of each answer with a log.
  std::chrono::milliseconds log_takes{0};
  /// Called before each answer, to change it.
  std::function<void(executor_record&)> before_answer;
  /// Leaves questions unanswered.
  bool silent = false;
  std::vector<std::any> unanswered;
};

/// Number of slots that were given back, by lane.
struct freed_slots {
  std::array<std::uint32_t, 2> lanes{};
};

/// A trigger_pool whose links lead to scripted executors, one per address. An address without an executor has no link.
struct pool_double {
  explicit pool_double(virtual_time& world);
  /// Adds an executor at `address`.
  std::shared_ptr<executor_record> executor(const std::string& address);
  using link_map = std::map<std::string, protocol::executor_link>;
  std::shared_ptr<link_map> links = std::make_shared<link_map>();
  /// Whether the pool reports every address as one that registered itself.
  std::shared_ptr<bool> one_process = std::make_shared<bool>(true);
  /// Native links that are up.
  std::shared_ptr<link_map> natives = std::make_shared<link_map>();
  /// All slots that were given back.
  std::shared_ptr<freed_slots> freed = std::make_shared<freed_slots>();
  protocol::trigger_pool actor;

private:
  virtual_time& world_;
};

} // namespace ringmaster::test
