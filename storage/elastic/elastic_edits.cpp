#include "storage/elastic/elastic_edits.hpp"

#include "core/rules/audit_rules.hpp"
#include "core/schedule/schedule_rules.hpp"
#include "core/text/text.hpp"
#include "storage/admin/audit_row.hpp"
#include "storage/admin/job_writes.hpp"
#include "storage/elastic/job_reads.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

constexpr std::size_t server_chars = 255;

} // namespace

core::result<void> check_server(const std::string& server) {
  if (server.empty() || !core::fits(server, server_chars) || core::valid_utf8(server) != server)
    return core::fail(core::errc::invalid_argument, "the id or IP address of a host is empty, too long, or not UTF-8");
  return {};
}

core::result<elastic::elastic_job_row> hold_elastic_job(admin_session& own, elastic::elastic_job_id job,
                                                        core::group_right wanted, const core::principal& by) {
  // Statements that join would lock both tables in the order of the server's choice.
  const bool exists = own.finds("SELECT id FROM ej_job WHERE id = ? $for_update", job);
  (void) own.finds("SELECT job FROM ej_schedule WHERE job = ? $for_update", job);
  auto found = exists ? find_elastic_job(own, job) : std::nullopt;
  if (!found)
    return core::fail(core::errc::not_found, "unknown elastic job " + std::to_string(core::number(job)));
  if (auto may = core::check_right(by, wanted, found->what.group); !may)
    return tl::unexpected{may.error()};
  return std::move(*found);
}

std::int64_t note_elastic_edit(admin_session& own, elastic::elastic_job_id job) {
  const auto revision = next_revision(own);
  own.execute("UPDATE ej_schedule SET revision = ? WHERE job = ?", revision, job);
  return revision;
}

core::result<core::schedule_rules::rule> rule_of(const core::zone& where, const elastic::elastic_definition& of) {
  return core::schedule_rules{where}.of(of.options.schedule, of.options.schedule_conf, of.options.timing);
}

core::result<core::counted_again> times_from(const core::zone& where, const elastic::elastic_definition& of,
                                             elastic::elastic_job_id job, core::time_point last, core::time_point now) {
  const auto rule = rule_of(where, of);
  if (!rule)
    return tl::unexpected{rule.error()};
  return core::count_again({core::job_id{core::number(job)}, now, last}, **rule, now);
}

void store_times(admin_session& own, elastic::elastic_job_id job, const core::counted_again& times) {
  own.execute("UPDATE ej_schedule SET next_ms = ?, last_ms = ? WHERE job = ?", times.next ? core::to_ms(*times.next) : 0,
              times.last, job);
}

std::vector<core::audit_line> applied_lines(const std::string& source, std::string_view kind,
                                            const std::vector<core::audit_line>& fields) {
  std::vector<core::audit_line> out{core::remark_line("source: " + source), "kind: " + std::string{kind}};
  out.insert(out.end(), fields.begin(), fields.end());
  return out;
}

void audit_elastic(admin_session& own, const core::principal& by, core::audit_action action, elastic::elastic_job_id job,
                   std::string_view name, const std::vector<core::audit_line>& lines, core::time_point now) {
  const auto object = core::number(job) == 0 ? core::audit_object::elastic_host : core::audit_object::elastic_job;
  write_audit(own, core::audit_of(by, action, object, core::number(job), name, lines, now));
}

} // namespace ringmaster::storage
