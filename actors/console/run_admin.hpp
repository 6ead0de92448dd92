#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/console/merged_log.hpp"
#include "actors/logger.hpp"
#include "actors/store/query_workers.hpp"
#include "actors/store/store_access.hpp"
#include "config/settings.hpp"
#include "core/limits/recent_map.hpp"
#include "core/result.hpp"
#include "core/run/kept_log.hpp"
#include "core/run/log_piece.hpp"
#include "core/text/language.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/caf.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"
#include "storage/store.hpp"

namespace ringmaster::actors {

/// Actor with which users read, kill and clear runs. It asks an executor only at the address in the stored row, so that no
/// request can make this node call an arbitrary address. Between two messages it keeps only the clearings under way, which are in
/// `run_clearing.cpp`. `run_logs.cpp` reads a log, `run_pieces.cpp` from executors that know bounds, `run_merging.cpp` many at
/// once.
class run_admin_state {
public:
  static inline const char* name = "ringmaster.run_admin";

  /// Maximum of runs that a page counts.
  static constexpr std::size_t counted_max = 10'000;
  /// Maximum of concurrent counts of the log for reports; more are refused, so that other reads get their turn.
  static constexpr std::size_t counts_max = 2;
  /// Longest wait for the answer to a clear request, once the first step is written.
  static constexpr std::chrono::milliseconds clear_patience{5'000};
  /// Executors that are asked at once for the logs of one broadcast, and the total size of these logs.
  static constexpr std::size_t merge_fan_out = 32;
  static constexpr std::size_t merged_bytes_max = 1024 * 1024;
  /// Time from the first request to the last: the second round ends before the time limit of a single request.
  static constexpr std::chrono::milliseconds merge_patience{8'000};
  /// Answers that an executor may take to count the lines of one log, with up to 64 MiB in each.
  static constexpr int counting_max = 500;
  /// Executors that are remembered as those that answer in pieces.
  static constexpr std::size_t piecewise_max = 4'096;

  /// `limit`: longest wait for an executor, including its own time limits. `reader`: language of the message of a killed run.
  /// `spool`: null if logs are read from executors directly, with the limit of `trigger.log_bytes_max`. `caller_limit`: time
  /// after which callers give up a request: a read of rows that has not begun by then is not made.
  run_admin_state(protocol::run_admin::pointer self, query_workers stores, protocol::trigger_pool pool,
                  protocol::completion_actor completion, std::chrono::milliseconds limit, core::language reader,
                  protocol::wall_clock clock, logger log, protocol::log_spool spool = {},
                  std::chrono::milliseconds caller_limit = config::ask_limit(config::server_settings{}));
  protocol::run_admin::behavior_type make_behavior();

private:
  using log_promise = caf::typed_response_promise<core::run_log>;
  using kill_promise = caf::typed_response_promise<protocol::run_killed>;
  using clear_promise = caf::typed_response_promise<protocol::runs_cleared>;
  /// Called with the link, or with the error if there is none.
  using linked = std::function<void(core::result<protocol::executor_link>&&)>;

  /// Log row of a triggered run, or the reason why it is not one.
  using triggered_run = core::result<core::log_row>;

  /// One clearing under way, and all requests that wait for it.
  struct clearing {
    protocol::clear_runs command;
    std::vector<clear_promise> waiting = {};
    /// Position of the clearing; empty before its first step is written.
    std::optional<core::clear_place> place = {};
    std::size_t removed = 0;
    int failures = 0;
    /// The clearing took so long that all waiting requests were answered.
    bool late = false;
  };
  using clearing_ptr = std::shared_ptr<clearing>;

  /// A run that a user kills, on its way to the executor and back.
  struct ending {
    kill_promise promise;
    std::shared_ptr<const core::log_row> run;
    core::principal by;
    protocol::executor_link link;
  };

  /// A log that is being read from its executor.
  struct log_question {
    log_promise promise;
    core::log_row run;
    std::int32_t from_line = 1;
    core::piece_limits limits;
    /// Kept part of a longer log, for the case that its executor does not have it any more.
    std::optional<core::kept_log> cut;
    /// The executor did not answer in pieces: only the spool is left.
    bool is_for_spool = false;
    /// End of the wait for the executor, in whichever ways it is asked.
    caf::actor_clock::time_point until = {};
    /// Number of answers in which the executor was still counting the lines.
    int counting = 0;

    /// Answers with the kept part, or with the error if there is none.
    void fail(const core::error& why);
  };

  /// The requested run of a broadcast, and the text of all.
  using merged_run = std::pair<core::log_row, merged_text>;
  using merged_receiver = std::function<void(core::result<merged_run>&&)>;

  /// Logs of a broadcast's shards that are being read.
  struct merging {
    /// Called once.
    merged_receiver tell;
    core::log_row asked;
    std::vector<log_share> shares;
    /// First share that has not been requested yet.
    std::size_t next = 0;
    std::size_t under_way = 0;
    caf::actor_clock::time_point until;
  };

  /// Asks a reading connection as `ask_store` does, for a caller who waits for `caller_limit_`.
  template <class T, class UseCase, class Then>
  void read_rows(UseCase use_case, Then then) {
    ask_store<T>(self_, stores_.reads, std::move(use_case), std::move(then), store_patience, protocol::store_turn::usual,
                 caller_limit_);
  }

  caf::result<protocol::run_page> page(protocol::run_page_query&& query);
  caf::result<protocol::run_found> find(const protocol::run_query& query);
  caf::result<protocol::related_found> relate(const protocol::related_query& query);
  caf::result<protocol::day_reports> report(const protocol::report_query& query);
  /// Counts the log itself. Refuses the request if too many counts are under way.
  caf::result<protocol::day_reports> count(const core::report_search& search, const core::principal& by);

  // run_logs.cpp
  caf::result<core::run_log> read_log(const protocol::run_log_query& query);
  /// Reads through the spool, or asks the executor directly if there is none.
  void ask_log(log_question&& question);
  caf::result<protocol::run_file> open_log(const protocol::run_file_query& query);
  caf::result<protocol::log_matches> search_log(const protocol::run_search_query& query);
  /// Returns the time that is left to ask an executor, at least 1 ms.
  [[nodiscard]] std::chrono::milliseconds left_for(const log_question& asked) const;
  void ask_spool(std::shared_ptr<log_question> asked);
  void ask_directly(std::shared_ptr<log_question> asked);

  // run_pieces.cpp
  /// Asks an executor that knows bounds for the piece itself. Through the spool if it does not know them any more.
  void ask_piece(std::shared_ptr<log_question> asked);
  void piece_told(std::shared_ptr<log_question> asked, protocol::log_reply&& reply);
  [[nodiscard]] bool answers_in_pieces(const std::string& address) const;

  // run_merging.cpp
  caf::result<core::run_log> read_merged(const protocol::run_log_query& query);
  caf::result<protocol::run_file> open_merged(const protocol::run_file_query& query);
  void merge(core::log_id run, const core::principal& by, merged_receiver tell);
  void ask_next(const std::shared_ptr<merging>& work);
  void ask_share(const std::shared_ptr<merging>& work, std::size_t at, std::chrono::milliseconds limit);
  void share_told(const std::shared_ptr<merging>& work, std::size_t at, std::string content, std::string problem);

  caf::result<protocol::run_killed> kill(protocol::kill_run&& command);
  void begin_end(ending&& work);
  void note_end(ending&& work);
  void ask_kill(ending&& work);
  void goes_on(ending& work, const core::error& why);
  void killed(kill_promise promise, core::log_id run, std::string said, const core::principal& by);
  void record_end(kill_promise promise, core::log_id run, std::string said, std::string message);

  caf::result<protocol::runs_cleared> clear(protocol::clear_runs&& command);
  /// Returns the clearing under way that does the same as `asked`; null: none.
  [[nodiscard]] clearing_ptr find_clearing(const protocol::clear_runs& asked) const;
  void clear_step(clearing_ptr work);
  void cleared(const clearing_ptr& work, core::result<core::clear_step>&& step);
  /// Answers all waiting requests with the number of runs removed so far.
  static void answer(clearing& work);
  void end(const clearing_ptr& work);

  void link_of(const core::log_row& run, linked then);
  [[nodiscard]] core::time_point now() const { return clock_.at(self_->clock().now()); }

  protocol::run_admin::pointer self_;
  query_workers stores_;
  protocol::trigger_pool pool_;
  protocol::completion_actor completion_;
  std::chrono::milliseconds limit_;
  core::language reader_;
  protocol::wall_clock clock_;
  logger log_;
  protocol::log_spool spool_;
  std::chrono::milliseconds caller_limit_;
  std::vector<clearing_ptr> clearings_;
  std::size_t counts_under_way_ = 0;
  /// Whether executors know bounds of logs, by address, as their last answers showed.
  core::recent_map<std::string, bool> piecewise_{piecewise_max};
};

} // namespace ringmaster::actors
