// Contents of declared files for `ringmaster export`.

#include "storage/mysql/jobs/exports.hpp"

#include <exception>

#include "storage/mysql/driver/batches.hpp"
#include "storage/mysql/firing/alarm_rows.hpp"
#include "storage/rows/export_row.hpp"

namespace ringmaster::storage::mysql {

namespace {

constexpr const char* xxl_columns = RINGMASTER_EXPORT_COLUMNS("$job_name") " FROM xxl_job_info i ";
constexpr const char* export_columns = RINGMASTER_EXPORT_COLUMNS("$job_name") RINGMASTER_EXPORT_OPTIONS;

/// The view of a reader. Catches the driver's errors and throws them again in `raise`, after the reader has returned.
class view final : public export_view {
public:
  explicit view(session& own) : own_{own}, ours_{own.shape.own_tables} {}

  core::result<std::vector<exported_group>> groups() override {
    return asked([&] {
      std::vector<exported_group> out;
      auto found = ours_ ? own_.db.query("SELECT g.id, g.app_name, g.$group_title, g.address_type, g.address_list, x.source"
                                         " FROM xxl_job_group g LEFT JOIN rm_group_ext x ON x.group_id = g.id ORDER BY g.id")
                         : own_.db.query("SELECT g.id, g.app_name, g.$group_title, g.address_type, g.address_list"
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
        for (auto& held : read_alarm_rules(own_.db))
          out.push_back({std::move(held.rule), std::move(held.source)});
      return out;
    });
  }

  core::result<std::vector<core::job_record>> jobs_after(core::job_id after, std::size_t limit) override {
    return asked([&] {
      std::vector<core::job_record> out;
      auto& some = ours_ ? own_.db.prepare({export_columns, "WHERE i.id > ? ORDER BY i.id LIMIT ?"})
                         : own_.db.prepare({xxl_columns, "WHERE i.id > ? ORDER BY i.id LIMIT ?"});
      for (auto found = some.add(after).add(limit).select(); found.next();)
        out.push_back(exported_job_of<std::size_t>(found, ours_));
      return out;
    });
  }

  core::result<std::vector<core::job_record>> jobs(std::span<const core::job_id> ids) override {
    return asked([&] {
      std::vector<core::job_record> out;
      for (const auto part : padded_chunks(ids.size())) {
        auto& some = ours_ ? own_.db.prepare({export_columns, "WHERE i.id IN ({?,})"}, part.rows)
                           : own_.db.prepare({xxl_columns, "WHERE i.id IN ({?,})"}, part.rows);
        for (std::size_t i = 0; i < part.rows; ++i)
          some.add(ids[part.at(i)]);
        for (auto found = some.select(); found.next();)
          out.push_back(exported_job_of<std::size_t>(found, ours_));
      }
      return out;
    });
  }

  void raise() const {
    if (failure_)
      std::rethrow_exception(failure_);
  }

private:
  template <class Ask>
  auto asked(Ask ask) -> core::result<std::invoke_result_t<Ask>> {
    try {
      return ask();
    } catch (const std::exception& failure) {
      failure_ = std::current_exception();
      return core::fail(core::errc::unavailable, failure.what());
    }
  }

  session& own_;
  bool ours_;
  std::exception_ptr failure_;
};

} // namespace

core::result<void> export_role::look(const reader& read) {
  return own_.db.read([&]() -> core::result<void> {
    own_.db.command("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    own_.db.command("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    view now{own_};
    auto done = read(now);
    now.raise();
    own_.db.command("ROLLBACK");
    return done;
  });
}

} // namespace ringmaster::storage::mysql
