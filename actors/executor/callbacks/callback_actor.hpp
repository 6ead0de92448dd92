#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/executor/blocking_lane.hpp"
#include "actors/executor/bodies.hpp"
#include "actors/executor/callbacks/admin_reach.hpp"
#include "actors/executor/callbacks/kept_files.hpp"
#include "actors/executor/callbacks/report_files.hpp"
#include "actors/executor/callbacks/report_flight.hpp"
#include "actors/executor/callbacks/report_logs.hpp"
#include "actors/executor/callbacks/report_queue.hpp"
#include "actors/executor/callbacks/report_way.hpp"
#include "actors/executor/executor_counts.hpp"
#include "actors/executor/job_logs.hpp"
#include "actors/executor/taken_runs.hpp"
#include "actors/logger.hpp"
#include "core/limits/log_rate_limiter.hpp"
#include "core/result.hpp"
#include "protocol/caf.hpp"
#include "protocol/executor_interfaces.hpp"
#include "protocol/executor_messages.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::actors {

struct callback_tools {
  protocol::admin_link admins;
  /// Time limit of one round through the admins.
  std::chrono::milliseconds patience{};
  std::shared_ptr<body_threads> threads;
  std::shared_ptr<report_files> files;
  std::shared_ptr<job_logs> logs;
  std::shared_ptr<taken_runs> runs;
  std::shared_ptr<executor_counts> counts;
  logger log;
};

/// Delivers results to an admin, one request at a time; results that arrive meanwhile form the next request. Full requests do not
/// wait for requests in flight, as long as admins accept results, because an admin's response waits for a disk. No result is ever
/// dropped.
///
/// After a request that no admin accepted, and while admins are away, results go to files, so they outlive this process after one
/// failed attempt. So do results that exceed the memory limit, and those left at a stop. Files are sent again, the oldest first
/// and many together, with a growing pause up to 30 s while no admin accepts anything. A result that is refused individually is
/// isolated in a file of its own with its own pauses; it delays no other result. A file is removed once an admin has all of it,
/// or another file has the rest. After a crash in between it is sent twice, which admins ignore. The actor starts with the
/// existing files, and with the results of runs that an earlier process left open.
class callback_actor_state {
public:
  static inline const char* name = "ringmaster.callback_actor";

  /// Results in memory; more go to files.
  static constexpr std::size_t reports_max = 10'000;
  static constexpr std::size_t bytes_max = 16 * 1024 * 1024;
  /// Limit while files cannot be written either: beyond it, messages of results are cut to `shortened_bytes`. Results that
  /// are in flight, or that a thread is writing, are not counted: at most a few requests.
  static constexpr std::size_t bytes_limit = 64 * 1024 * 1024;
  static constexpr std::size_t shortened_bytes = 200;
  /// End of a message that was cut.
  static constexpr std::string_view shortened_mark = " [cut: no memory for more]";
  static constexpr std::chrono::milliseconds tick_period{500};
  /// Time limit of a report_way; longer than its own limit.
  static constexpr std::chrono::seconds links_patience{16};
  /// Time after the limit of a flush to write the remaining results.
  static constexpr std::chrono::seconds flush_grace{3};

  callback_actor_state(protocol::callback_actor::pointer self, callback_tools tools);
  protocol::callback_actor::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  using report_list = std::vector<core::run_report>;

  /// A request in flight.
  struct flight {
    report_flight reports;
    /// Source files of the results; empty: from memory.
    std::vector<sent_file> files;
    /// The results were also written to a file.
    bool saved = false;

    /// Returns whether it has results that are stored nowhere else.
    [[nodiscard]] bool has_unsaved() const noexcept { return files.empty() && !saved; }
  };
  using flight_place = std::list<flight>::iterator;

  struct waiting_flush {
    caf::typed_response_promise<void> promise;
    steady until{};
  };

  void take(std::vector<core::run_report>&& reports);
  /// Cuts the message to `shortened_bytes` with the mark, and logs it.
  void shorten(core::run_report& report);
  caf::result<void> flush(std::chrono::milliseconds limit);
  void tick();
  void arm();
  /// Starts everything that can be done now.
  void pump();

  void report_left();

  // -- to admins
  /// Returns false if there is nothing to send.
  bool send_next();
  void depart(report_list&& reports, std::vector<sent_file>&& files);
  void send(flight_place which);
  void send_to_admins(flight_place which);
  void answered(flight_place which, const protocol::admin_answer& answer);
  void land(flight_place which);
  void give_up(flight_place which, bool reached);

  // -- to and from files
  [[nodiscard]] bool must_save() const;
  void save();
  void saved(report_list&& reports, core::result<std::string>&& name);
  void load(std::vector<std::string>&& names);
  void loaded(std::vector<core::result<report_list>>&& read);
  void keep_aside(report_list&& reports, std::vector<kept_file>&& instead_of);
  void aside_kept(report_list&& reports, std::vector<kept_file>&& from, std::vector<kept_file>&& saved,
                  const std::optional<core::error>& problem);
  void list();
  void remove(const kept_file& file);

  [[nodiscard]] bool flush_is_late() const;
  [[nodiscard]] bool has_unsaved() const;
  void answer_flushes();
  void count();
  [[nodiscard]] steady now() const { return self_->clock().now(); }

  protocol::callback_actor::pointer self_;
  callback_tools tools_;
  /// Asked before the admins; null: none.
  report_way links_;
  blocking_lane lane_;

  report_logs logs_;
  admin_reach reach_;

  report_queue unsent_;
  core::log_rate_limiter shortened_;
  /// At most one of them sends files.
  std::list<flight> flights_;
  kept_files files_;
  bool turn_of_files_ = false;
  /// Reports of a batch that is being written to a file; and of those refused individually.
  std::size_t saving_ = 0;
  std::size_t saving_aside_ = 0;

  /// Results refused individually since an admin accepted one.
  unsigned refused_in_row_ = 0;
  /// Changes after each abandoned attempt, so that the next one begins with other results.
  std::size_t turn_ = 0;
  std::vector<waiting_flush> flushes_;
  bool armed_ = false;
};

} // namespace ringmaster::actors
