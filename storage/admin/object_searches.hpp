#pragma once

#include "storage/admin/admin_session.hpp"
#include "storage/search_store.hpp"

namespace ringmaster::storage {

/// Search over all kinds of objects (`object_searches.cpp`), and open alarms (`open_alarms.cpp`).
class search_role final : public search_store {
public:
  explicit search_role(admin_session& own) : own_{own} {}

  core::result<core::found_objects> find(const core::object_search& search, const core::principal& by,
                                         const std::function<bool()>& go_on) override;
  core::result<core::open_alarm_list> open_alarms(std::size_t limit, const core::principal& by) override;

private:
  admin_session& own_;
};

} // namespace ringmaster::storage
