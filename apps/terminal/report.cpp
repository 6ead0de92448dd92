#include "apps/terminal/report.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <sstream>
#include <system_error>

#include "apps/terminal/command_options.hpp"
#include "apps/terminal/table_text.hpp"
#include "core/text/text.hpp"
#include "core/zone/zone.hpp"
#include "protocol/wire/v1/api_deploys.hpp"

namespace ringmaster::apps {

namespace {

const char* sign_of(core::change_kind kind) {
  return kind == core::change_kind::create ? "+ " : kind == core::change_kind::remove ? "- " : "~ ";
}

std::string for_log(const std::string& field) {
  if (field.starts_with("params: "))
    return "params: changed";
  std::string line = field;
  std::replace_if(line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
  return line;
}

} // namespace

int complain(const core::error& error) {
  // File names may contain arbitrary bytes.
  std::istringstream lines{core::valid_utf8(error.context)};
  for (std::string line; std::getline(lines, line);)
    std::fprintf(stderr, "ringmaster: %s\n", line.c_str());
  return error.code == core::errc::invalid_argument ? exit_usage : exit_failed;
}

int tell_once(const std::string& text, const std::string& done, const std::string& remedy) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0)
    return exit_done;
  const auto why = std::generic_category().message(errno);
  std::clearerr(stdout); // complain() reports the failure below
  return complain(
    {core::errc::unavailable, done + ", but could not be printed: cannot write to standard output: " + why + "; " + remedy});
}

std::string iso_utc(core::time_point t) {
  auto text = core::zone{}.format(t);
  text[10] = 'T';
  std::array<char, 8> tail{};
  auto ms = (t - core::cut_to_second(t)).count();
  std::snprintf(tail.data(), tail.size(), ".%03dZ", static_cast<int>(ms));
  return text + tail.data();
}

std::string describe(const core::deploy_report& report, bool dry_run) {
  std::string text;
  std::array<std::size_t, 4> count{};
  for (const auto& change : report.changes) {
    ++count[static_cast<std::size_t>(change.kind)];
    if (change.kind == core::change_kind::unchanged)
      continue;
    text += sign_of(change.kind) + change.object + '\n';
    for (const auto& field : change.fields)
      text += "    " + field.text + '\n';
  }
  text += dry_run ? "would be: " : "";
  text += std::to_string(count[0]) + " created, " + std::to_string(count[1]) + " updated, " + std::to_string(count[3]) +
          " removed, " + std::to_string(count[2]) + " unchanged\n";
  return text + on_their_way_text(report.on_their_way);
}

void print_warnings(const core::deploy_report& report) {
  for (const auto& warning : report.warnings)
    std::fprintf(stderr, "ringmaster: warning: %s\n", one_line(warning).c_str());
}

std::string on_their_way_text(std::optional<std::size_t> runs) {
  if (!runs)
    return "it is unknown whether earlier claimed runs are still being sent: the database did not answer\n";
  return *runs == 0 ? "" : std::to_string(*runs) + " earlier claimed runs are still being sent\n";
}

std::vector<std::string> log_lines(const core::deploy_report& report) {
  std::vector<std::string> lines;
  for (const auto& change : report.changes) {
    if (change.kind == core::change_kind::unchanged)
      continue;
    auto& line = lines.emplace_back(sign_of(change.kind) + change.object);
    for (const auto& field : change.fields)
      line.append(&field == &change.fields.front() ? ": " : "; ").append(for_log(field.text));
  }
  return lines;
}

std::string describe_json(const core::deploy_report& report, bool dry_run) {
  return protocol::wire::api_deploy_report(report, dry_run) + '\n';
}

} // namespace ringmaster::apps
