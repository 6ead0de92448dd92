// Numbers of jobs of groups, and whether the groups have tokens.

#include "storage/admin/group_writes.hpp"

namespace ringmaster::storage {

namespace {

constexpr sql_text tokens_of_java{"SELECT id, 1 FROM xxl_job_group WHERE id IN ({?,}) AND access_token <> ''"};
constexpr sql_text tokens_of_ours{"SELECT group_id, 1 FROM rm_group_token WHERE group_id IN ({?,}) AND token <> ''"};

} // namespace

core::result<std::vector<core::group_figures>> group_editor_role::figures(const std::vector<core::group_id>& groups) {
  return own_.read([&]() -> core::result<std::vector<core::group_figures>> {
    std::vector<core::group_figures> out;
    for (const auto group : groups)
      out.push_back({group});
    const auto update = [&out](core::group_id group, auto change) {
      for (auto& each : out)
        if (each.group == group)
          change(each);
    };
    own_.query_in("SELECT job_group, COUNT(*) FROM xxl_job_info WHERE job_group IN ({?,}) GROUP BY job_group", groups,
                  [&](const sql_rows& row) {
                    update(row.id<core::group_id>(0), [&](core::group_figures& each) { each.jobs = row.number(1); });
                  });
    own_.query_in(own_.facts().group_token ? tokens_of_java : tokens_of_ours, groups, [&](const sql_rows& row) {
      update(row.id<core::group_id>(0), [](core::group_figures& each) { each.has_token = true; });
    });
    return out;
  });
}

} // namespace ringmaster::storage
