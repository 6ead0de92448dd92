// Intents that wait for a claim.

#include "core/job/address_list.hpp"
#include "storage/rows/claim_values.hpp"
#include "storage/sqlite/firing/firing.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char list_waiting_intents[] =
  "SELECT id, kind, job, fire_ms, origin_log_id, shard, shard_total, param, retry_left, addresses, created_ms FROM rm_intent "
  "WHERE state = 0 AND created_ms <= ?1 AND created_ms >= ?3 AND (created_ms > ?3 OR id > ?4) "
  "AND (?5 = 0 OR kind IN ('cron', 'misfire')) ORDER BY created_ms, id LIMIT ?2";

core::intent read_intent(const statement& row) {
  core::intent intent;
  intent.id = row.id<core::intent_id>(0);
  intent.kind = find_intent_kind(row.text(1));
  intent.job = row.id<core::job_id>(2);
  intent.fire_at = row.time_ms(3);
  intent.origin = row.id<core::log_id>(4);
  if (auto total = row.small(6); total > 0)
    intent.part = {row.small(5), total, true};
  intent.param = row.optional_text(7);
  intent.retry_left = row.small(8);
  intent.addresses = core::split_addresses(row.text(9));
  intent.created_at = row.time_ms(10);
  return intent;
}

} // namespace

core::result<std::vector<core::intent>> firing_role::waiting_intents(const core::intent_search& search) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<std::vector<core::intent>> {
    std::vector<core::intent> intents;
    auto listing = db.prepare(list_waiting_intents);
    listing.with(search.created_before, search.limit, search.after.created_at, search.after.id, search.reserved_only);
    for (std::size_t bytes = 0; listing.step();) {
      bytes += listing.text(7).size() + listing.text(9).size();
      if (!intents.empty() && bytes > intents_page_bytes)
        break;
      intents.push_back(read_intent(listing));
    }
    return intents;
  });
}

} // namespace ringmaster::storage::sqlite
