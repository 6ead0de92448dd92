// Hosts and their keepers: E1, E2, E3.

#include <algorithm>
#include <map>

#include "core/text/text.hpp"
#include "storage/admin/listed_groups.hpp"
#include "storage/elastic/elastic_role.hpp"
#include "storage/elastic/host_columns.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

core::result<void> check_facts(const elastic::host_facts& facts) {
  struct limit {
    std::string_view name, text;
    std::size_t chars;
  };
  for (const auto& each :
       {limit{"id", facts.id, 255}, limit{"app_name", facts.app_name, 64}, limit{"process", facts.process, 64},
        limit{"folder", facts.folder, 64}, limit{"boot", facts.boot, 36}, limit{"ip", facts.ip, 50},
        limit{"labels", facts.labels, 1024}})
    if (!core::fits(each.text, each.chars) || core::valid_utf8(each.text) != each.text)
      return core::fail(core::errc::invalid_argument, std::string{each.name} + " of a host: too long, or not UTF-8");
  if (facts.id.empty() || facts.process.empty() || facts.capacity < 0)
    return core::fail(core::errc::invalid_argument, "a host needs an id, a process key and a capacity");
  return {};
}

/// Returns the last process that has surely ended, now that another one enters in place of `row`.
elastic::host_incarnation ended_before(const elastic::host_row& row, const elastic::host_facts& next) {
  using enum elastic::host_state;
  const bool is_over = row.state == dead || row.state == left || (!next.folder.empty() && row.facts.folder == next.folder);
  const bool follows = core::number(row.ended) + 1 == core::number(row.process.incarnation);
  return is_over && follows ? row.process.incarnation : row.ended;
}

/// One host process that enters.
class host_entry {
public:
  host_entry(admin_session& own, const core::node_incarnation& owner, const elastic::host_facts& facts)
    : own_{own}, owner_{owner}, facts_{facts} {}

  core::result<elastic::host_answer> run() {
    using enum elastic::host_state;
    auto known = find();
    if (!known)
      return insert();
    if (known->facts.process == facts_.process) {
      const bool over = known->state == dead || known->state == left;
      return elastic::host_answer{over ? elastic::write_outcome::guard_lost : elastic::write_outcome::repeated, *known};
    }
    own_.execute("UPDATE ej_node SET app_name = ?, incarnation = incarnation + 1, process = ?, folder = ?, boot = ?, pid = ?,"
                 " pid_ns = ?, start_ticks = ?, ip = ?, labels = ?, capacity = ?, state = 0, keeper = ?, keeper_inc = ?,"
                 " keeper_no = keeper_no + 1, change_no = ?, ended_inc = ?, mode = CASE mode WHEN 3 THEN 0 ELSE mode END"
                 " WHERE num = ?",
                 facts_.app_name, facts_.process, facts_.folder, facts_.boot, facts_.pid, facts_.pid_namespace,
                 facts_.start_ticks, facts_.ip, facts_.labels, facts_.capacity, owner_.node, owner_.incarnation,
                 next_host_change(own_), ended_before(*known, facts_), known->process.host);
    return done();
  }

private:
  std::optional<elastic::host_row> find() {
    auto row = own_.query(RINGMASTER_HOST_COLUMNS "WHERE id = ? $for_update", facts_.id);
    return row.next() ? std::optional{host_in(row)} : std::nullopt;
  }

  core::result<elastic::host_answer> insert() {
    auto count = own_.query("SELECT COUNT(*) FROM ej_node WHERE state IN (0, 1)");
    if (count.next() && count.number(0) >= static_cast<std::int64_t>(elastic::hosts_max))
      return core::fail(core::errc::too_large, "there are " + std::to_string(elastic::hosts_max) + " hosts already");
    own_.execute("INSERT INTO ej_node (id, app_name, incarnation, process, folder, boot, pid, pid_ns, start_ticks, ip, labels,"
                 " capacity, state, keeper, keeper_inc, keeper_no, change_no, ended_inc)"
                 " VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 1, ?, 0)",
                 facts_.id, facts_.app_name, facts_.process, facts_.folder, facts_.boot, facts_.pid, facts_.pid_namespace,
                 facts_.start_ticks, facts_.ip, facts_.labels, facts_.capacity, owner_.node, owner_.incarnation,
                 next_host_change(own_));
    return done();
  }

  core::result<elastic::host_answer> done() { return elastic::host_answer{elastic::write_outcome::done, find()}; }

