#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/executor/blocking_lane.hpp"
#include "actors/executor/bodies.hpp"
#include "actors/executor/callbacks/report_files.hpp"
#include "actors/executor/callbacks/report_flight.hpp"
#include "actors/executor/callbacks/report_queue.hpp"
#include "actors/executor/callbacks/report_way.hpp"
#include "actors/executor/executor_counts.hpp"
#include "actors/executor/job_logs.hpp"
#include "actors/executor/taken_runs.hpp"
#include "actors/logger.hpp"
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
///
/// A run whose result is with an admin or in a file is removed from `taken_runs` once its log file exists.
class callback_actor_state {
public:
  static inline const char* name = "ringmaster.callback_actor";

  /// Requests in flight; only one while it is unknown whether an admin accepts any.
  static constexpr std::size_t flights_max = 16;
  /// Results in memory; more go to files.
  static constexpr std::size_t reports_max = 10'000;
  static constexpr std::size_t bytes_max = 16 * 1024 * 1024;
  /// Limit while files cannot be written either: beyond it, messages of results are cut to `shortened_bytes`.
  static constexpr std::size_t bytes_limit = 64 * 1024 * 1024;
  static constexpr std::size_t shortened_bytes = 200;
  /// File names kept in memory at a time.
  static constexpr std::size_t files_max = 1'000;
  /// Log lines that wait for a thread; more are lost.
  static constexpr std::size_t log_work_max = 1'000;
  /// Missing logs created at a time.
  static constexpr std::size_t batch_of_logs = 200;
  static constexpr std::chrono::milliseconds tick_period{500};
  /// Time limit of a report_way; longer than its own limit.
  static constexpr std::chrono::seconds links_patience{16};
  static constexpr std::chrono::seconds pause_min{5};
  static constexpr std::chrono::seconds pause_max{30};
  /// Time after the limit of a flush to write the remaining results.
  static constexpr std::chrono::seconds flush_grace{3};

  callback_actor_state(protocol::callback_actor::pointer self, callback_tools tools);
  protocol::callback_actor::behavior_type make_behavior();

private:
  using steady = caf::actor_clock::time_point;
  using report_list = std::vector<core::run_report>;

  struct stored_file {
    std::string name;
    /// 0: not read yet.
    std::size_t reports = 0;
    /// For a file with only individually refused results: the number of refusals.
    int refusals = 0;
    steady not_before{};
  };

  struct flown_file {
    stored_file file;
    std::vector<core::log_id> runs;
  };

  /// A request in flight.
  struct flight {
    report_flight reports;
    /// Source files of the results; empty: from memory.
    std::vector<flown_file> files;
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
  caf::result<void> flush(std::chrono::milliseconds limit);
  void tick();
  void arm();
  /// Starts everything that can be done now.
  void pump();

  // -- to admins
  [[nodiscard]] bool may_send() const;
  /// Returns false if there is nothing to send.
  bool send_next();
  void depart(report_list&& reports, std::vector<flown_file>&& files);
  void send(flight_place which);
  void send_to_admins(flight_place which);
  void answered(flight_place which, const protocol::admin_answer& answer);
  void land(flight_place which);
  void give_up(flight_place which, bool reached);
  void tell_logs(const report_list& of, const protocol::admin_answer& answer);

  // -- taken runs
  void report_left();
  void tell_left(const core::run_report& report);
  void write_logs(const std::vector<core::run_report>& of, std::string lines, bool are_safe);
  void make_missing_logs();

  // -- to and from files
  [[nodiscard]] bool must_save() const;
  void save();
  void saved(std::vector<core::run_report>&& reports, core::result<std::string>&& name);
  [[nodiscard]] std::vector<stored_file> take_files();
  void load(std::vector<stored_file>&& files);
  void loaded(std::vector<core::result<report_list>>&& read);
  void unreadable(const stored_file& file, const core::error& why);
  void keep_aside(report_list&& reports, std::vector<stored_file>&& instead_of);
  void aside_kept(report_list&& reports, std::vector<stored_file>&& from, std::vector<stored_file>&& saved,
                  const std::optional<core::error>& problem);
  void put_back(stored_file&& file, bool was_refused);
  void list();
  void listed(core::result<std::vector<std::string>>&& names);
  void remove(const stored_file& file);
  void disk_failed(const char* what, const core::error& why);

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

  report_queue unsent_;
  /// At most one of them sends files.
  std::list<flight> flights_;
  /// Files that are being read, to be sent.
  std::vector<stored_file> loading_;
  /// Reports of a batch that is being written to a file; and of those refused individually.
  std::size_t saving_ = 0;
  std::size_t saving_aside_ = 0;
  std::deque<stored_file> files_;
  /// Reports in files that this process has read or written.
  std::size_t on_disk_ = 0;
  /// There may be files whose names are not known.
  bool unlisted_ = true;
  bool listing_ = false;
  steady list_retry_at_{};
  bool turn_of_files_ = false;

  /// An admin accepted the last request; no admin is available.
  bool taken_ = false;
  bool away_ = false;
  int failures_ = 0;
  /// Results refused individually since an admin accepted one.
  unsigned refused_in_row_ = 0;
  /// Changes after each abandoned attempt, so that the next one begins with other results.
  std::size_t turn_ = 0;
  steady retry_at_{};
  /// A report_way became available after the last attempt began.
  bool offered_ = false;
  steady disk_retry_at_{};
  /// The disk error that was logged last.
  std::string disk_trouble_;
  /// There may be closed runs without logs; true at the start.
  bool logs_missing_ = true;
  steady logs_retry_at_{};
  std::vector<waiting_flush> flushes_;
  bool armed_ = false;
};

} // namespace ringmaster::actors
