#pragma once

// A scripted Java admin: its schedule thread, its ring and its console, statement by statement (XXL admin §3.2, §2.6).

#include <map>
#include <string>
#include <vector>

#include "tests/simulation/history.hpp"
#include "tests/simulation/shared_checker.hpp"
#include "tests/simulation/shared_schedule.hpp"

namespace ringmaster::simulation {

class world;

class java_admin {
public:
  java_admin(world& in, shared_schedule& schedule, shared_checker& checker, std::string name, java_script script);

  void start();
  /// Kills the process, with its memory; it comes back after `lasts`.
  void crash(milliseconds lasts);
  /// Changes a job at its console: the row is read now and saved with all its columns a moment later.
  void edit(const console_edit& wanted);

private:
  struct taken_row {
    xxl_row as_read;
    xxl_row moved;
    std::vector<core::time_point> instants;
  };
  struct instant {
    core::job_id job{};
    core::time_point at{};
  };

  [[nodiscard]] core::time_point clock() const;
  void begin_pass();
  void end_pass();
  [[nodiscard]] span sleep_after(bool found) const;
  void decide(const xxl_row& row, core::time_point now);
  void into_ring(core::job_id job, core::time_point at);
  void save(const console_edit& wanted, const xxl_row& as_read, core::cluster_mode read_in);
  /// Runs an action in this process later, if the process is still there.
  void after(span wait, void (java_admin::*what)());
  void fire_due();

  world& world_;
  shared_schedule& schedule_;
  shared_checker& checker_;
  std::string name_;
  java_script script_;
  int life_ = 0;
  bool up_ = false;
  /// Number of its passes that have hung.
  std::size_t stalls_ = 0;
  core::time_point pass_began_{};
  /// Uncommitted decisions of this pass.
  std::vector<taken_row> pass_;
  std::vector<instant> fired_in_pass_;
  std::multimap<core::time_point, instant> ring_;
};

} // namespace ringmaster::simulation
