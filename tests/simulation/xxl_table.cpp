#include "tests/simulation/xxl_table.hpp"

#include "tests/support/memory_database.hpp"

namespace ringmaster::simulation {

namespace {

constexpr char every_row[] = "SELECT id, trigger_status, trigger_last_time, trigger_next_time, schedule_type, schedule_conf,"
                             " executor_param, misfire_strategy FROM xxl_job_info ORDER BY id";
constexpr char one_row[] = "SELECT id, trigger_status, trigger_last_time, trigger_next_time, schedule_type, schedule_conf,"
                           " executor_param, misfire_strategy FROM xxl_job_info WHERE id = ?1";

xxl_row read(const storage::sqlite::statement& from) {
  return {from.id<core::job_id>(0), from.number(1) == 1, from.time_ms(2), from.time_ms(3), std::string{from.text(4)},
          std::string{from.text(5)}, std::string{from.text(6)},
          core::find_misfire_policy(from.text(7)).value_or(core::misfire_policy::do_nothing)};
}

} // namespace

std::vector<xxl_row> played_table::rows() {
  std::vector<xxl_row> all;
  auto listing = db_.prepare(every_row);
  for (listing.with(); listing.step();)
    all.push_back(read(listing));
  return all;
}

std::optional<xxl_row> played_table::row(core::job_id job) {
  auto reading = db_.prepare(one_row);
  return reading.with(job).step() ? std::optional{read(reading)} : std::nullopt;
}

std::vector<xxl_row> xxl_table::due(core::time_point until) {
  auto all = rows();
  std::erase_if(all, [&](const xxl_row& row) { return !row.running || row.next > until; });
  return all;
}

void played_table::write(const xxl_row& row, xxl_columns which) {
  db_.run("UPDATE xxl_job_info SET trigger_last_time = ?2, trigger_next_time = ?3 WHERE id = ?1", row.id, row.last, row.next);
  if (which != xxl_columns::times)
    db_.run("UPDATE xxl_job_info SET trigger_status = ?2 WHERE id = ?1", row.id, row.running);
  if (which == xxl_columns::all)
    db_.run("UPDATE xxl_job_info SET schedule_conf = ?2, executor_param = ?3 WHERE id = ?1", row.id, row.conf, row.param);
}

core::schedule rule_of(const xxl_row& row) {
  return test::expect(
    core::schedule::compile(core::find_schedule_type(row.type).value_or(core::schedule_type::none), row.conf, core::zone{}));
}

std::vector<core::time_point> instants_between(const core::schedule& rule, core::time_point from,
                                               std::optional<core::time_point> to) {
  std::vector<core::time_point> all;
  const auto end = to.value_or(from + std::chrono::hours{1});
  for (auto at = rule.next(from - core::milliseconds{1}); at && *at < end; at = rule.next(*at))
    all.push_back(*at);
  return all;
}

} // namespace ringmaster::simulation
