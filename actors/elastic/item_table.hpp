#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "actors/elastic/job_item.hpp"

namespace ringmaster::actors {

/// Items of one job, in ascending order. An idle item of which there is nothing to remember takes a tenth of the memory of
/// another one: it becomes a `job_item` when it is looked up, and `compact` turns it back. Owned by its coordination; one thread.
class item_table {
public:
  using item_number = core::elastic::item_number;

  void reserve(std::size_t items) { places_.reserve(items); }
  [[nodiscard]] bool contains(item_number which) const noexcept;
  /// Returns null if there is no such item. References stay valid until `compact`, `erase` or `clear`.
  [[nodiscard]] job_item* find(item_number which);
  /// Precondition: there is such an item.
  [[nodiscard]] job_item& at(item_number which) { return *find(which); }
  /// Returns the item, which is created if there is none.
  job_item& add(item_number which);
  void erase(item_number which);
  void clear();
  /// Frees the memory of the items that were looked up and are idle.
  void compact();

  /// Returns the number of the items for which `counts(item_number, bool is_disabled)` returns true.
  template <class Counts>
  [[nodiscard]] std::size_t count_if(Counts counts) const {
    std::size_t out = 0;
    for (const auto& each : places_)
      out += counts(each.which, each.full ? each.full->state.disabled : each.disabled) ? 1 : 0;
    return out;
  }
  /// Calls `visit(const job_item&)` for all items but compact ones.
  template <class Visit>
  void for_each_full(Visit visit) const {
    for (const auto& each : places_)
      if (each.full)
        visit(*each.full);
  }

private:
  /// Item, with what is to remember of it while it is idle; `full` replaces that.
  struct place {
    item_number which{};
    bool disabled = false;
    bool surplus = false;
    bool looked_up = false;
    core::elastic::fence_number fence{};
    /// Host of the last run.
    core::elastic::host_process host = {};
    std::unique_ptr<job_item> full = {};
  };

  /// Returns the index of the first place that is not before the item.
  [[nodiscard]] std::size_t index_of(item_number which) const noexcept;
  /// Returns null if there is no such item.
  [[nodiscard]] place* place_of(item_number which) noexcept;
  job_item& look_up(place& in);

  std::vector<place> places_;
  std::vector<item_number> looked_up_;
};

} // namespace ringmaster::actors
