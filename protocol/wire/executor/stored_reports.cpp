#include "protocol/wire/executor/stored_reports.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/json/json_reader.hpp"

namespace ringmaster::protocol::wire {

namespace {

std::optional<core::run_report> read_report(json_reader& in) {
  core::run_report out;
  std::optional<std::int64_t> run;
  in.object([&](std::string_view name) {
    using limits = std::numeric_limits<std::int32_t>;
    if (name == "logId")
      run = in.integer();
    else if (name == "logDateTim" || name == "logDateTime")
      out.log_time = core::from_ms(in.integer().value_or(0));
    else if (name == "jobId")
      out.job = core::job_id{static_cast<std::int32_t>(std::clamp<std::int64_t>(in.integer().value_or(0), 0, limits::max()))};
    else if (name == "handleCode")
      out.code = static_cast<std::int32_t>(std::clamp<std::int64_t>(in.integer().value_or(0), limits::min(), limits::max()));
    else if (name == "handleMsg")
      out.message = in.text();
  });
  out.run = core::log_id{run.value_or(0)};
  return run ? std::optional{std::move(out)} : std::nullopt;
}

} // namespace

std::string encode_stored_reports(std::span<const core::run_report> reports) {
  return json_array(reports, [](std::string& out, const core::run_report& report) {
    json_object item{out};
    item.number("logId", core::number(report.run));
    item.number("logDateTim", core::to_ms(report.log_time));
    if (report.job != core::job_id{})
      item.number("jobId", core::number(report.job));
    item.number("handleCode", report.code);
    if (report.message)
      item.text("handleMsg", *report.message);
  });
}

core::result<std::vector<core::run_report>> parse_stored_reports(std::string_view text) {
  std::vector<core::run_report> reports;
  json_reader in{text};
  if (in.peek() != json_kind::array)
    return core::fail(core::errc::invalid_argument, "not a JSON array");
  in.array([&] {
    if (auto report = read_report(in))
      reports.push_back(std::move(*report));
  });
  if (!in.finish())
    return core::fail(core::errc::invalid_argument, in.error());
  if (reports.empty())
    return core::fail(core::errc::invalid_argument, "contains no report");
  return reports;
}

} // namespace ringmaster::protocol::wire
