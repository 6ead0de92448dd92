#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/executor/bodies.hpp"
#include "actors/executor/blocking_lane.hpp"
#include "actors/executor/executor_counts.hpp"
#include "actors/executor/job_logs.hpp"
#include "actors/executor/report_files.hpp"
#include "actors/executor/report_queue.hpp"
#include "actors/executor/report_way.hpp"
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
  std::shared_ptr<executor_counts> counts;
  logger log;
};

/// Brings results to an admin, one request at a time: whatever came meanwhile is the next one. What fills requests does not wait
/// for those on their way, as long as admins take them: their answers wait for a disk. No result is ever dropped.
///
/// After a request that no admin took, and while admins are away, results go to files: so within one failed attempt they outlive
/// this process. So do those beyond what memory holds, and those that a stop leaves. Files are sent again, the oldest first, with
/// a growing pause up to 30 s while nobody takes anything; one that is refused for itself alone holds up no other. A file is
/// removed after an admin has all of it: at a crash in between it is sent twice, which admins ignore. It starts with the files
/// that are there.
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
  using batch_ptr = std::shared_ptr<const std::vector<core::run_report>>;

  struct stored_file {
    std::string name;
    /// 0: not read yet.
    std::size_t reports = 0;
    steady not_before{};
  };

  /// What is read or sent now.
  struct flight {
    batch_ptr batch;
    /// Where it is from; then `rest` is what follows of it.
    std::optional<stored_file> file;
    report_queue rest;
    /// A file has it now.
    bool saved = false;

    /// It has results that are nowhere else.
    [[nodiscard]] bool has_unsaved() const noexcept { return batch && !file && !saved; }
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
  [[nodiscard]] std::optional<stored_file> take_file();
  void send(flight_place which, report_queue& from);
  void send_to_admins(flight_place which);
  void answered(flight_place which, const protocol::admin_answer& answer);
  void accepted(flight_place which);
  void refused(flight_place which, bool reached);
  void tell_logs(const batch_ptr& batch, const protocol::admin_answer& answer);

  // -- to and from files
  [[nodiscard]] bool must_save() const;
  void save();
  void saved(std::vector<core::run_report>&& reports, core::result<std::string>&& name);
  void load(stored_file&& file);
  void loaded(flight_place which, core::result<std::vector<core::run_report>>&& reports);
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
  /// At most one is of a file.
  std::list<flight> flights_;
  /// Reports of a batch on its way to a file.
  std::size_t saving_ = 0;
  std::deque<stored_file> files_;
  /// Reports in files that were read or written by this process.
  std::size_t on_disk_ = 0;
  /// There may be files that nobody knows of.
  bool unlisted_ = true;
  bool listing_ = false;
  bool turn_of_files_ = false;

  /// Somebody took the last request; nobody did.
  bool taken_ = false;
  bool away_ = false;
  int failures_ = 0;
  steady retry_at_{};
  steady disk_retry_at_{};
  /// What was told of it last.
  std::string disk_trouble_;
  std::vector<waiting_flush> flushes_;
  bool armed_ = false;
};

} // namespace ringmaster::actors
