#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/routing/routing.hpp"
#include "core/schedule/firing_heap.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Candidate of a failover or busyover job. It waits for the answers of executors and holds no slot meanwhile.
struct probing_route {
  protocol::route_candidate candidate;
  protocol::route_listener listener;
};

struct probe_limits {
  /// Questions that executors have not answered yet. Each may hold a connection. The limit is a fraction of the sockets that a
  /// process has by default; 32 executors must hang before the questions to others have to wait.
  std::size_t open = 1024;
  /// A quarter of the connections to one executor, so that questions never prevent sending runs to it.
  std::size_t open_per_executor = 32;
  /// Candidates that wait, a few MiB at most, and those of one group. Eight groups must hang before others are affected.
  std::size_t waiting = 8192;
  std::size_t waiting_per_group = 1024;
  /// Time without an answer after which the next executor is asked, too.
  core::milliseconds stagger{200};
  /// Time for which an answer counts: for the instants of one planning round, not for those of the next second.
  core::milliseconds valid{100};
};

/// Selection for failover and busyover: the first executor in order that answers 200 (XXL §6). Executors are asked one after the
/// other, the next one as soon as the previous one refuses or delays its answer. Candidates with the same question share it. Pure
/// state of one actor: its owner sends the questions and reports every answer, or that there was none.
class route_probes {
public:
  using steady = std::chrono::steady_clock::time_point;

  struct question {
    std::string address;
    /// Group in whose name the question is asked.
    core::group_id group{};
    core::probe_kind kind = core::probe_kind::beat;
    /// `idle_beat` asks about this job; 0 for `beat`.
    core::job_id job{};
    friend auto operator<=>(const question&, const question&) = default;
  };

  struct verdict {
    std::vector<probing_route> routes;
    /// Selected address; empty: no executor was selected, and `note` has all answers.
    std::string address;
    std::string note;
  };

  struct step {
    std::vector<question> ask;
    std::vector<verdict> decided;
  };

  explicit route_probes(probe_limits limits) : limits_{limits} {}

  /// Takes the candidate. Returns false and leaves it unchanged if too many wait, or if its first executor has too many open
  /// questions.
  [[nodiscard]] bool add(probing_route& route, const core::probe_in_order& ask, steady now);
  /// Takes the answer to a question of a step.
  void answered(const question& asked, protocol::probe_reply reply, steady now);
  /// Returns the questions to ask now and the decisions. To be called after `add` and `answered`, and at `next`.
  [[nodiscard]] step go_on(steady now);
  [[nodiscard]] std::optional<steady> next() const { return staggers_.next(); }

  /// Number of candidates that wait.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
  [[nodiscard]] std::size_t open() const noexcept { return open_; }

private:
  using scan_id = std::uint64_t;
  /// Candidates with the same topic share a scan: a group and, for busyover, a job.
  using topic = std::pair<core::group_id, core::job_id>;

  /// One walk through a list of executors.
  struct scan {
    topic about;
    core::probe_kind kind = core::probe_kind::beat;
    std::vector<std::string> addresses;
    std::vector<std::optional<protocol::probe_reply>> replies;
    /// Number of executors that were asked, from the beginning.
    std::size_t asked = 0;
    /// Time at which the next executor is asked although the last one has not answered.
    steady next_ask{};
    steady began{};
    std::vector<probing_route> routes;
  };

  struct known_answer {
    bool open = false;
    protocol::probe_reply reply;
    steady came{};
    std::vector<scan_id> askers;
  };

  [[nodiscard]] question question_of(const scan& of, std::size_t index) const;
  [[nodiscard]] scan* joinable(const topic& about, const core::probe_in_order& ask, steady now);
  [[nodiscard]] bool has_room(const question& wanted, steady now) const;
  [[nodiscard]] const known_answer* valid_answer(const question& wanted, steady now) const;
  [[nodiscard]] static bool wants_next(const scan& of, steady now);
  bool ask_next(scan_id id, scan& of, steady now);
  void advance(scan_id id, steady now);
  void decide(scan_id id, std::optional<std::size_t> winner);
  void forget_old(steady now);

  probe_limits limits_;
  scan_id last_id_ = 0;
  std::map<scan_id, scan> scans_;
  /// Youngest scan of each topic.
  std::map<topic, scan_id> youngest_;
  std::map<question, known_answer> answers_;
  /// Answers in order of arrival.
  std::deque<std::pair<steady, question>> came_;
  std::unordered_map<std::string, std::size_t> open_by_address_;
  std::map<core::group_id, std::size_t> waiting_by_group_;
  std::size_t open_ = 0;
  std::size_t waiting_ = 0;
  step next_step_;
  /// Scans to advance in the next step, and those that found no room for their next question.
  std::set<scan_id> ready_;
  std::set<scan_id> starved_;
  core::firing_heap<scan_id, steady> staggers_;
};

} // namespace ringmaster::actors
