// T6 and T7: claims of ended incarnations are moved to a live node; one more send is permitted for a run that may never have been
// sent.

#include <algorithm>

#include "storage/rows/claim_items.hpp"
#include "storage/rows/orphans.hpp"
#include "storage/sqlite/firing/firing.hpp"
#include "storage/sqlite/runs/run_sql.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char list_claim_numbers[] = "SELECT seq FROM rm_claim WHERE node = ?1 AND incarnation = ?2 ORDER BY seq";
constexpr char list_adopted[] =
  "SELECT seq, first_log_id, items, rowid FROM rm_claim "
  "WHERE node = ?1 AND incarnation = ?2 AND seq >= ?3 AND maybe_sent = 1 ORDER BY seq";
constexpr char list_orphaned_claims[] =
  "SELECT c.rowid, c.first_log_id, c.items, CASE WHEN c.incarnation <= l.ran_out THEN 2 "
  "WHEN c.incarnation <= l.cut THEN 1 ELSE 0 END FROM rm_claim c "
  "LEFT JOIN rm_node n ON n.id = c.node LEFT JOIN rm_life l ON l.node = c.node "
  "WHERE " RINGMASTER_IS_ORPHAN " AND NOT (c.node = ?1 AND c.incarnation = ?2) "
  "ORDER BY c.first_log_id";
constexpr char move_claim[] =
  "UPDATE rm_claim SET node = ?2, incarnation = ?3, seq = ?4, maybe_sent = 1, first_log_id = ?5, items = ?6 WHERE rowid = ?1";
constexpr char find_cut[] = "SELECT 1 FROM rm_life WHERE cut > 0";
constexpr char delete_claim_row[] = "DELETE FROM rm_claim WHERE rowid = ?1";
constexpr char find_claim_row[] =
  "SELECT rowid, first_log_id, items FROM rm_claim WHERE node = ?1 AND incarnation = ?2 AND seq = ?3";
constexpr char find_sendable[] = "SELECT 1 FROM xxl_job_log WHERE id = ?1 AND trigger_code = 0 AND handle_code = 0";
constexpr char write_items[] = "UPDATE rm_claim SET items = ?2 WHERE rowid = ?1";

// Maximum number of resolved claims in a scan without a find; the next scan continues.
constexpr std::size_t orphans_per_scan = 4096;
// Maximum number of runs that a scan reads, so that a call stays short.
constexpr std::size_t runs_per_scan = 10'000;

struct orphan {
  std::int64_t row = 0;
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

class adoption {
public:
  adoption(session& own, const core::node_incarnation& owner, std::int64_t sequence)
    : own_{own}, db_{*own.db}, owner_{owner}, sequence_{sequence} {}

  core::result<std::vector<core::adopted_run>> run(std::size_t limit) {
    if (auto current = own_.check_current(owner_); !current)
      return tl::unexpected{current.error()};
    // An earlier call whose answer was lost has done part of the work, or all of it.
    auto adopted = repeat();
    for (auto& claim : orphans()) {
      if (adopted >= limit || looked_at_ >= runs_per_scan)
        break;
      adopted += adopt(claim) ? 1 : 0;
    }
    return std::move(runs_);
  }

private:
  std::size_t repeat() {
    std::size_t count = 0;
    std::vector<std::int64_t> resolved;
    // The rows of adopted claims no longer show how their incarnations ended.
    const auto ended = db_.prepare(find_cut).with().step() ? core::incarnation_end::cut_short : core::incarnation_end::sealed;
    {
      auto listing = db_.prepare(list_adopted);
      listing.with(owner_.node, owner_.incarnation, sequence_);
      while (listing.step()) {
        auto number = listing.number(0);
        if (auto items = unpack(listing.id<core::log_id>(1), listing.text(2)); items && unresolved(*items, number, ended).empty())
          resolved.push_back(listing.number(3));
        sequence_ = number + 1;
        ++count;
      }
    }
    for (auto row : resolved)
      db_.run(delete_claim_row, row);
    // Includes claims that are resolved by now: their numbers are used up.
    return count;
  }

