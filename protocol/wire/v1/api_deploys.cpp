#include "protocol/wire/v1/api_deploys.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/columns.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr std::size_t files_max = 1000;
constexpr std::size_t file_name_chars = 255;
constexpr std::int64_t revision_max = 999'999'999'999'999'999;

/// Returns true for a valid file name; a line of a message begins with the name.
bool is_file_name(std::string_view name) {
  const auto odd = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  return !core::is_blank(name) && core::fits(name, file_name_chars) && std::none_of(name.begin(), name.end(), odd);
}

/// Names in the order of `core::change_kind`.
constexpr std::array<std::string_view, 4> kind_names{"create", "update", "unchanged", "remove"};

void append_change(std::string& out, const core::deploy_change& change) {
  json_object row{out};
  row.text("kind", kind_names[static_cast<std::size_t>(change.kind)]);
  row.text("object", change.object);
  row.raw("fields", json_array(change.fields));
}

struct file_error {
  std::string_view file;
  std::optional<std::int64_t> line;
  std::string_view what;
};

file_error take_apart(std::string_view text) {
  for (auto at = text.find(": "); at != std::string_view::npos; at = text.find(": ", at + 1)) {
    const auto head = text.substr(0, at);
    const auto colon = head.rfind(':');
    std::int64_t line = 0;
    if (colon == std::string_view::npos)
      continue;
    const auto [rest, problem] = std::from_chars(head.data() + colon + 1, head.data() + head.size(), line);
    if (problem == std::errc{} && rest == head.data() + head.size())
      return {head.substr(0, colon), line, text.substr(at + 2)};
  }
  return {{}, std::nullopt, text};
}

/// Returns an empty text when the member is missing. An answer may have members that this release does not know.
std::string text_in(const nlohmann::json& of, const char* name) {
  const auto at = of.find(name);
  return at != of.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

void append_error(std::string& out, std::string_view text) {
  const auto error = take_apart(text);
  json_object row{out};
  if (error.line) {
    row.text("file", error.file);
    row.number("line", *error.line);
  } else {
    row.null("file");
    row.null("line");
  }
  row.text("detail", error.what);
}

} // namespace

core::result<api_apply> parse_api_apply(std::string_view body) {
  return read_api_object(body, [](api_members& in) {
    api_apply out;
    out.source = in.maybe_text("source").value_or("apply");
    if (core::is_blank(out.source) || !core::fits(out.source, core::source_chars))
      in.wrong("source", "must have 1 to " + std::to_string(core::source_chars) + " characters");
    out.revision = in.maybe_number("revision", 0, revision_max).value_or(0);
    out.dry_run = in.optional_boolean("dry_run").value_or(false);
    out.prune = in.optional_boolean("prune").value_or(false);
    out.prune_all = in.optional_boolean("prune_all").value_or(false);
    in.objects("files", files_max, [&](api_members& file) {
      auto name = file.needed_text("name");
      if (!is_file_name(name))
        file.wrong("name", "is not a valid file name");
      out.files.emplace_back(std::move(name), file.needed_text("text"));
    });
    if (out.files.empty())
      in.wrong("files", "must have at least one");
    return out;
  });
}

core::result<api_export> api_export_of(const form& sent) {
  const auto id = api_id_of(sent, "group");
  if (!id)
    return tl::unexpected{id.error()};
  api_export out;
  if (*id)
    out.group = core::group_id{**id};
  if (const auto source = sent.text("source")) {
    if (core::is_blank(*source) || !core::fits(*source, core::source_chars))
      return core::fail(core::errc::invalid_argument,
                        "the parameter source must have 1 to " + std::to_string(core::source_chars) + " characters");
    out.source = std::string{*source};
  }
  return out;
}

std::string api_deploy_report(const core::deploy_report& report, bool dry_run) {
  return json_object_of([&](json_object& document) {
    document.boolean("dry_run", dry_run);
    document.raw("changes", json_array(report.changes, append_change));
    if (report.on_their_way)
      document.number("on_their_way", static_cast<std::int64_t>(*report.on_their_way));
    else
      document.null("on_their_way");
    document.raw("warnings", json_array(report.warnings));
  });
}

std::string api_file_errors(std::string_view context) {
  std::vector<std::string_view> lines;
  while (!context.empty() && lines.size() < file_errors_max) {
    const auto end = std::min(context.find('\n'), context.size());
    if (end > 0)
      lines.push_back(context.substr(0, end));
    context.remove_prefix(std::min(end + 1, context.size()));
  }
  return json_array(lines, append_error);
}

std::string api_apply_body(const api_apply& wanted) {
  return json_object_of([&](json_object& body) {
    body.text("source", wanted.source);
    body.number("revision", wanted.revision);
    body.boolean("dry_run", wanted.dry_run);
    body.boolean("prune", wanted.prune);
    if (wanted.prune_all)
      body.boolean("prune_all", true);
    body.raw("files", json_array(wanted.files, [](std::string& to, const auto& file) {
               json_object row{to};
               row.text("name", file.first);
               row.text("text", file.second);
             }));
  });
}

core::result<api_applied> parse_api_applied(std::string_view body) {
  const auto document = nlohmann::json::parse(body, nullptr, false);
  const auto wrong = core::fail(core::errc::invalid_argument, "unexpected answer of the server to an apply");
  if (!document.is_object() || !document.contains("changes") || !document["changes"].is_array())
    return wrong;
  api_applied out;
  out.dry_run = document.contains("dry_run") && document["dry_run"] == true;
  for (const auto& row : document["changes"]) {
    const auto kind = std::find(kind_names.begin(), kind_names.end(), text_in(row, "kind"));
    if (kind == kind_names.end())
      return wrong;
    auto& change = out.report.changes.emplace_back();
    change.kind = static_cast<core::change_kind>(kind - kind_names.begin());
    change.object = text_in(row, "object");
    if (row.contains("fields") && row["fields"].is_array())
      for (const auto& field : row["fields"])
        if (field.is_string())
          change.fields.push_back(field.get<std::string>());
  }
  if (document.contains("warnings") && document["warnings"].is_array())
    for (const auto& warning : document["warnings"])
      if (warning.is_string())
        out.report.warnings.push_back(warning.get<std::string>());
  out.report.on_their_way.reset();
  if (document.contains("on_their_way") && document["on_their_way"].is_number_unsigned())
    out.report.on_their_way = document["on_their_way"].get<std::size_t>();
  return out;
}

std::string api_problem_lines(std::string_view body) {
  const auto problem = nlohmann::json::parse(body, nullptr, false);
  if (!problem.is_object())
    return {};
  std::string out;
  if (const auto errors = problem.find("errors"); errors != problem.end() && errors->is_array())
    for (const auto& each : *errors) {
      if (!each.is_object())
        continue;
      const auto line = each.find("line");
      if (line != each.end() && line->is_number_integer())
        out += text_in(each, "file") + ':' + std::to_string(line->get<std::int64_t>()) + ": ";
      out += text_in(each, "detail") + '\n';
    }
  return out.empty() ? text_in(problem, "detail") : out;
}

} // namespace ringmaster::protocol::wire
