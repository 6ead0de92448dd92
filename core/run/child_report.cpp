#include "core/run/child_report.hpp"

#include <algorithm>

#include "core/run/trigger_text.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::string_view heading_begin = ">>>>>>>>>>>", heading_end = "<<<<<<<<<<<";

/// Parses a line such as `1/2 [Job ID=7], Trigger success, Trigger msg: null`; the job is empty for any other line.
reported_child child_in(std::string_view line, std::string_view started) {
  constexpr std::string_view id = "ID=";
  const auto begin = line.find(id);
  const auto end = line.find(']', begin == std::string_view::npos ? 0 : begin);
  if (begin == std::string_view::npos || end == std::string_view::npos)
    return {};
  return {line.substr(begin + id.size(), end - begin - id.size()), line.substr(end).find(started) != std::string_view::npos};
}

} // namespace

parent_report read_children(std::string_view report) {
  for (const auto written : {language::zh_cn, language::zh_tc, language::en}) {
    const auto heading = std::string{heading_begin}.append(child_heading(written)).append(heading_end);
    const auto at = report.rfind(heading);
    if (at == std::string_view::npos)
      continue;
    parent_report out{trimmed(report.substr(0, at)), {}};
    for (auto rest = report.substr(at + heading.size()); !rest.empty();) {
      const auto end = std::min(rest.find('\n'), rest.size());
      if (const auto child = child_in(rest.substr(0, end), child_success(written)); !child.job.empty())
        out.children.push_back(child);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
  }
  return {report, {}};
}

} // namespace ringmaster::core
