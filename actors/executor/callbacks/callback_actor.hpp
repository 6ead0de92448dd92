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
  /// With one round through them.
  std::chrono::milliseconds patience{};
  std::shared_ptr<body_threads> threads;
  std::shared_ptr<report_files> files;
  std::shared_ptr<job_logs> logs;
  std::shared_ptr<taken_runs> runs;
  std::shared_ptr<executor_counts> counts;
  logger log;
};

/// Brings results to an admin, one request at a time: whatever came meanwhile is the next one. What fills requests does not wait
/// for those on their way, as long as admins take them: their answers wait for a disk. No result is ever dropped.
///
/// After a request that no admin took, and while admins are away, results go to files: so within one failed attempt they outlive
/// this process. So do those beyond what memory holds, and those that a stop leaves. Files are sent again, the oldest first and
/// many together, with a growing pause up to 30 s while nobody takes anything. A result that is refused for itself alone is found
/// and goes to a file of its own, which has its own pauses; it holds up no other. A file is removed after an admin has all of
/// it, or another file the rest: at a crash in between it is sent twice, which admins ignore. It starts with the files that are
/// there, and with what became of the runs that an earlier life left open.
///
/// A run whose result is at an admin or in a file is taken from `taken_runs`, once its log file is there.
class callback_actor_state {
public:
  static inline const char* name = "ringmaster.callback_actor";

  /// Requests on their way; one while it is not known that an admin takes any.
  static constexpr std::size_t flights_max = 16;
  /// Results in memory; more go to files.
  static constexpr std::size_t reports_max = 10'000;
  static constexpr std::size_t bytes_max = 16 * 1024 * 1024;
  /// When files cannot be written either: messages of results beyond it lose all but their beginning.
  static constexpr std::size_t bytes_limit = 64 * 1024 * 1024;
  static constexpr std::size_t shortened_bytes = 200;
  /// Names of files that are known at a time.
  static constexpr std::size_t files_max = 1'000;
  /// Lines for logs of runs that wait for a thread; more are lost.
  static constexpr std::size_t log_work_max = 1'000;
  /// Logs that are missing and made at a time.
  static constexpr std::size_t batch_of_logs = 200;
  static constexpr std::chrono::milliseconds tick_period{500};
  /// With a report_way: behind its own limit.
  static constexpr std::chrono::seconds links_patience{16};
  static constexpr std::chrono::seconds pause_min{5};
  static constexpr std::chrono::seconds pause_max{30};
  /// After the limit of a flush: to write what is left.
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
    /// Of nothing but results that were refused for themselves: how often.
    int refusals = 0;
    steady not_before{};
  };

  struct flown_file {
    stored_file file;
    std::vector<core::log_id> runs;
  };

  /// What is sent now.
  struct flight {
    report_flight reports;
    /// Where they are from; none: from memory.
    std::vector<flown_file> files;
    /// A file has them now.
    bool saved = false;

    /// It has results that are nowhere else.
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
  /// Does what can be done now.
  void pump();

  // -- to admins
  [[nodiscard]] bool may_send() const;
  /// False: there is nothing to send.
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
  /// Asked before the admins; null: there is none.
  report_way links_;
  blocking_lane lane_;

  report_queue unsent_;
  /// At most one is of files.
  std::list<flight> flights_;
  /// Files that are read now, to be sent.
  std::vector<stored_file> loading_;
  /// Reports of a batch on its way to a file; and of those that were refused for themselves.
  std::size_t saving_ = 0;
  std::size_t saving_aside_ = 0;
  std::deque<stored_file> files_;
  /// Reports in files that were read or written by this process.
  std::size_t on_disk_ = 0;
  /// There may be files that nobody knows of.
  bool unlisted_ = true;
  bool listing_ = false;
  steady list_retry_at_{};
  bool turn_of_files_ = false;

  /// Somebody took the last request; nobody did.
  bool taken_ = false;
  bool away_ = false;
  int failures_ = 0;
  /// Results that were refused alone since an admin took one.
  unsigned refused_in_row_ = 0;
  /// Each attempt that was given up makes the next one begin with other results.
  std::size_t turn_ = 0;
  steady retry_at_{};
  /// There is a new way since the last attempt began.
  bool offered_ = false;
  steady disk_retry_at_{};
  /// What was told of it last.
  std::string disk_trouble_;
  /// Of closed runs; looked for at the start.
  bool logs_missing_ = true;
  steady logs_retry_at_{};
  std::vector<waiting_flush> flushes_;
  bool armed_ = false;
};

} // namespace ringmaster::actors
