#pragma once

// A played store of elastic jobs.

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/elastic/store_ops.hpp"

namespace ringmaster::test {

namespace elastic = core::elastic;

/// Agrees with each write, except for those of `lost_items` and with `lose_fires` those of fires: their guards are lost.
class agreeing_store {
public:
  std::vector<elastic::item_number> lost_items;
  bool lose_fires = false;

protected:
  elastic::elastic_answer answer_of(const elastic::elastic_op& op) {
    elastic::elastic_answer out{done_outcome};
    if (const auto* item = std::get_if<elastic::item_write>(&op)) {
      out.items.push_back(answer_of(*item));
      out.outcome = out.items.front().outcome;
    } else if (const auto* fire = std::get_if<elastic::fire_write>(&op)) {
      if (lose_fires)
        out.outcome = elastic::write_outcome::guard_lost;
      for (const auto& each : fire->items)
        out.items.push_back(lose_fires ? elastic::item_answer{} : answer_of(each));
    } else if (const auto* step = std::get_if<elastic::fire_step_write>(&op); step != nullptr && step->hook) {
      out.items.push_back(answer_of(*step->hook));
    }
    return out;
  }

private:
  elastic::item_answer answer_of(const elastic::item_write& what) {
    using enum elastic::write_outcome;
    if (std::find(lost_items.begin(), lost_items.end(), what.item) != lost_items.end())
      return {guard_lost};
    elastic::item_answer out{done_outcome};
    const auto grants = [&] {
      out.grant = done_outcome;
      out.run = elastic::item_run_id{++run_};
    };
    if (std::holds_alternative<elastic::item_grant>(what.what))
      grants();
    else if (const auto* end = std::get_if<elastic::action::write_end>(&what.what); end != nullptr && end->next.grant)
      grants();
    else if (const auto* loss = std::get_if<elastic::action::write_loss>(&what.what); loss != nullptr && loss->next.grant)
      grants();
    else if (const auto* wait = std::get_if<elastic::action::write_wait_end>(&what.what); wait != nullptr && wait->next.grant)
      grants();
    return out;
  }

  static constexpr auto done_outcome = elastic::write_outcome::done;

  std::int64_t run_ = 0;
};

} // namespace ringmaster::test
