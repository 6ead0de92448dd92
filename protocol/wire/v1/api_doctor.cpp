#include "protocol/wire/v1/api_doctor.hpp"

#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

std::string_view api_name(core::finding::level how) noexcept {
  using level = core::finding::level;
  return how == level::fine ? "ok" : how == level::warning ? "warning" : "failed";
}

std::string api_doctor_report(const api_doctor& report) {
  return json_object_of([&](json_object& told) {
    report.at ? told.number("at_ms", core::to_ms(*report.at)) : told.null("at_ms");
    told.text("node", report.node);
    told.text("state", report.state);
    told.raw("findings", json_array(report.findings, [](std::string& out, const core::finding& each) {
               json_object row{out};
               row.text("check", each.what);
               row.text("level", api_name(each.how));
               row.text("text", each.detail);
               append_text_or_null(row, "remedy", each.remedy);
             }));
  });
}

} // namespace ringmaster::protocol::wire
