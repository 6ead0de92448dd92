#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/firing.hpp"
#include "storage/rows/claim_items.hpp"
#include "storage/rows/orphans.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// Maximum number of runs that a call reads: this bounds its time, and that of its lock on the owner's incarnation.
constexpr std::size_t runs_per_call = 5'000;
/// Small, because a claim may have hundreds of runs.
constexpr std::size_t orphans_per_page = 50;

struct stored_claim {
  core::node_incarnation holder;
  std::int64_t sequence = 0;
  core::log_id first{};
  std::vector<claim_item> items;
  core::incarnation_end ended = core::incarnation_end::sealed;
};

/// Converts 0: sealed, 1: cut short, 2: ran out.
core::incarnation_end end_of(std::int64_t number) noexcept {
  return number == 2   ? core::incarnation_end::ran_out
         : number == 1 ? core::incarnation_end::cut_short
                       : core::incarnation_end::sealed;
}

/// Reads the columns node, incarnation, seq, first_log_id, items, and how the incarnation ended. Empty for a claim in the format
/// of a newer release: it waits for a node that can read it.
std::optional<stored_claim> read_claim(const rows& row) {
  stored_claim out{{row.string(0), row.number(1)}, row.number(2), row.id<core::log_id>(3), {}, end_of(row.number(5))};
  auto items = unpack(out.first, row.text(4));
  if (!items)
    return std::nullopt;
  out.items = std::move(*items);
  return out;
}

/// T6. The deletion of the orphan's row decides between two adopters.
class adoption {
public:
  adoption(session& own, const core::node_incarnation& owner, std::int64_t sequence)
    : own_{own}, db_{own.db}, owner_{owner}, sequence_{sequence} {}

  core::result<std::vector<core::adopted_run>> run(std::size_t limit) {
    if (auto current = own_.check_current(owner_); !current)
      return tl::unexpected{current.error()};
    // An earlier call whose answer was lost has done part of the work, or all of it.
    auto adopted = repeat();
    while (adopted < limit && looked_up_ < runs_per_call) {
      const auto some = orphans(std::min(limit - adopted, orphans_per_page));
      if (some.empty())
        break;
      for (const auto& claim : some)
        if (looked_up_ < runs_per_call)
          adopted += adopt(claim) ? 1 : 0;
    }
    return std::move(runs_);
  }

private:
  std::size_t repeat() {
    std::vector<stored_claim> mine;
    auto found = db_.query(
      // The rows no longer show how the incarnations ended that made these claims.
      "SELECT node, incarnation, seq, first_log_id, items, EXISTS (SELECT 1 FROM rm_life WHERE cut > 0) FROM rm_claim"
      " WHERE node = ? AND incarnation = ? AND seq >= ? AND maybe_sent = 1 ORDER BY seq",
      owner_.node, owner_.incarnation, sequence_);
    while (found.next())
      if (auto claim = read_claim(found))
        mine.push_back(std::move(*claim));
    for (const auto& claim : mine) {
      if (unresolved(claim, claim.sequence).empty())
        drop(claim);
      sequence_ = claim.sequence + 1;
    }
    // Includes claims that are resolved by now: their numbers are used up.
    return mine.size();
  }

  /// Returns the oldest orphans after the last one checked.
  std::vector<stored_claim> orphans(std::size_t limit) {
    std::vector<stored_claim> out;
    auto found = db_.query(
      "SELECT c.node, c.incarnation, c.seq, c.first_log_id, c.items, CASE WHEN c.incarnation <= l.ran_out THEN 2"
      " WHEN c.incarnation <= l.cut THEN 1 ELSE 0 END FROM rm_claim c"
      " LEFT JOIN rm_node n ON n.id = c.node LEFT JOIN rm_life l ON l.node = c.node"
      " WHERE " RINGMASTER_IS_ORPHAN " AND c.first_log_id > ?"
      " AND NOT (c.node = ? AND c.incarnation = ?) ORDER BY c.first_log_id LIMIT ?",
      looked_at_, owner_.node, owner_.incarnation, limit);
    while (found.next()) {
      looked_at_ = found.id<core::log_id>(3);
      if (auto claim = read_claim(found))
        out.push_back(std::move(*claim));
    }
    return out;
  }

  bool drop(const stored_claim& claim) {
    return db_.execute("DELETE FROM rm_claim WHERE node = ? AND incarnation = ? AND seq = ?", claim.holder.node,
                       claim.holder.incarnation, claim.sequence) == 1;
  }

  bool adopt(const stored_claim& claim) {
    if (!drop(claim))
      return false;
    const auto left = unresolved(claim, sequence_);
    if (left.empty())
      return false;
    db_.execute("INSERT INTO rm_claim (node, incarnation, seq, maybe_sent, first_log_id, items) VALUES (?, ?, ?, 1, ?, ?)",
                owner_.node, owner_.incarnation, sequence_, claim.first, bytes{pack(claim.first, left)});
    ++sequence_;
    return true;
  }

