#include "config/command_table.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "config/text/table_fields.hpp"

namespace ringmaster::config {

namespace {

using namespace std::string_view_literals;

constexpr std::array command_keys{"name"sv, "program"sv, "arguments"sv, "folder"sv, "append_param"sv};
/// A handler's name must fit a column of 255 characters.
constexpr text_limit name_limit{1, 255}, path_limit{1, 4096}, folder_limit{0, 4096};

command_settings read_command(table_fields& in) {
  in.check_names(command_keys, {});
  command_settings out;
  out.name = in.text("name", name_limit);
  out.program = in.text("program", path_limit);
  out.arguments = in.texts("arguments").value_or(std::vector<std::string>{});
  if (std::any_of(out.arguments.begin(), out.arguments.end(), [](const auto& one) { return one.find('\0') != one.npos; }))
    in.refuse("arguments", "must not contain NUL");
  out.folder = in.text("folder", folder_limit);
  out.append_param = in.flag("append_param", false);
  return out;
}

} // namespace

std::vector<command_settings> read_commands(const toml::source_region& at, const toml::node& node, problems& found) {
  std::vector<command_settings> out;
  const auto* tables = node.as_array();
  if (!tables || !tables->is_array_of_tables()) {
    found.add(at, "command: expected a table in double brackets, [[command]]");
    return out;
  }
  for (const toml::node& each : *tables) {
    table_fields in{*each.as_table(), found};
    auto command = read_command(in);
    if (std::any_of(out.begin(), out.end(), [&](const auto& other) { return other.name == command.name; }))
      in.refuse("name", "'" + command.name + "' is the name of another command");
    out.push_back(std::move(command));
  }
  return out;
}

} // namespace ringmaster::config
