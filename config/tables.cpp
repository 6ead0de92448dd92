#include "config/tables.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "config/text/table_fields.hpp"
#include "config/validate.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::config {

namespace {

using namespace std::string_view_literals;

constexpr std::array webhook_keys{"name"sv, "url"sv, "preset"sv, "secret"sv, "template"sv, "content_type"sv, "ca_file"sv};
constexpr std::array presets{"generic"sv, "dingtalk"sv, "wecom"sv, "feishu"sv, "slack"sv};
constexpr text_limit webhook_name_limit{1, 64}, file_limit{0, 4096}, type_limit{0, 255}, template_limit{0, 64 * 1024};

/// Reads a text or a reference to it.
std::string read_secret(table_fields& in, std::string_view key, const secret_reader& secret) {
  const auto* given = in.node(key);
  if (!given)
    return {};
  if (const auto* text = given->as_string())
    return text->get();
  const auto* table = given->as_table();
  const auto value = table ? secret(*table) : core::result<std::string>{core::fail(core::errc::invalid_argument,
                                                                                  std::string{secret_form})};
  if (value)
    return *value;
  in.refuse(key, value.error().context);
  return {};
}

bool has_host_and_port(std::string_view authority) {
  const auto place = core::split_host_port(authority);
  const auto port = place.port.value_or("");
  return place.is_plain && !place.host.empty() && (port.empty() || core::parse_port(port).value_or(0) > 0);
}

/// libcurl reads the URL again when it is called, so a text that two parsers may read differently is refused.
bool is_url(std::string_view text) {
  const auto url = core::split_url(text);
  return url.is_http() && has_host_and_port(url.authority) && !url.may_have_account() && text.size() <= 2048
         && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

bool is_printable_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c >= 0x7F; });
}

webhook_settings read_webhook(table_fields& in, const std::string& base_dir, const secret_reader& secret) {
  in.check_names(webhook_keys, {});
  webhook_settings out;
  out.name = in.text("name", webhook_name_limit);
  if (!is_node_name(out.name))
    in.refuse("name", "expected letters, digits, '-', '_' and '.'");
  else if (out.name == "mail")
    in.refuse("name", "\"mail\" is the channel of [mail]; choose another name");
  out.url = read_secret(in, "url", secret);
  if (!is_url(out.url))
    in.refuse("url", "expected http://host/… or https://host/…, without a user");
  out.preset = in.text("preset", {0, 16}, out.preset);
  if (std::find(presets.begin(), presets.end(), out.preset) == presets.end())
    in.refuse("preset", "\"" + out.preset + "\" is unknown; expected one of generic, dingtalk, wecom, feishu, slack" +
                          suggestion(out.preset, presets));
  out.secret = read_secret(in, "secret", secret);
  if (!out.secret.empty() && out.preset != "dingtalk" && out.preset != "feishu")
    in.refuse("secret", "only messages to dingtalk and feishu are signed");
  out.body_template = in.text("template", template_limit);
  out.content_type = in.text("content_type", type_limit, out.content_type);
  if (out.content_type.empty() || !is_printable_ascii(out.content_type))
    in.refuse("content_type", "expected printable ASCII");
  if (const auto file = in.text("ca_file", file_limit); !file.empty())
    out.ca_file = (std::filesystem::path{base_dir} / file).lexically_normal().string();
  return out;
}

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

/// Reads each table of a list, whose names are unique. `kind`: the name of the list.
template <class Settings, class Read>
std::vector<Settings> read_tables(std::string_view kind, const toml::source_region& at, const toml::node& node, problems& found,
                                  Read read) {
  std::vector<Settings> out;
  const auto* tables = node.as_array();
  if (!tables || !tables->is_array_of_tables()) {
    found.add(at, std::string{kind} + ": expected a table in double brackets, [[" + std::string{kind} + "]]");
    return out;
  }
  for (const toml::node& each : *tables) {
    table_fields in{*each.as_table(), found};
    auto one = read(in);
    if (std::any_of(out.begin(), out.end(), [&](const auto& other) { return other.name == one.name; }))
      in.refuse("name", "'" + one.name + "' is the name of another " + std::string{kind});
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace

std::vector<webhook_settings> read_webhooks(const toml::source_region& at, const toml::node& node, const std::string& base_dir,
                                            const secret_reader& secret, problems& found) {
  return read_tables<webhook_settings>("webhook", at, node, found,
                                       [&](table_fields& in) { return read_webhook(in, base_dir, secret); });
}

std::vector<command_settings> read_commands(const toml::source_region& at, const toml::node& node, problems& found) {
  return read_tables<command_settings>("command", at, node, found, &read_command);
}

} // namespace ringmaster::config
