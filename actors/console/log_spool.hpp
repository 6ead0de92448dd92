#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/console/spool_pipe.hpp"
#include "actors/console/spooled_log.hpp"
#include "actors/logger.hpp"
#include "core/ids.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

struct spool_settings {
  /// Folder of the copies; emptied at the start.
  std::string folder = {};
  std::uint64_t log_bytes_max = std::uint64_t{256} * 1024 * 1024;
  std::uint64_t bytes_max = std::uint64_t{1024} * 1024 * 1024;
  std::size_t logs_max = 256;
  std::chrono::milliseconds idle{std::chrono::minutes{15}};
};

/// Actor that copies logs from executors into files of this node while users read them: an XXL-JOB executor answers the whole
/// rest of a log at once. Each run has at most one request under way, for any number of readers; it asks from the first line that
/// the copy lacks. Answers over HTTP are streamed, so that no log is ever in memory. Readers get what has arrived.
///
/// Spawned detached in production, because files block; inline in tests. Checks no permission: run_admin does, and is the only
/// one to ask.
class log_spool_state {
public:
  static inline const char* name = "ringmaster.log_spool";

  /// Time after which a copy that found no room is continued.
  static constexpr std::chrono::seconds room_pause{30};
  /// Time after which a search answers with what it has found.
  static constexpr std::chrono::milliseconds search_time{100};

  /// Most answers under way at a time. Further ones wait for their turn.
  static constexpr std::size_t answers_max = 16;
  static constexpr std::size_t answers_per_executor = 4;
  /// Time after which an answer without a reader is ended.
  static constexpr std::chrono::seconds unread_limit{15};
  /// Longest pause of a download whose copy is kept.
  static constexpr std::chrono::seconds download_pause{60};

  /// `limit`: longest wait for an executor that does not stream its answer.
  log_spool_state(protocol::log_spool::pointer self, protocol::trigger_pool pool, std::chrono::milliseconds limit,
                  spool_settings settings, protocol::wall_clock clock, logger log);
  protocol::log_spool::behavior_type make_behavior();

private:
  using time_point = caf::actor_clock::time_point;

  struct entry;

  /// Reader, and the part of the log that it waits for.
  struct reader {
    /// Answers with what there is.
    std::function<void(const entry& of)> answer;
    /// Answers that no copy can be made.
    std::function<void(const caf::error& why)> refuse;
    std::int32_t from_line = 1;
    core::piece_limits limits = {};
    time_point until{};
    /// See `protocol::spool_read`.
    bool refers = false;
  };

  /// Copy of a log, and its readers.
  struct entry {
    spooled_log log;
    /// Number of the copy.
    std::uint64_t copy = 0;
    std::vector<reader> readers = {};
    /// Number of the answer under way; 0: none.
    std::int64_t answer = 0;
    std::shared_ptr<spool_pipe> pipe = nullptr;
    time_point used{};
    /// A reader waited, or began to, at this time.
    time_point awaited{};
    /// A download read the copy.
    time_point filled{};
    /// No executor is asked before.
    time_point pause_until{};

    [[nodiscard]] bool is_unread(time_point t) const { return answer != 0 && readers.empty() && t >= awaited + unread_limit; }
  };

  /// Search under way.
  struct search_task {
    core::log_id run{};
    std::uint64_t copy = 0;
    /// Rest of the search.
    core::log_search wanted;
    caf::typed_response_promise<protocol::log_matches> promise;
    protocol::log_matches found = {};
    /// Time at which it answers with what it has found; zero: not begun.
    time_point until{};
  };

  caf::result<core::run_log> read(protocol::spool_read&& asked);
  caf::result<protocol::run_file> open(const protocol::spool_open& asked);
  caf::result<protocol::log_matches> search(protocol::spool_search&& asked);
  void begin_search(const entry& of, core::log_search&& wanted, caf::typed_response_promise<protocol::log_matches> promise);
  void go_on_searching();
  [[nodiscard]] bool search_slice(search_task& task);
  /// Has the reader wait in the copy of this run.
  void join(const core::log_row& run, reader&& who);
  [[nodiscard]] core::result<protocol::run_file> file_of(const spooled_log& log, std::uint64_t copy, bool is_late);
  void fill(const protocol::spool_fill& asked);
  void arrived(std::int64_t answer);
  void tick();

  void prepare_folder();
  /// Returns the copy for this run; null if there are too many. A run that another executor has now begins again.
  entry* entry_of(const core::log_row& run);
  [[nodiscard]] entry* entry_of_answer(std::int64_t answer);
  [[nodiscard]] bool make_room(std::size_t bytes);
  /// Drops the copy that was not read for longest; returns false if all are in use.
  bool drop_oldest();

  /// Returns true if nothing uses the copy.
  [[nodiscard]] bool is_idle(const entry& of) const;
  /// Returns true if the executor may be asked for another log now.
  [[nodiscard]] bool has_turn(const std::string& address) const;
  /// Asks the executor, or has the copy wait for its turn.
  void ask(entry& of);
  void begin_answer(entry& of);
  void ask_waiting();
  void end_unread();
  void send(std::int64_t answer, const protocol::executor_link& link, std::int32_t from_line);
  void fail(std::int64_t answer, core::error why);
  void answered(std::int64_t answer, protocol::log_reply&& reply);
  void end_answer(entry& of);
  /// Sends readers to the executor, which answers in pieces itself.
  static void refer(entry& of);
  void drain(entry& of);
  /// Answers the readers that need not wait, and all whose time is over.
  void serve(entry& of, bool answer_ended);

  void arm();
  [[nodiscard]] time_point now() const { return self_->clock().now(); }

  protocol::log_spool::pointer self_;
  protocol::trigger_pool pool_;
  std::chrono::milliseconds limit_;
  spool_settings settings_;
  protocol::wall_clock clock_;
  logger log_;
  /// Empty: the folder can be used.
  std::string unusable_;
  std::map<core::log_id, entry> logs_;
  std::int64_t answers_ = 0;
  std::uint64_t copies_ = 0;
  std::deque<search_task> searches_;
  /// Runs that wait for their turn to ask, in order.
  std::deque<core::log_id> waiting_;
  time_point armed_ = time_point::max();
};

} // namespace ringmaster::actors
