// Jobs and runs for people.

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "storage/editing/job_edit_rules.hpp"
#include "storage/sqlite/roles/run_sql.hpp"
#include "storage/sqlite/roles/sqlite_store.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char list_job_ids[] =
  "SELECT i.id FROM xxl_job_info i LEFT JOIN xxl_job_group g ON g.id = i.job_group "
  "WHERE i.id > ?1 AND (?2 IS NULL OR g.app_name = ?2) AND (?3 IS NULL OR (i.trigger_status = 1) = ?3) "
  "ORDER BY i.id LIMIT ?4";
constexpr char find_id[] = "SELECT i.id FROM rm_job_ext x JOIN xxl_job_info i ON i.id = x.job "
                           "JOIN xxl_job_group g ON g.id = i.job_group WHERE g.app_name = ?1 AND x.job_key = ?2 "
                           "ORDER BY i.id LIMIT 1";
constexpr char read_card[] =
  "SELECT i.job_desc, i.author, i.alarm_email, i.schedule_type, i.trigger_status, g.app_name, x.job_key, "
  "x.source FROM xxl_job_info i LEFT JOIN xxl_job_group g ON g.id = i.job_group "
  "LEFT JOIN rm_job_ext x ON x.job = i.id WHERE i.id = ?1";
constexpr char list_runs[] = "SELECT id FROM xxl_job_log WHERE id < ?1 ORDER BY id DESC LIMIT ?2";
constexpr char list_runs_of[] = "SELECT id FROM xxl_job_log WHERE id < ?1 AND job_id = ?3 ORDER BY id DESC LIMIT ?2";
constexpr char list_failed[] =
  "SELECT log_id FROM rm_failed_run WHERE log_id < ?1 AND (?3 IS NULL OR job = ?3) "
  "ORDER BY log_id DESC LIMIT ?2";
constexpr char find_open[] = "SELECT 1 FROM xxl_job_log WHERE id = ?1 AND trigger_code = 0 AND handle_code = 0";

std::optional<core::job_card> card_of(session& own, core::job_id id) {
  auto held = find_job(own, id);
  auto reading = own.db->prepare(read_card);
  if (!held || !reading.with(id).step())
    return std::nullopt;
  core::job_card card;
  card.spec = held->spec;
  card.next = held->next;
  card.last = held->last;
  card.name = reading.text(0);
  card.author = reading.text(1);
  card.alarm_email = reading.text(2);
  card.schedule_type = reading.text(3);
  card.running = reading.number(4) == 1;
  card.group = reading.text(5);
  card.key = reading.text(6);
  card.source = reading.text(7);
  return card;
}

} // namespace

core::result<std::vector<core::job_card>> jobs::list(const core::job_filter& filter) {
  return within(*session_.db, transaction_kind::read, [&](connection& db) -> core::result<std::vector<core::job_card>> {
    std::vector<core::job_id> ids;
    auto listing = db.prepare(list_job_ids);
    listing.with(filter.after, filter.group, filter.running, filter.limit);
    while (listing.step())
      ids.push_back(listing.id<core::job_id>(0));
    std::vector<core::job_card> cards;
    for (auto id : ids)
      if (auto card = card_of(session_, id))
        cards.push_back(std::move(*card));
    return cards;
  });
}

core::result<core::job_card> jobs::find(const core::job_name& name) {
  return within(*session_.db, transaction_kind::read, [&](connection& db) -> core::result<core::job_card> {
    auto id = name.id;
    if (!id)
      if (auto searching = db.prepare(find_id); searching.with(name.group, name.key).step())
        id = searching.id<core::job_id>(0);
    auto card = id ? card_of(session_, *id) : std::nullopt;
    if (!card)
      return tl::unexpected{no_such_job(name)};
    return std::move(*card);
  });
}

core::result<std::vector<core::log_row>> jobs::latest_runs(const core::run_filter& filter) {
  auto ids = within(*session_.db, transaction_kind::read, [&](connection& db) -> core::result<std::vector<core::log_id>> {
    std::vector<core::log_id> found;
    auto before = filter.before.value_or(core::log_id{std::numeric_limits<std::int64_t>::max()});
    auto listing = db.prepare(filter.failed ? list_failed : filter.job ? list_runs_of : list_runs);
    if (filter.failed || filter.job)
      listing.with(before, filter.limit, filter.job);
    else
      listing.with(before, filter.limit);
    while (listing.step())
      found.push_back(listing.id<core::log_id>(0));
    return found;
  });
  if (!ids)
    return tl::unexpected{ids.error()};
  auto rows = sqlite::logs{session_}.rows(*ids);
  if (rows)
    std::reverse(rows->begin(), rows->end());
  return rows;
}

core::result<std::size_t> jobs::runs_on_their_way(std::span<const core::job_id> edited) {
  return within(*session_.db, transaction_kind::read, [&](connection& db) -> core::result<std::size_t> {
    std::unordered_set<std::int32_t> wanted;
    for (auto id : edited)
      wanted.insert(core::number(id));
    std::vector<core::log_id> claimed;
    auto claims = db.prepare(list_open_claims);
    claims.with();
    while (claims.step())
      add_runs_of(wanted, claims.id<core::log_id>(0), claims.text(1), claimed);
    std::size_t open = 0;
    auto looking = db.prepare(find_open);
    for (auto id : claimed)
      open += looking.with(id).step() ? 1 : 0;
    return open;
  });
}

} // namespace ringmaster::storage::sqlite