  admin_session& own_;
  const core::node_incarnation& owner_;
  const elastic::host_facts& facts_;
};

/// Rows of hosts that one call changes.
class host_rows {
public:
  template <class Ops>
  host_rows(admin_session& own, const Ops& ops) : own_{own} {
    std::vector<elastic::host_number> ids;
    for (const auto& each : ops)
      ids.push_back(each.host.host);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    // Numbers of changes are taken first, as in E1.
    hold_host_changes(own);
    own_.query_in(RINGMASTER_HOST_COLUMNS "WHERE num IN ({?,}) ORDER BY num $for_update", ids, [this](const sql_rows& row) {
      auto found = host_in(row);
      rows_[found.process.host] = std::move(found);
    });
  }

  elastic::host_row* find(elastic::host_number host) {
    const auto found = rows_.find(host);
    return found == rows_.end() ? nullptr : &found->second;
  }

  void save(elastic::host_row& row) {
    row.change_no = next_host_change(own_);
    own_.execute("UPDATE ej_node SET state = ?, keeper = ?, keeper_inc = ?, keeper_no = ?, change_no = ?, ended_inc = ?"
                 " WHERE num = ?",
                 row.state, row.keeper.node, row.keeper.incarnation, row.keeper_no, row.change_no, row.ended,
                 row.process.host);
  }

private:
  admin_session& own_;
  std::map<elastic::host_number, elastic::host_row> rows_;
};

elastic::write_outcome keep(host_rows& all, elastic::host_row& row, const elastic::keeper_claim& claim,
                            const core::node_incarnation& owner) {
  using enum elastic::host_state;
  if (row.process != claim.host)
    return elastic::write_outcome::guard_lost;
  if (row.keeper == owner && row.keeper_no == claim.seen + 1 && row.state == up)
    return elastic::write_outcome::repeated;
  if (row.keeper_no != claim.seen || (row.state != up && row.state != silent))
    return elastic::write_outcome::guard_lost;
  row.keeper = owner;
  ++row.keeper_no;
  row.state = up;
  all.save(row);
  return elastic::write_outcome::done;
}

/// Stores the proof that a former process is dead. Proofs of several come in the order of the processes.
elastic::write_outcome judge_former(host_rows& all, elastic::host_row& row, elastic::host_incarnation former) {
  if (former >= row.process.incarnation)
    return elastic::write_outcome::guard_lost;
  if (former <= row.ended)
    return elastic::write_outcome::repeated;
  if (core::number(former) != core::number(row.ended) + 1)
    return elastic::write_outcome::guard_lost;
  row.ended = former;
  all.save(row);
  return elastic::write_outcome::done;
}

elastic::write_outcome judge(admin_session& own, host_rows& all, elastic::host_row& row, const elastic::host_verdict& verdict,
                             const core::node_incarnation& owner) {
  using enum elastic::host_state;
  if (row.process != verdict.host)
    return verdict.state == dead ? judge_former(all, row, verdict.host.incarnation) : elastic::write_outcome::guard_lost;
  if (row.state == verdict.state)
    return elastic::write_outcome::repeated;
  if (verdict.state != dead) {
    const bool keeps = row.keeper == owner || (verdict.keeper_over && !own.check_current(row.keeper));
    const bool follows = row.state == up || (row.state == silent && verdict.state == left);
    if (verdict.state == up || !follows || row.keeper_no != verdict.seen || !keeps)
      return elastic::write_outcome::guard_lost;
  }
  row.state = verdict.state;
  all.save(row);
  return elastic::write_outcome::done;
}

/// Runs `decide(rows, row, op)` for each op.
template <class Ops, class Decide>
core::result<std::vector<elastic::host_answer>> change_hosts(admin_session& own, const core::node_incarnation& owner,
                                                             const Ops& ops, Decide decide) {
  return own.edit([&]() -> core::result<std::vector<elastic::host_answer>> {
    if (auto current = own.check_current(owner); !current)
      return tl::unexpected{current.error()};
    host_rows all{own, ops};
    std::vector<elastic::host_answer> out;
    out.reserve(ops.size());
    for (const auto& op : ops) {
      auto* const row = all.find(op.host.host);
      const auto outcome = row == nullptr ? elastic::write_outcome::guard_lost : decide(all, *row, op);
      out.push_back({outcome, row == nullptr ? std::nullopt : std::optional{*row}});
    }
    return out;
  });
}

} // namespace

