#include "config/webhook_table.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

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

bool is_url(std::string_view text) {
  const auto url = core::split_url(text);
  return url.is_http() && !url.is_scheme_only() && !(url.authority.empty() && url.path.starts_with('/')) && text.size() <= 2048
         && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; }) && !url.may_have_account();
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

} // namespace

std::vector<webhook_settings> read_webhooks(const toml::source_region& at, const toml::node& node, const std::string& base_dir,
                                            const secret_reader& secret, problems& found) {
  std::vector<webhook_settings> out;
  const auto* tables = node.as_array();
  if (!tables || !tables->is_array_of_tables()) {
    found.add(at, "webhook: expected a table in double brackets, [[webhook]]");
    return out;
  }
  for (const toml::node& each : *tables) {
    table_fields in{*each.as_table(), found};
    auto webhook = read_webhook(in, base_dir, secret);
    if (std::any_of(out.begin(), out.end(), [&](const auto& other) { return other.name == webhook.name; }))
      in.refuse("name", "'" + webhook.name + "' is the name of another webhook");
    out.push_back(std::move(webhook));
  }
  return out;
}

} // namespace ringmaster::config
