// Contents of declared files for `ringmaster export`.

#include "storage/admin/exports.hpp"

#include "storage/rows/export_row.hpp"

namespace ringmaster::storage {

namespace {

#define RINGMASTER_EXPORT_OF_XXL RINGMASTER_EXPORT_COLUMNS("$job_name") " FROM xxl_job_info i "
#define RINGMASTER_EXPORT_OF_BOTH RINGMASTER_EXPORT_COLUMNS("$job_name") RINGMASTER_EXPORT_OPTIONS

/// The view of a reader, with or without our own tables.
class view final : public export_view {
public:
  view(admin_session& own, export_role::elastic_page elastic_jobs)
    : own_{own}, elastic_jobs_{elastic_jobs}, ours_{own.facts().own_tables} {}

  core::result<std::vector<exported_group>> groups() override {
    return asked([&] {
      std::vector<exported_group> out;
      auto found = ours_ ? own_.query("SELECT g.id, g.app_name, g.$group_title, g.address_type, g.address_list, x.source"
                                      " FROM xxl_job_group g LEFT JOIN rm_group_ext x ON x.group_id = g.id ORDER BY g.id")
                         : own_.query("SELECT g.id, g.app_name, g.$group_title, g.address_type, g.address_list"
                                      " FROM xxl_job_group g ORDER BY g.id");
      while (found.next())
        out.push_back({found.id<core::group_id>(0), found.string(1), found.string(2),
                       found.number(3) == 0 ? core::address_type::automatic : core::address_type::manual, found.string(4),
                       ours_ ? found.string(5) : std::string{}});
      return out;
    });
  }

  core::result<std::vector<exported_alarm>> alarms() override {
    return asked([&] {
      std::vector<exported_alarm> out;
      if (ours_)
        for (auto& held : own_.alarm_rules())
          out.push_back({std::move(held.rule), std::move(held.source)});
      return out;
    });
  }

  core::result<std::vector<core::job_record>> jobs_after(core::job_id after, std::size_t limit) override {
    return asked([&] {
      std::vector<core::job_record> out;
      auto found = ours_ ? own_.query(RINGMASTER_EXPORT_OF_BOTH "WHERE i.id > ? ORDER BY i.id LIMIT ?", after, limit)
                         : own_.query(RINGMASTER_EXPORT_OF_XXL "WHERE i.id > ? ORDER BY i.id LIMIT ?", after, limit);
      while (found.next())
        out.push_back(exported_job_of(found, ours_));
      return out;
    });
  }

  core::result<std::vector<core::elastic::elastic_job_row>> elastic_jobs_after(core::elastic::elastic_job_id after,
                                                                               std::size_t limit) override {
    return asked([&] {
      return ours_ ? elastic_jobs_(own_, after, limit) : std::vector<core::elastic::elastic_job_row>{};
    });
  }

  core::result<std::vector<core::job_record>> jobs(std::span<const core::job_id> ids) override {
    return asked([&] {
      std::vector<core::job_record> out;
      const std::vector<core::job_id> wanted{ids.begin(), ids.end()};
      const auto take = [&](const sql_rows& row) { out.push_back(exported_job_of(row, ours_)); };
      if (ours_)
        own_.query_in(RINGMASTER_EXPORT_OF_BOTH "WHERE i.id IN ({?,})", wanted, take);
      else
        own_.query_in(RINGMASTER_EXPORT_OF_XXL "WHERE i.id IN ({?,})", wanted, take);
      return out;
    });
  }

private:
  template <class Ask>
  auto asked(Ask ask) -> core::result<std::invoke_result_t<Ask&>> {
    std::invoke_result_t<Ask&> out;
    if (auto done = own_.attempt([&] { out = ask(); }); !done)
      return tl::unexpected{std::move(done.error())};
    return out;
  }

  admin_session& own_;
  export_role::elastic_page elastic_jobs_;
  bool ours_;
};

#undef RINGMASTER_EXPORT_OF_BOTH
#undef RINGMASTER_EXPORT_OF_XXL

} // namespace

core::result<void> export_role::look(const reader& read) {
  return own_.snapshot([&]() -> core::result<void> {
    view now{own_, elastic_jobs_};
    return read(now);
  });
}

} // namespace ringmaster::storage
