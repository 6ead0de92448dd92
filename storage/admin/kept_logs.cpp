// Logs of finished runs that outlive their executors.

#include "storage/admin/kept_logs.hpp"

#include <algorithm>

namespace ringmaster::storage {

core::result<std::vector<core::pending_log>> kept_log_role::pending(core::log_id after, std::size_t limit) {
  return own_.read([&]() -> core::result<std::vector<core::pending_log>> {
    std::vector<core::pending_log> out;
    auto found = own_.query(
      "SELECT k.log_id, k.job, l.executor_address, l.trigger_time, k.at_ms, COALESCE(l.job_group, 0) FROM rm_kept_log k"
      " LEFT JOIN xxl_job_log l ON l.id = k.log_id WHERE k.state = 0 AND k.log_id > ? ORDER BY k.log_id LIMIT ?",
      after, limit);
    while (found.next())
      out.push_back({found.id<core::log_id>(0), found.id<core::job_id>(1), found.string(2),
                     own_.dates().read(found.text(3)).value_or(core::time_point{}), found.time_ms(4),
                     found.id<core::group_id>(5)});
    return out;
  });
}

core::result<bool> kept_log_role::keep(core::log_id run, std::string_view text, bool cut) {
  return own_.edit([&]() -> core::result<bool> {
    if (own_.execute("UPDATE rm_kept_log SET state = 1, bytes = ?, is_cut = ? WHERE log_id = ? AND state = 0", text.size(),
                     cut ? 1 : 0, run) != 1)
      return false;
    // Pieces of an earlier run with this id.
    own_.execute("DELETE FROM rm_run_log WHERE log_id = ?", run);
    std::int32_t piece = 0;
    for (const auto part : core::pieces_of(text, log_piece_bytes))
      own_.execute("INSERT INTO rm_run_log (log_id, piece, text) VALUES (?, ?, ?)", run, piece++, part);
    return true;
  });
}

core::result<void> kept_log_role::give_up(std::span<const core::log_id> runs) {
  return own_.edit([&]() -> core::result<void> {
    own_.execute_in({"DELETE FROM rm_kept_log WHERE log_id IN ({?,}) AND state = 0"}, runs);
    return {};
  });
}

core::result<std::optional<core::kept_log>> kept_log_role::read(core::log_id run, core::job_id job, std::size_t bytes_max) {
  return own_.read([&]() -> core::result<std::optional<core::kept_log>> {
    core::kept_log out;
    {
      auto kept = own_.query("SELECT bytes, is_cut FROM rm_kept_log WHERE log_id = ? AND job = ? AND state = 1", run, job);
      if (!kept.next())
        return std::optional<core::kept_log>{};
      out.bytes = static_cast<std::size_t>(kept.number(0));
      out.cut = kept.number(1) == 1;
    }
    // One piece at a time, so that no unneeded text is transferred.
    for (std::int32_t piece = 0; out.text.size() < out.bytes && out.text.size() < bytes_max; ++piece) {
      auto found = own_.query("SELECT text FROM rm_run_log WHERE log_id = ? AND piece = ?", run, piece);
      if (!found.next())
        return std::optional<core::kept_log>{}; // removed between two statements
      out.text += found.text(0);
    }
    return std::optional{std::move(out)};
  });
}

core::result<std::int64_t> kept_log_role::bytes() {
  return own_.read([&]() -> core::result<std::int64_t> {
    auto sum = own_.query("SELECT CAST(COALESCE(SUM(bytes), 0) AS SIGNED) FROM rm_kept_log WHERE state = 1");
    return sum.next() ? sum.number(0) : 0;
  });
}

core::result<std::int64_t> kept_log_role::drop_oldest(std::int64_t bytes, std::size_t limit) {
  return own_.edit([&]() -> core::result<std::int64_t> {
    core::log_id last{};
    std::int64_t freed = 0;
    {
      auto found = own_.query("SELECT log_id, bytes FROM rm_kept_log WHERE state = 1 ORDER BY log_id LIMIT ?", limit);
      for (; freed < bytes && found.next(); freed += found.number(1))
        last = found.id<core::log_id>(0);
    }
    own_.execute("UPDATE rm_kept_log SET state = 2 WHERE state = 1 AND log_id <= ?", last);
    return freed;
  });
}

core::result<std::size_t> kept_log_role::remove_dropped(std::size_t limit) {
  return own_.edit([&]() -> core::result<std::size_t> {
    std::vector<core::log_id> dropped;
    {
      auto found = own_.query("SELECT log_id FROM rm_kept_log WHERE state = 2 ORDER BY log_id LIMIT ?", limit);
      while (found.next())
        dropped.push_back(found.id<core::log_id>(0));
    }
    std::size_t removed = 0;
    for (auto run = dropped.begin(); run != dropped.end() && removed < limit; ++run) {
      const auto left = limit - removed;
      const auto pieces = static_cast<std::size_t>(
        own_.execute("DELETE FROM rm_run_log WHERE log_id = ? $last_pieces", *run, left));
      if (pieces < left)
        own_.execute("DELETE FROM rm_kept_log WHERE log_id = ? AND state = 2", *run);
      removed += std::max<std::size_t>(pieces, 1);
    }
    return removed;
  });
}

} // namespace ringmaster::storage