  /// Appends the unresolved runs to the answer and returns their items.
  std::vector<claim_item> unresolved(const stored_claim& claim, std::int64_t sequence) {
    const auto& items = claim.items;
    looked_up_ += items.size();
    std::unordered_map<std::int64_t, core::adopted_run> open;
    for (const auto part : padded_chunks(items.size())) {
      auto& some = db_.prepare(
        "SELECT id, executor_address, executor_param, executor_fail_retry_count, handle_code FROM xxl_job_log"
        " FORCE INDEX (PRIMARY) WHERE id IN ({?,}) AND trigger_code = 0",
        part.rows);
      for (std::size_t i = 0; i < part.rows; ++i)
        some.add(items[part.at(i)].id);
      for (auto row = some.select(); row.next();)
        open[row.number(0)] = {row.id<core::log_id>(0), sequence,       {}, {}, {}, 0, row.string(1), row.optional_string(2),
                               row.number32(3),         row.number32(4), claim.ended};
    }
    std::vector<claim_item> left;
    for (const auto& item : items) {
      const auto found = open.find(core::number(item.id));
      if (found == open.end())
        continue;
      auto& run = runs_.emplace_back(std::move(found->second));
      run.job = item.job;
      run.fire_at = item.fire_at;
      run.part = item.part;
      run.attempt = item.attempt;
      left.push_back(item);
    }
    return left;
  }

  session& own_;
  connection& db_;
  const core::node_incarnation& owner_;
  std::int64_t sequence_;
  core::log_id looked_at_{};
  std::size_t looked_up_ = 0;
  std::vector<core::adopted_run> runs_;
};

/// Returns those of `runs` that are neither triggered nor finished, locked in the order of their ids, as everywhere.
std::unordered_set<std::int64_t> lock_sendable(connection& db, std::span<const core::resend> runs) {
  std::vector<core::log_id> ids;
  for (const auto& one : runs)
    ids.push_back(one.run);
  std::sort(ids.begin(), ids.end());
  std::unordered_set<std::int64_t> sendable;
  for (const auto part : padded_chunks(ids.size())) {
    auto& some = db.prepare("SELECT id FROM xxl_job_log FORCE INDEX (PRIMARY)"
                            " WHERE id IN ({?,}) AND trigger_code = 0 AND handle_code = 0 ORDER BY id FOR UPDATE",
                            part.rows);
    for (std::size_t i = 0; i < part.rows; ++i)
      some.add(ids[part.at(i)]);
    for (auto row = some.select(); row.next();)
      sendable.insert(row.number(0));
  }
  return sendable;
}

/// Returns the requested sends that one claim permits.
core::result<std::unordered_set<std::int64_t>> permit(connection& db, const core::node_incarnation& owner, std::int64_t sequence,
                                                      const std::unordered_set<std::int64_t>& wanted) {
  std::unordered_set<std::int64_t> granted;
  auto row = db.query("SELECT first_log_id, items FROM rm_claim WHERE node = ? AND incarnation = ? AND seq = ? FOR UPDATE",
                      owner.node, owner.incarnation, sequence);
  if (!row.next())
    return granted;
  const auto first = row.id<core::log_id>(0);
  auto items = unpack(first, row.text(1));
  if (!items)
    return tl::unexpected{items.error()};
  for (auto& item : *items) {
    if (item.attempt != 0 || !wanted.contains(core::number(item.id)))
      continue;
    item.attempt = 1;
    granted.insert(core::number(item.id));
  }
  if (!granted.empty())
    db.execute("UPDATE rm_claim SET items = ? WHERE node = ? AND incarnation = ? AND seq = ?", bytes{pack(first, *items)},
               owner.node, owner.incarnation, sequence);
  return granted;
}

} // namespace

core::result<std::vector<std::int64_t>> firing_role::open_claims(const core::node_incarnation& owner) {
  return own_.db.read([&]() -> core::result<std::vector<std::int64_t>> {
    std::vector<std::int64_t> out;
    auto found =
      own_.db.query("SELECT seq FROM rm_claim WHERE node = ? AND incarnation = ? ORDER BY seq", owner.node, owner.incarnation);
    while (found.next())
      out.push_back(found.number(0));
    return out;
  });
}

core::result<std::vector<core::adopted_run>> firing_role::adopt(const core::node_incarnation& owner, std::int64_t sequence,
                                                                std::size_t limit) {
  // Nodes ask often, and mostly there is nothing to adopt: one statement says so.
  auto any = own_.is_true("SELECT EXISTS (SELECT 1 FROM rm_claim c LEFT JOIN rm_node n ON n.id = c.node"
                          " WHERE " RINGMASTER_IS_ORPHAN " OR (c.node = ? AND c.incarnation = ? AND c.seq >= ?"
                          " AND c.maybe_sent = 1)) OR " RINGMASTER_HAS_ENDED,
                          owner.node, owner.incarnation, sequence, owner.node, owner.incarnation);
  if (!any)
    return tl::unexpected{std::move(any.error())};
  if (!*any)
    return std::vector<core::adopted_run>{};
  return own_.db.transact([&] { return adoption{own_, owner, sequence}.run(limit); });
}

core::result<std::vector<bool>> firing_role::permit_resend(const core::node_incarnation& owner,
                                                           std::span<const core::resend> runs) {
  return own_.db.transact([&]() -> core::result<std::vector<bool>> {
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    const auto sendable = lock_sendable(own_.db, runs);
    std::map<std::int64_t, std::unordered_set<std::int64_t>> wanted;
    for (const auto& [claim, run] : runs)
      if (sendable.contains(core::number(run)))
        wanted[claim].insert(core::number(run));
    for (auto& [claim, ids] : wanted) {
      auto some = permit(own_.db, owner, claim, ids);
      if (!some)
        return tl::unexpected{std::move(some.error())};
      ids = std::move(*some);
    }
    std::vector<bool> granted;
    for (const auto& [claim, run] : runs) {
      auto of = wanted.find(claim);
      granted.push_back(of != wanted.end() && of->second.contains(core::number(run)));
    }
    return granted;
  });
}

} // namespace ringmaster::storage::mysql
