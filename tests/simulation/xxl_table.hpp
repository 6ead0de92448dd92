#pragma once

// `xxl_job_info` as planners see it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/job/job.hpp"
#include "core/schedule/schedule.hpp"
#include "core/time.hpp"
#include "storage/sqlite/driver/connection.hpp"

namespace ringmaster::simulation {

/// The relevant columns. A time of 0 is none.
struct xxl_row {
  core::job_id id{};
  bool running = false;
  core::time_point last{};
  core::time_point next{};
  std::string type = {};
  std::string conf = {};
  std::string param = {};
  core::misfire_policy misfire = core::misfire_policy::do_nothing;

  /// Returns the schedule in the form that an intent keeps.
  [[nodiscard]] std::string schedule() const { return type + ' ' + conf; }
  [[nodiscard]] bool has_next() const { return next != core::time_point{}; }
  friend bool operator==(const xxl_row&, const xxl_row&) = default;
};

/// Columns of a row to write.
enum class xxl_columns : std::uint8_t { times, times_and_status, all };

class xxl_table {
public:
  virtual ~xxl_table() = default;

  [[nodiscard]] virtual std::vector<xxl_row> rows() = 0;
  [[nodiscard]] virtual std::optional<xxl_row> row(core::job_id job) = 0;
  virtual void write(const xxl_row& row, xxl_columns which) = 0;

  /// Returns running jobs whose next time is at or before `until`, in the order of their ids.
  [[nodiscard]] std::vector<xxl_row> due(core::time_point until);
};

/// The table in a simulation's own database.
class played_table final : public xxl_table {
public:
  explicit played_table(storage::sqlite::connection& tables) : db_{tables} {}

  std::vector<xxl_row> rows() override;
  std::optional<xxl_row> row(core::job_id job) override;
  void write(const xxl_row& row, xxl_columns which) override;

private:
  storage::sqlite::connection& db_;
};

/// Returns the schedule of a row; throws on values that no row of a simulation has.
[[nodiscard]] core::schedule rule_of(const xxl_row& row);

/// Returns the instants of a schedule in [`from`, `to`); `to` empty: those of the next hour.
[[nodiscard]] std::vector<core::time_point> instants_between(const core::schedule& rule, core::time_point from,
                                                             std::optional<core::time_point> to);

/// The last second of the year 9999, which `takeover` writes.
inline constexpr core::time_point far_future = core::from_ms(253'402'300'799'000);

} // namespace ringmaster::simulation
