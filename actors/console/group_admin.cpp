#include "actors/console/group_admin.hpp"

#include <memory>
#include <algorithm>
#include <utility>
#include <vector>
#include <vector>

#include "actors/store/store_access.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

protocol::group_page page_of(core::page<core::group_record>&& rows) { return {std::move(rows)}; }

protocol::group_page page_of(std::vector<core::group_record>&& rows) {
  const auto total = static_cast<std::int64_t>(rows.size());
  return {{std::move(rows), total, false}};
}

protocol::group_page page_of(protocol::group_page&& page) { return std::move(page); }

/// Returns the wanted part of the groups that the caller may see.
core::result<protocol::group_page> found_groups(storage::store& store, const protocol::visible_groups_query& query) {
  auto visible = store.group_editing().visible(query.by);
  if (!visible)
    return tl::unexpected{visible.error()};
  auto found = core::find_groups(std::move(*visible), query.find);
  const auto total = found.size();
  const auto begin = std::min(query.window.offset, total);
  const auto end = begin + std::min(query.window.limit, total - begin);
  found.erase(found.begin() + static_cast<std::ptrdiff_t>(end), found.end());
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(begin));
  protocol::group_page out{{std::move(found), static_cast<std::int64_t>(total), false}};
  if (!query.with_figures)
    return out;
  std::vector<core::group_id> ids;
  for (const auto& each : out.page.rows)
    ids.push_back(each.group.id);
  return store.group_editing().figures(ids).map([&out](std::vector<core::group_figures>&& figures) {
    out.figures = std::move(figures);
    return std::move(out);
  });
}

protocol::group_page page_of(core::group_record&& row) { return page_of(std::vector{std::move(row)}); }

} // namespace

group_admin_state::group_admin_state(protocol::group_admin::pointer self, query_workers stores,
                                     protocol::registry_monitor registry, protocol::wall_clock clock, logger log)
  : self_{self}, stores_{std::move(stores)}, registry_{std::move(registry)}, clock_{std::move(clock)}, log_{std::move(log)} {}

protocol::group_admin::behavior_type group_admin_state::make_behavior() {
  return {
    [this](protocol::save_group& command) { return save(std::move(command)); },
    [this](const protocol::remove_group& command) { return remove(command); },
    [this](const protocol::group_query& query) { return read(query); },
    [this](const protocol::group_page_query& query) { return list(query); },
    [this](const protocol::visible_groups_query& query) { return visible(query); },
  };
}

// -- edits -----------------------------------------------------------------------------------------------------------------

caf::result<protocol::saved_group> group_admin_state::save(protocol::save_group&& command) {
  auto promise = self_->make_response_promise<protocol::saved_group>();
  auto wanted = std::make_shared<const protocol::save_group>(std::move(command));
  ask_store<core::group_id>(
    self_, stores_.edits,
    [wanted, t = now()](storage::store& store) -> core::result<core::group_id> {
      auto& groups = store.group_editing();
      if (!wanted->id)
        return groups.add(wanted->draft, wanted->by, t);
      return groups.update(*wanted->id, wanted->draft, wanted->seen, wanted->by, t).map([&wanted] { return *wanted->id; });
    },
    [this, promise, wanted](core::result<core::group_id>&& outcome) mutable {
      edited(outcome ? nullptr : &outcome.error());
      if (!outcome)
        return promise.deliver(protocol::to_caf(outcome.error()));
      log_->info("group {} {} by {}", core::number(*outcome), wanted->id ? "changed" : "added", wanted->by.name);
      promise.deliver(protocol::saved_group{*outcome});
    });
  return promise;
}

caf::result<void> group_admin_state::remove(const protocol::remove_group& command) {
  auto promise = self_->make_response_promise<void>();
  ask_store<void>(
    self_, stores_.edits,
    [command, t = now()](storage::store& store) { return store.group_editing().remove(command.id, command.seen, command.by, t); },
    [this, promise, command](core::result<void>&& outcome) mutable {
      edited(outcome ? nullptr : &outcome.error());
      if (!outcome)
        return promise.deliver(protocol::to_caf(outcome.error()));
      log_->info("group {} removed by {}", core::number(command.id), command.by.name);
      promise.deliver();
    });
  return promise;
}

void group_admin_state::edited(const core::error* failure) {
  if (failure == nullptr || in_doubt(failure->code))
    protocol::send(self_, registry_, protocol::registry_hint{});
}

// -- lists -----------------------------------------------------------------------------------------------------------------

template <class T, class UseCase>
caf::result<protocol::group_page> group_admin_state::look(UseCase use_case) {
  auto promise = self_->make_response_promise<protocol::group_page>();
  ask_store<T>(self_, stores_.reads, std::move(use_case), [promise](core::result<T>&& found) mutable {
    if (!found)
      return promise.deliver(protocol::to_caf(found.error()));
    promise.deliver(page_of(std::move(*found)));
  });
  return promise;
}

caf::result<protocol::group_page> group_admin_state::read(const protocol::group_query& query) {
  return look<core::group_record>([query](storage::store& store) { return store.group_editing().read(query.id, query.by); });
}

caf::result<protocol::group_page> group_admin_state::list(const protocol::group_page_query& query) {
  return look<page>([query](storage::store& store) { return store.group_editing().page(query.search, query.by); });
}

caf::result<protocol::group_page> group_admin_state::visible(const protocol::visible_groups_query& query) {
  return look<protocol::group_page>([query](storage::store& store) { return found_groups(store, query); });
}

} // namespace ringmaster::actors
