#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "actors/logger.hpp"
#include "protocol/caf.hpp"
#include "protocol/doctor_messages.hpp"
#include "protocol/examiner.hpp"
#include "protocol/messages.hpp"
#include "protocol/wall_clock.hpp"

namespace ringmaster::actors {

/// Actor that has this node checked when an administrator asks for it, once at a time, and keeps the last report. The checks
/// run on the examiner's thread.
class doctor_state {
public:
  static inline const char* name = "ringmaster.doctor";

  /// Time after which a report ends without the remaining checks.
  static constexpr std::chrono::seconds patience{120};

  /// `examiner`: null: this node makes no checks. `node`: its id.
  doctor_state(protocol::doctor::pointer self, std::shared_ptr<protocol::examiner> examiner, std::string node,
               protocol::wall_clock clock, logger log);
  ~doctor_state();
  protocol::doctor::behavior_type make_behavior();

private:
  using wanted_flag = std::atomic<bool>;

  caf::result<protocol::doctor_report> read(const protocol::doctor_query& asked) const;
  caf::result<protocol::doctor_report> start(const protocol::start_doctor& asked);
  void take(protocol::doctor_progress&& step);
  void give_up_late();
  void finish();

  protocol::doctor::pointer self_;
  std::shared_ptr<protocol::examiner> examiner_;
  protocol::wall_clock clock_;
  logger log_;

  protocol::doctor_report report_;
  /// Number of the report; progress of an earlier one is ignored.
  std::uint64_t number_ = 0;
  std::chrono::steady_clock::time_point begun_{};
  /// Shared with the examiner's thread: false once the remaining checks are not wanted.
  std::shared_ptr<wanted_flag> wanted_;
};

} // namespace ringmaster::actors
