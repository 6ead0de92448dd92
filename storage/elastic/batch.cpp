// E4 to E10: one transaction for the writes of all coordinators of a node.

#include <algorithm>

#include "core/columns.hpp"
#include "core/elastic/elastic_fields.hpp"
#include "core/elastic/plan.hpp"
#include "storage/elastic/batch_rules.hpp"
#include "storage/elastic/elastic_role.hpp"
#include "storage/elastic/leases.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

/// Longest text of `ej_plan.assignment`: each of 100 000 items on its own has seven bytes, and their hosts few.
constexpr std::size_t assignment_bytes = std::size_t{2} << 20U;
constexpr std::size_t members_chars = 32;

core::result<void> refused_op(const std::string& why) { return core::fail(core::errc::invalid_argument, why); }

core::result<void> check_item(const elastic::item_write& what, elastic::elastic_job_id job) {
  if (what.job != job)
    return refused_op("a write of another job's item");
  const auto* cursor = std::get_if<elastic::write_cursor>(&what.what);
  if (cursor != nullptr && cursor->value.size() > elastic::cursor_bytes)
    return core::fail(core::errc::too_large, "a cursor has more than " + std::to_string(elastic::cursor_bytes) + " bytes");
  const auto* grant = grant_in(what);
  if (grant != nullptr && (grant->lease.count() <= 0 || grant->lease > elastic::lease_max))
    return refused_op("a lease outside its range");
  return {};
}

core::result<void> check_fire(const elastic::fire_write& what) {
  for (const auto& each : what.fires)
    if (each.param && each.param->size() > static_cast<std::size_t>(elastic::param_bytes))
      return core::fail(core::errc::too_large, "the parameter of a fire is too long");
  if (what.plan && (what.plan->assignment.size() > assignment_bytes || what.plan->members.size() > members_chars))
    return core::fail(core::errc::too_large, "a plan is too long");
  return {};
}

core::result<void> check_batch(const elastic::elastic_batch& batch) {
  std::size_t items = 0;
  core::result<void> sound;
  for (const auto& op : batch.ops) {
    for_each_item(op, [&](const elastic::item_write& each) {
      ++items;
      if (sound)
        sound = check_item(each, job_of(op));
    });
    if (const auto* fire = std::get_if<elastic::fire_write>(&op); fire != nullptr && sound)
      sound = check_fire(*fire);
    if (!sound)
      return sound;
  }
  if (items > elastic::batch_items_max)
    return refused_op("a batch has " + std::to_string(items) + " writes of items");
  return {};
}

std::vector<elastic::elastic_answer> empty_answers(const elastic::elastic_batch& batch) {
  std::vector<elastic::elastic_answer> out(batch.ops.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    for_each_item(batch.ops[i], [&](const elastic::item_write&) { out[i].items.emplace_back(); });
  return out;
}

void answer_fenced(elastic::elastic_answer& to) {
  to.outcome = elastic::write_outcome::fenced;
  for (auto& item : to.items)
    item.outcome = elastic::write_outcome::fenced;
}

} // namespace

core::result<std::vector<elastic::elastic_answer>> elastic_role::write(const elastic::elastic_batch& batch,
                                                                       core::time_point now) {
  if (auto sound = check_batch(batch); !sound)
    return tl::unexpected{sound.error()};
  return own_.edit([&]() -> core::result<std::vector<elastic::elastic_answer>> {
    if (auto current = own_.check_current(batch.owner); !current)
      return tl::unexpected{current.error()};
    const auto held = hold_leases(own_, batch.owner, batch.leases);
    auto out = empty_answers(batch);
    std::vector<const elastic::elastic_op*> ops;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (held.contains(slot_of(job_of(batch.ops[i]))))
        ops.push_back(&batch.ops[i]);
      else
        answer_fenced(out[i]);
    batch_rows rows{own_, now};
    rows.read(ops);
    batch_rules rules{rows};
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i].outcome != elastic::write_outcome::fenced)
        rules.decide(batch.ops[i], out[i]);
    rows.write();
    return out;
  });
}

} // namespace ringmaster::storage