  /// Returns orphans that this release can read: a claim in the format of a newer one waits for a node that can.
  std::vector<orphan> orphans() {
    std::vector<orphan> found;
    auto listing = db_.prepare(list_orphaned_claims);
    listing.with(owner_.node, owner_.incarnation);
    while (found.size() < orphans_per_scan && listing.step()) {
      auto first = listing.id<core::log_id>(1);
      if (auto items = unpack(first, listing.text(2)))
        found.push_back({listing.number(0), first, std::move(*items), end_of(listing.number(3))});
    }
    return found;
  }

  bool adopt(const orphan& claim) {
    auto items = unresolved(claim.items, sequence_, claim.ended);
    if (items.empty()) {
      db_.run(delete_claim_row, claim.row);
      return false;
    }
    auto packed = pack(claim.first, items);
    db_.run(move_claim, claim.row, owner_.node, owner_.incarnation, sequence_, claim.first, blob{packed});
    ++sequence_;
    return true;
  }

  /// Appends the unresolved runs to the answer and returns their items.
  std::vector<claim_item> unresolved(const std::vector<claim_item>& items, std::int64_t number, core::incarnation_end ended) {
    looked_at_ += items.size();
    std::vector<claim_item> left;
    auto reading = db_.prepare(read_claimed_run);
    for (const auto& item : items) {
      if (!reading.with(item.id).step())
        continue;
      core::adopted_run run{
        item.id, number, item.job, item.fire_at, item.part, item.attempt, std::string{reading.text(0)}, reading.optional_text(1)};
      run.retry_left = reading.small(2);
      run.handle_code = reading.small(3);
      run.ended = ended;
      runs_.push_back(std::move(run));
      left.push_back(item);
    }
    return left;
  }

  session& own_;
  connection& db_;
  const core::node_incarnation& owner_;
  std::int64_t sequence_;
  std::size_t looked_at_ = 0;
  std::vector<core::adopted_run> runs_;
};

core::result<bool> permit(connection& db, const core::node_incarnation& owner, std::int64_t claim, core::log_id run) {
  auto reading = db.prepare(find_claim_row);
  if (!reading.with(owner.node, owner.incarnation, claim).step())
    return false;
  auto first = reading.id<core::log_id>(1);
  auto items = unpack(first, reading.text(2));
  if (!items)
    return tl::unexpected{items.error()};
  auto item = std::find_if(items->begin(), items->end(), [run](const claim_item& candidate) { return candidate.id == run; });
  if (item == items->end() || item->attempt != 0)
    return false;
  auto sendable = db.prepare(find_sendable);
  if (!sendable.with(run).step())
    return false;
  item->attempt = 1;
  auto packed = pack(first, *items);
  db.run(write_items, reading.number(0), blob{packed});
  return true;
}

} // namespace

core::result<std::vector<std::int64_t>> firing_role::open_claims(const core::node_incarnation& owner) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<std::vector<std::int64_t>> {
    std::vector<std::int64_t> sequences;
    auto listing = db.prepare(list_claim_numbers);
    listing.with(owner.node, owner.incarnation);
    while (listing.step())
      sequences.push_back(listing.number(0));
    return sequences;
  });
}

core::result<std::vector<core::adopted_run>> firing_role::adopt(const core::node_incarnation& owner, std::int64_t sequence,
                                                                std::size_t limit) {
  return within(*own_.db, transaction_kind::write, [&](connection&) { return adoption{own_, owner, sequence}.run(limit); });
}

core::result<std::vector<bool>> firing_role::permit_resend(const core::node_incarnation& owner,
                                                           std::span<const core::resend> runs) {
  return within(*own_.db, transaction_kind::write, [&](connection& db) -> core::result<std::vector<bool>> {
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    std::vector<bool> granted;
    for (const auto& [claim, run] : runs) {
      auto one = permit(db, owner, claim, run);
      if (!one)
        return tl::unexpected{std::move(one.error())};
      granted.push_back(*one);
    }
    return granted;
  });
}

} // namespace ringmaster::storage::sqlite