elastic::host_row host_in(const sql_rows& row) {
  elastic::host_row out;
  out.process = {row.id<elastic::host_number>(0), row.id<elastic::host_incarnation>(3)};
  out.facts = {row.string(1), row.string(2), row.string(4),  row.string(5),  row.string(6),  row.number(7),
               row.number(8), row.number(9), row.string(10), row.string(11), row.number32(12)};
  out.state = elastic::host_state{static_cast<std::uint8_t>(row.number(13))};
  out.keeper = {row.string(14), row.number(15)};
  out.keeper_no = row.number(16);
  out.change_no = row.number(17);
  out.ended = row.id<elastic::host_incarnation>(18);
  out.mode = elastic::host_mode{static_cast<std::uint8_t>(row.number(19))};
  return out;
}

void hold_host_changes(admin_session& own) {
  (void) own.query("SELECT host_change FROM ej_meta WHERE id = 1 $for_update").next();
}

std::int64_t next_host_change(admin_session& own) {
  own.execute("UPDATE ej_meta SET host_change = host_change + 1 WHERE id = 1");
  auto row = own.query("SELECT host_change FROM ej_meta WHERE id = 1");
  return row.next() ? row.number(0) : 0;
}

core::result<elastic::host_answer> elastic_role::enter_host(const core::node_incarnation& owner, const std::string& cluster_id,
                                                            const elastic::host_facts& facts) {
  if (auto sound = check_facts(facts); !sound)
    return tl::unexpected{sound.error()};
  return own_.edit([&]() -> core::result<elastic::host_answer> {
    if (auto current = own_.check_current(owner); !current)
      return tl::unexpected{current.error()};
    auto mark = own_.query("SELECT cluster_id FROM ej_meta WHERE id = 1 $for_update");
    if (!mark.next() || mark.text(0) != cluster_id)
      return core::fail(core::errc::conflict, "the database is not that of cluster " + cluster_id);
    return host_entry{own_, owner, facts}.run();
  });
}

core::result<std::vector<elastic::host_answer>> elastic_role::keep_hosts(const core::node_incarnation& owner,
                                                                         std::span<const elastic::keeper_claim> claims) {
  return change_hosts(own_, owner, claims, [&](host_rows& all, elastic::host_row& row, const elastic::keeper_claim& claim) {
    return keep(all, row, claim, owner);
  });
}

core::result<std::vector<elastic::host_answer>> elastic_role::judge_hosts(const core::node_incarnation& owner,
                                                                          std::span<const elastic::host_verdict> verdicts) {
  return change_hosts(own_, owner, verdicts, [&](host_rows& all, elastic::host_row& row, const elastic::host_verdict& verdict) {
    return judge(own_, all, row, verdict, owner);
  });
}

core::result<std::vector<elastic::host_row>> elastic_role::hosts_since(std::int64_t change_no, std::size_t limit) {
  return own_.read([&]() -> core::result<std::vector<elastic::host_row>> {
    std::vector<elastic::host_row> out;
    auto rows = own_.query(RINGMASTER_HOST_COLUMNS "WHERE change_no > ? AND (state IN (0, 1) OR ? > 0)"
                                                   " ORDER BY change_no LIMIT ?",
                           change_no, change_no, limit);
    while (rows.next())
      out.push_back(host_in(rows));
    return out;
  });
}

core::result<std::vector<elastic::host_row>> elastic_role::hosts(std::optional<core::group_id> group,
                                                                  const core::principal& by) {
  auto may = group ? core::check_right(by, core::group_right::viewer, *group)
                   : core::check_right_anywhere(by, core::group_right::viewer);
  if (!may)
    return tl::unexpected{may.error()};
  return own_.read([&]() -> core::result<std::vector<elastic::host_row>> {
    std::vector<elastic::host_row> out;
    const auto groups = group ? listed_groups(std::vector{*group}) : listed_groups(by);
    // The tables may have different collations.
    auto rows = own_.query(RINGMASTER_HOST_COLUMNS "WHERE (state IN (0, 1) OR mode IN (1, 2)) AND (? = '' OR CAST(app_name AS"
                                                   " $bytes) IN (SELECT CAST(g.app_name AS $bytes) FROM xxl_job_group g"
                                                   " WHERE $listed(g.id)))"
                                                   " ORDER BY num LIMIT ?",
                           groups, groups, elastic::hosts_max);
    while (rows.next())
      out.push_back(host_in(rows));
    return out;
  });
}

} // namespace ringmaster::storage
