// Contents of declared files for `ringmaster export`.

#include "storage/sqlite/jobs/exports.hpp"

#include "storage/rows/export_row.hpp"
#include "storage/sqlite/firing/alarm_rows.hpp"

namespace ringmaster::storage::sqlite {

namespace {

constexpr char list_groups[] = "SELECT g.id, g.app_name, g.title, g.address_type, g.address_list, x.source FROM xxl_job_group g "
                               "LEFT JOIN rm_group_ext x ON x.group_id = g.id ORDER BY g.id";
constexpr char list_jobs[] =
  RINGMASTER_EXPORT_COLUMNS("job_desc") RINGMASTER_EXPORT_OPTIONS "WHERE i.id > ?1 ORDER BY i.id LIMIT ?2";
constexpr char find_job_row[] = RINGMASTER_EXPORT_COLUMNS("job_desc") RINGMASTER_EXPORT_OPTIONS "WHERE i.id = ?1";

/// The view of a reader. A failure stays with the connection, and the end of the transaction returns it.
class view final : public export_view {
public:
  explicit view(connection& db) : db_{db} {}

  core::result<std::vector<exported_group>> groups() override {
    std::vector<exported_group> out;
    auto found = db_.prepare(list_groups);
    found.with();
    while (found.step())
      out.push_back({found.id<core::group_id>(0), std::string{found.text(1)}, std::string{found.text(2)},
                     found.number(3) == 0 ? core::address_type::automatic : core::address_type::manual,
                     std::string{found.text(4)}, std::string{found.text(5)}});
    return checked(std::move(out));
  }

  core::result<std::vector<exported_alarm>> alarms() override {
    std::vector<exported_alarm> out;
    for (auto& held : read_alarm_rules(db_))
      out.push_back({std::move(held.rule), std::move(held.source)});
    return checked(std::move(out));
  }

  core::result<std::vector<core::job_record>> jobs_after(core::job_id after, std::size_t limit) override {
    std::vector<core::job_record> out;
    auto found = db_.prepare(list_jobs);
    found.with(after, limit);
    while (found.step())
      out.push_back(exported_job_of<int>(found, true));
    return checked(std::move(out));
  }

  core::result<std::vector<core::job_record>> jobs(std::span<const core::job_id> ids) override {
    std::vector<core::job_record> out;
    auto found = db_.prepare(find_job_row);
    for (const auto id : ids)
      if (found.with(id).step())
        out.push_back(exported_job_of<int>(found, true));
    return checked(std::move(out));
  }

private:
  template <class T>
  core::result<T> checked(T&& rows) {
    if (db_.failed())
      return core::fail(core::errc::unavailable, "the database cannot be read");
    return std::move(rows);
  }

  connection& db_;
};

} // namespace

core::result<void> export_role::look(const reader& read) {
  return within(*own_.db, transaction_kind::read, [&](connection& db) -> core::result<void> {
    view now{db};
    return read(now);
  });
}

} // namespace ringmaster::storage::sqlite
