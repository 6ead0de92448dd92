#include "tests/simulation/elastic/rule_breaker.hpp"

#include <string>
#include <variant>

#include "core/elastic/item_machine.hpp"

namespace ringmaster::simulation::elastic {

std::int64_t rule_breaker::make_keeper(core::elastic::host_number host, const core::node_incarnation& owner) {
  tables_.run("UPDATE ej_node SET keeper = ?, keeper_inc = ? WHERE num = ?", owner.node, owner.incarnation, host);
  auto row = tables_.prepare("SELECT keeper_no FROM ej_node WHERE num = ?");
  row.with(host);
  return row.step() ? row.number(0) : 0;
}

void rule_breaker::free_item(core::elastic::elastic_job_id job, core::elastic::item_number item,
                             const core::elastic::item_grant& grant) {
  tables_.run("UPDATE ej_item SET state = 0, fence = ? WHERE job = ? AND item = ?", grant.fence, job, item);
}

void rule_breaker::look_at(const core::elastic::item_write& write) {
  const auto* const grant = std::get_if<core::elastic::item_grant>(&write.what);
  if (grant == nullptr)
    return;
  if (off_.grants_always)
    free_item(write.job, write.item, *grant);
  if (off_.keeps_missed && grant->cause.source == core::elastic::run_source::misfire)
    marked_.emplace_back(write.job, write.item);
}

void rule_breaker::before_write(core::elastic::elastic_batch& batch) {
  marked_.clear();
  if (off_.any_epoch)
    for (auto& lease : batch.leases) {
      auto row = tables_.prepare("SELECT node, incarnation, epoch FROM ej_lease WHERE slot = ? AND node IS NOT NULL");
      row.with(std::int64_t{lease.slot});
      if (!row.step())
        continue;
      lease.epoch = row.number(2);
      batch.owner = {std::string{row.text(0)}, row.number(1)};
    }
  if (!off_.grants_always && !off_.keeps_missed)
    return;
  for (const auto& op : batch.ops)
    if (const auto* const item = std::get_if<core::elastic::item_write>(&op)) {
      look_at(*item);
      const auto* const end = std::get_if<core::elastic::action::write_end>(&item->what);
      if (end != nullptr && end->next.grant && end->next.grant->cause.source == core::elastic::run_source::misfire)
        marked_.emplace_back(item->job, item->item);
    } else if (const auto* const fire = std::get_if<core::elastic::fire_write>(&op)) {
      for (const auto& each : fire->items)
        look_at(each);
    }
}

void rule_breaker::after_write() {
  if (off_.keeps_missed)
    for (const auto& [job, item] : marked_)
      tables_.run("UPDATE ej_item SET missed = 1 WHERE job = ? AND item = ?", job, item);
}

void rule_breaker::before_adoption() {
  if (off_.enables_at_adoption)
    tables_.run("UPDATE ej_item SET flags = flags & ~1");
  if (!off_.fires_again)
    return;
  tables_.run(
    "DELETE FROM ej_fire WHERE source = 0 AND EXISTS (SELECT 1 FROM ej_schedule AS s WHERE s.job = ej_fire.job"
    " AND s.last_ms = ej_fire.fire_ms)");
  tables_.run("UPDATE ej_schedule SET next_ms = last_ms, last_ms = last_ms - 1 WHERE last_ms > 0 AND next_ms > 0");
}

} // namespace ringmaster::simulation::elastic
