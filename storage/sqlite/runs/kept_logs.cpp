// Logs of finished runs that outlive their executors.

#include "storage/sqlite/runs/kept_logs.hpp"

#include <algorithm>

namespace ringmaster::storage::sqlite {

namespace {

constexpr char list_pending[] =
  "SELECT k.log_id, k.job, l.executor_address, l.trigger_time, k.at_ms, coalesce(l.job_group, 0) "
  "FROM rm_kept_log k LEFT JOIN xxl_job_log l ON l.id = k.log_id WHERE k.state = 0 AND k.log_id > ?1 ORDER BY k.log_id LIMIT ?2";
constexpr char mark_kept[] = "UPDATE rm_kept_log SET state = 1, bytes = ?2, is_cut = ?3 WHERE log_id = ?1 AND state = 0";
constexpr char delete_pieces[] = "DELETE FROM rm_run_log WHERE log_id = ?1";
constexpr char insert_piece[] = "INSERT INTO rm_run_log (log_id, piece, text) VALUES (?1, ?2, ?3)";
constexpr char delete_pending[] = "DELETE FROM rm_kept_log WHERE log_id = ?1 AND state = 0";
constexpr char find_kept[] = "SELECT bytes, is_cut FROM rm_kept_log WHERE log_id = ?1 AND job = ?2 AND state = 1";
constexpr char read_pieces[] = "SELECT text FROM rm_run_log WHERE log_id = ?1 ORDER BY piece";
constexpr char sum_bytes[] = "SELECT coalesce(sum(bytes), 0) FROM rm_kept_log WHERE state = 1";
constexpr char list_oldest_kept[] = "SELECT log_id, bytes FROM rm_kept_log WHERE state = 1 ORDER BY log_id LIMIT ?1";
constexpr char drop_through[] = "UPDATE rm_kept_log SET state = 2 WHERE state = 1 AND log_id <= ?1";
constexpr char list_dropped[] = "SELECT log_id FROM rm_kept_log WHERE state = 2 ORDER BY log_id LIMIT ?1";
constexpr char delete_some_pieces[] = "DELETE FROM rm_run_log WHERE log_id = ?1 AND piece IN "
                                      "(SELECT p.piece FROM rm_run_log p WHERE p.log_id = ?1 ORDER BY p.piece DESC LIMIT ?2)";
constexpr char delete_dropped[] = "DELETE FROM rm_kept_log WHERE log_id = ?1 AND state = 2";

/// Removes pieces of a dropped text.
std::size_t remove(connection& db, core::log_id run, std::size_t limit) {
  const auto pieces = static_cast<std::size_t>(db.run(delete_some_pieces, run, limit));
  if (pieces < limit)
    db.run(delete_dropped, run);
  return std::max<std::size_t>(pieces, 1);
}

} // namespace

core::result<std::vector<core::pending_log>> kept_log_role::pending(core::log_id after, std::size_t limit) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<std::vector<core::pending_log>> {
    std::vector<core::pending_log> out;
    auto listing = db.prepare(list_pending);
    listing.with(after, limit);
    while (listing.step())
      out.push_back({listing.id<core::log_id>(0), listing.id<core::job_id>(1), std::string{listing.text(2)},
                     own_.dates.read(listing.text(3)).value_or(core::time_point{}), listing.time_ms(4),
                     listing.id<core::group_id>(5)});
    return out;
  });
}

core::result<bool> kept_log_role::keep(core::log_id run, std::string_view text, bool cut) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<bool> {
    if (db.run(mark_kept, run, text.size(), cut ? 1 : 0) != 1)
      return false;
    // Pieces of an earlier run with this id.
    db.run(delete_pieces, run);
    std::int32_t piece = 0;
    for (const auto part : core::pieces_of(text, log_piece_bytes))
      db.run(insert_piece, run, piece++, part);
    return true;
  });
}

core::result<void> kept_log_role::give_up(std::span<const core::log_id> runs) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<void> {
    for (const auto run : runs)
      db.run(delete_pending, run);
    return {};
  });
}

core::result<std::optional<core::kept_log>> kept_log_role::read(core::log_id run, core::job_id job, std::size_t bytes_max) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<std::optional<core::kept_log>> {
    core::kept_log out;
    {
      auto kept = db.prepare(find_kept);
      if (!kept.with(run, job).step())
        return std::optional<core::kept_log>{};
      out.bytes = static_cast<std::size_t>(kept.number(0));
      out.cut = kept.number(1) == 1;
    }
    auto reading = db.prepare(read_pieces);
    reading.with(run);
    while (out.text.size() < bytes_max && reading.step())
      out.text += reading.text(0);
    return std::optional{std::move(out)};
  });
}

core::result<std::int64_t> kept_log_role::bytes() {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<std::int64_t> {
    auto sum = db.prepare(sum_bytes);
    return sum.with().step() ? sum.number(0) : 0;
  });
}

core::result<std::int64_t> kept_log_role::drop_oldest(std::int64_t bytes, std::size_t limit) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<std::int64_t> {
    core::log_id last{};
    std::int64_t freed = 0;
    {
      auto listing = db.prepare(list_oldest_kept);
      listing.with(limit);
      for (; freed < bytes && listing.step(); freed += listing.number(1))
        last = listing.id<core::log_id>(0);
    }
    db.run(drop_through, last);
    return freed;
  });
}

core::result<std::size_t> kept_log_role::remove_dropped(std::size_t limit) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<std::size_t> {
    std::vector<core::log_id> dropped;
    {
      auto listing = db.prepare(list_dropped);
      listing.with(limit);
      while (listing.step())
        dropped.push_back(listing.id<core::log_id>(0));
    }
    std::size_t removed = 0;
    for (auto run = dropped.begin(); run != dropped.end() && removed < limit; ++run)
      removed += remove(db, *run, limit - removed);
    return removed;
  });
}

} // namespace ringmaster::storage::sqlite
