// Run ids and fences in a database that is older than it was.

#include "storage/elastic/elastic_role.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

/// More edits than a job has between a backup and its restore.
constexpr std::int64_t versions_skipped = 4096;

/// Inserts a row of no job. `id`: 0 takes the next one.
elastic::item_run_id insert_row(admin_session& own, elastic::item_run_id id) {
  const auto with_id = core::number(id) != 0;
  constexpr sql_text next{
    "INSERT INTO ej_run (job, item, source, fire_ms, fire_source, request, fence, attempt, host, host_inc, granted_ms,"
    " started_ms, ended_ms, state, message) VALUES (0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, '')"};
  constexpr sql_text given{
    "INSERT INTO ej_run (id, job, item, source, fire_ms, fire_source, request, fence, attempt, host, host_inc, granted_ms,"
    " started_ms, ended_ms, state, message) VALUES (?, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, '')"};
  const auto made = with_id ? own.insert<elastic::item_run_id>(given, id) : own.insert<elastic::item_run_id>(next);
  own.execute("DELETE FROM ej_run WHERE id = ?", with_id ? id : made);
  return made;
}

} // namespace

// A row that is inserted and deleted again reads the counter, and one with an explicit id raises it.
core::result<elastic::item_run_id> elastic_role::raise_run_ids(elastic::item_run_id seen, elastic::item_run_id ceiling) {
  return own_.edit([&]() -> core::result<elastic::item_run_id> {
    const auto next = insert_row(own_, {});
    if (next <= seen) {
      // In step: a version has fences of its own, which its new items begin with.
      own_.execute("UPDATE ej_job SET version = version + ?", versions_skipped);
      own_.execute("UPDATE ej_item SET fence = fence + ? WHERE state <> ?",
                   core::number(elastic::first_fence(versions_skipped + 1)), elastic::stored_item_state::open);
    }
    if (next <= ceiling)
      insert_row(own_, ceiling);
    return next;
  });
}

} // namespace ringmaster::storage
