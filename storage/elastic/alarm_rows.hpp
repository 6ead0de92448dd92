#pragma once

// Alarms of elastic jobs inside a transaction. A row of `ej_alarm` is an alarm until it is finished. A row of `ej_alarm_open` is
// an item (or a whole job) with an alarm that no success has ended: a recovery is reported once the alarm was sent and a run has
// succeeded since, whichever comes last.

#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "core/alarm/alarm.hpp"
#include "core/elastic/item_alarm.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

using item_key = std::pair<core::elastic::elastic_job_id, core::elastic::item_number>;

/// Returns what messages say about those of the jobs that exist, with the rule of each. The key is the name in its namespace.
[[nodiscard]] std::map<core::elastic::elastic_job_id, core::alarmed_job> alarmed_elastic_jobs(
  admin_session& own, std::vector<core::elastic::elastic_job_id> jobs);

/// Collects changes of one transaction, and decides and writes them in the order of the calls. For use inside an edit.
class alarm_rows {
public:
  alarm_rows(admin_session& own, core::time_point now) : own_{own}, now_{now} {}

  /// Adds an alarm, unless the job has no recipients for it. The same alarm twice is stored once.
  void raise(core::elastic::elastic_job_id job, const core::elastic::raised_alarm& what) {
    notes_.emplace_back(raised{job, what});
  }
  /// A run of the item has succeeded: ends its open alarm, and that of the whole job.
  void recover(const item_key& item, core::elastic::item_run_id run) { notes_.emplace_back(recovered{item, run}); }
  /// An alarm of this moment is finished. `told`: it was sent, and a recovery is to be reported.
  void finish(const item_key& item, core::time_point at, bool told) { notes_.emplace_back(finished{item, at, told}); }

  void write();

private:
  struct raised {
    core::elastic::elastic_job_id job{};
    core::elastic::raised_alarm what;
  };
  struct recovered {
    item_key item;
    core::elastic::item_run_id run{};
  };
  struct finished {
    item_key item;
    core::time_point at{};
    bool told = false;
  };
  using note = std::variant<raised, recovered, finished>;
  /// One row of `ej_alarm_open`.
  struct open_row {
    /// Time of the last alarm.
    core::time_point at{};
    /// An alarm was sent, and its recovery is to be reported.
    bool told = false;
    /// The run that has succeeded since; 0: none.
    core::elastic::item_run_id recovered{};
    bool removed = false;
  };

  void drop_unneeded();
  void read_open();
  void decide(const raised& what);
  void decide(const recovered& what);
  void decide(const finished& what);
  [[nodiscard]] open_row* find(const item_key& item);
  void end_open(const item_key& item, open_row& row, core::elastic::item_run_id run);
  void add_alarm(const item_key& item, std::int64_t cause, core::elastic::item_run_id run, core::time_point fire,
                 std::int64_t amount, core::time_point at);

  admin_session& own_;
  core::time_point now_;
  std::vector<note> notes_;
  std::map<item_key, open_row> open_;
  std::vector<sql_value> inserts_;
};

} // namespace ringmaster::storage
