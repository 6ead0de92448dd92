#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "actors/logger.hpp"
#include "core/editing/bulk_task.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/caf.hpp"
#include "protocol/error.hpp"
#include "protocol/messages.hpp"
#include "protocol/task_messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Number of objects that tasks work on at once.
enum class task_pace : std::uint8_t {
  /// `window` of each task.
  several,
  /// One of all tasks together, with pauses that follow its duration: for a store with one writer. Writers wait there without a
  /// queue, so claims and heartbeats need the lock to be free most of the time.
  one_writer
};

/// Actor that does one action with many jobs or runs. It asks job_admin and run_admin as the single operations do, few objects at
/// a time and with pauses, so that edits of other users and the firing path have their turn. The objects of a task are fixed
/// before it begins. Tasks live in memory: a restart ends them, and what they have done stays done.
class task_runner_state {
public:
  static inline const char* name = "ringmaster.task_runner";

  /// Objects of one task that are worked on at once, and the pause before an object takes the place of another.
  static constexpr std::size_t window = 4;
  static constexpr std::chrono::milliseconds pause{20};
  /// With one writer: the pause after an object as a multiple of its duration, at least `pause`; and its limit, because an edit
  /// may wait a second for runs, and a kill longer for an executor. SQLite tries for the lock at least every 100 ms.
  static constexpr int pause_factor = 5;
  static constexpr std::chrono::milliseconds pause_max{1000};
  /// Tasks that run at once: of all users, and of one.
  static constexpr std::size_t running_max = 6;
  static constexpr std::size_t user_running_max = 3;
  /// Tasks that are remembered, and the time for which one is remembered after its end.
  static constexpr std::size_t tasks_max = 50;
  static constexpr std::chrono::minutes memory{10};
  /// Rows of one page of a search.
  static constexpr std::size_t page_rows = 500;

  /// `limit`: time after which callers give up a request. The objects of a task are found within most of it.
  task_runner_state(protocol::task_runner::pointer self, protocol::job_admin jobs, protocol::run_admin runs,
                    std::chrono::milliseconds limit, task_pace pace, protocol::wall_clock clock, logger log);
  protocol::task_runner::behavior_type make_behavior();

private:
  using steady = std::chrono::steady_clock::time_point;
  using begin_promise = caf::typed_response_promise<protocol::task_begun>;

  struct task {
    protocol::begin_task command;
    core::task_progress progress = {};
    /// The search is being read, until this time at the latest.
    std::optional<steady> reading_until = {};
    /// Requests that wait for its end.
    std::vector<begin_promise> waiting = {};
    /// Objects, `next` of which have begun and `open` of which are being worked on. Empty after the end.
    std::vector<std::int64_t> objects = {};
    /// Rows of the search that were read.
    std::size_t rows_read = 0;
    std::size_t next = 0;
    std::size_t open = 0;
    bool aborted = false;
    /// Unset: runs, or waits for its objects.
    std::optional<steady> ended = {};
  };
  using task_ptr = std::shared_ptr<task>;

  caf::result<protocol::task_begun> begin(protocol::begin_task&& command);
  /// Returns the task that an equal request with the same token began; null: none. Errors: `conflict`.
  [[nodiscard]] core::result<task_ptr> find_repeated(const protocol::begin_task& asked) const;
  /// Errors: `too_large`.
  [[nodiscard]] core::result<void> admit(const core::principal& by) const;
  /// Removes tasks that ended long ago, and the oldest ended one if there are too many.
  void forget();

  // -- finding the objects of a search
  void read_page(task_ptr of);
  template <class Query>
  void read_page(const task_ptr& of, Query query);
  void page_read(const task_ptr& of, const protocol::job_page& reply);
  void page_read(const task_ptr& of, const protocol::run_page& reply);
  template <class Row>
  void take(const task_ptr& of, const core::page<Row>& page, bool same_total);
  void give_up(const task_ptr& of, const core::error& why);

  // -- work
  void start(const task_ptr& of);
  void step(const task_ptr& of);
  /// Begins with the next object of the tasks, which take turns, unless another one or the pause after it is not over.
  void take_turn();
  /// Begins the pause after an object; the next turn follows.
  void rest();
  void begin_object(const task_ptr& of);
  void work_on(const task_ptr& of, std::int64_t object);
  void rerun(const task_ptr& of, core::log_id run);
  void trigger(const task_ptr& of, std::int64_t object, core::manual_trigger wanted);
  /// Asks `whom` about an object; `then(const Reply&)` goes on. An error ends the work on the object.
  template <class Reply, class Handle, class Message, class Then>
  void ask(const task_ptr& of, std::int64_t object, const Handle& whom, Message message, Then then);
  template <class Reply, class Handle, class Message>
  void ask(const task_ptr& of, std::int64_t object, const Handle& whom, Message message);
  void settle(const task_ptr& of, std::int64_t object, const std::optional<core::error>& failed);
  void end(const task_ptr& of);

  /// Returns the task if `by` may see it; otherwise null.
  [[nodiscard]] task_ptr find(core::task_id id, const core::principal& by) const;
  caf::result<protocol::task_found> show(const protocol::task_query& asked);
  caf::result<protocol::task_found> abort(const protocol::abort_task& asked);
  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::task_runner::pointer self_;
  protocol::job_admin jobs_;
  protocol::run_admin runs_;
  std::chrono::milliseconds limit_;
  task_pace pace_;
  protocol::wall_clock clock_;
  logger log_;
  /// Tasks in the order of their begin.
  std::map<core::task_id, task_ptr> tasks_;
  core::task_id last_id_{};
  // -- with one writer
  /// An object is being worked on, or the pause after it is not over.
  bool turn_taken_ = false;
  steady turn_began_{};
  /// Task of the last object that was begun.
  core::task_id served_{};
};

} // namespace ringmaster::actors
