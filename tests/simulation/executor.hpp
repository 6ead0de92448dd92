#pragma once

// An executor: one worker and one queue per job, a log file from the start of each run, results by callback.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/run/trigger_request.hpp"
#include "protocol/http.hpp"
#include "tests/simulation/history.hpp"

namespace ringmaster::simulation {

class world;
class sim_link;

class sim_executor {
public:
  using answer = std::function<void(protocol::http_result)>;

  /// `replica`: number of the process behind an address with several; the first is 0.
  sim_executor(world& in, int number, int replica);
  ~sim_executor();

  /// Returns its address as nodes name it.
  [[nodiscard]] const std::string& origin() const noexcept { return origin_; }
  [[nodiscard]] const std::string& number() const noexcept { return number_; }

  void handle(const std::string& target, const std::string& body, span written, const answer& back);
  /// Keeps a native link to each node, from now on.
  void begin_links();

  // -- answers, over HTTP or over a link
  [[nodiscard]] core::trigger_reply take(const core::trigger_request& run, span written);
  [[nodiscard]] core::trigger_reply say_idle(core::job_id job) const;
  /// Answers whether the run was accepted.
  [[nodiscard]] core::trigger_reply say_taken(const core::run_identity& run);
  [[nodiscard]] core::log_lines read_log(core::log_id run);

  /// Starts a new process: queue and running jobs are gone. Undelivered results are in files and are sent again, unless the files
  /// are gone, too.
  void restart(bool wipe);
  void suspend(milliseconds lasts);
  [[nodiscard]] bool is_suspended() const;
  /// Returns whether it has a log file of the run, or the run waits in a queue.
  [[nodiscard]] bool has(std::int64_t id) const;
  /// Drops all work without sending results, when all nodes are down and their database is restored. Files stay.
  void forget_work();

private:
  struct order {
    std::int64_t id = 0;
    /// Number of restores of the database before its request was written.
    int epoch = 0;
    std::int32_t job = 0;
    milliseconds takes{0};
    std::string ends;
    std::string identity = {};
    std::int64_t log_time = 0;
  };
  struct worker {
    std::deque<order> queue;
    std::optional<order> running;
  };

  [[nodiscard]] std::string reply_to(const std::string& target, const std::string& body, span written);
  void keep_link(std::size_t node);
  void drop_links();
  [[nodiscard]] bool is_busy(std::int32_t job) const;
  [[nodiscard]] bool knows(const worker& of, const order& wanted) const;
  void start_next(std::int32_t job);
  void finish(const order& done, std::int32_t code, const std::string& message);
  void call_back(std::int64_t id, std::size_t node);

  world& world_;
  std::string number_;
  std::string origin_;
  std::map<std::int32_t, worker> workers_;
  /// The log file of a run.
  struct log_file {
    /// Job and time, as its request named them.
    std::string identity;
    int epoch = 0;
  };
  std::map<std::int64_t, log_file> files_;
  std::map<std::int64_t, std::pair<std::int32_t, std::string>> results_;
  /// `logDateTime` of each run, which its result names.
  std::map<std::int64_t, std::int64_t> log_times_;
  /// Under the mutant that asks for the log first: the files at the time of the idle answer.
  std::map<std::int64_t, log_file> files_then_;
  int life_ = 0;
  span suspended_until_{0};
  /// Links by the node's number.
  std::map<std::size_t, std::shared_ptr<sim_link>> links_;
};

} // namespace ringmaster::simulation
