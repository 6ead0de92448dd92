#include "config/load.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "config/keys.hpp"
#include "config/tables.hpp"
#include "config/text/diagnostics.hpp"
#include "config/text/toml_file.hpp"
#include "config/validate.hpp"
#include "core/text/sqlite_url.hpp"

namespace ringmaster::config {

namespace {

/// Stands for a configuration without settings, although it is not a regular file.
constexpr std::string_view no_document = "/dev/null";

/// Returns the setting that a wrong name means although it is spelled otherwise; empty if there is none.
std::string_view meant_by(std::string_view name) noexcept {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> meant{{
    {"executor.token", "security.access_token"}, {"executor.access_token", "security.access_token"},
    {"executor.admin_addresses", "executor.admins"}, {"executor.admin_address", "executor.admins"},
    {"executor.addresses", "executor.admins"}, {"executor.appname", "executor.app_name"},
    {"executor.host", "executor.listen"}, {"server.port", "server.listen"}, {"server.address", "server.listen"}}};
  const auto found = std::find_if(meant.begin(), meant.end(), [name](const auto& each) { return each.first == name; });
  return found == meant.end() ? std::string_view{} : found->second;
}

std::string unknown_key(std::string_view name) {
  if (const auto other = meant_by(name); !other.empty())
    return "unknown key '" + std::string{name} + "'; did you mean '" + std::string{other} + "'?";
  std::vector<std::string_view> names;
  for (const setting& each : all_settings())
    names.push_back(each.name);
  return "unknown key '" + std::string{name} + "'" + suggestion(name, names);
}

std::string unknown_section(std::string_view name) {
  std::vector<std::string_view> sections;
  for (const setting& each : all_settings())
    if (const auto section = each.name.substr(0, each.name.find('.'));
        section != each.name && (sections.empty() || sections.back() != section))
      sections.push_back(section);
  return "unknown section [" + std::string{name} + "]" + suggestion(name, sections);
}

bool is_section(std::string_view name) {
  return std::any_of(all_settings().begin(), all_settings().end(), [name](const setting& each) {
    return each.name.size() > name.size() && each.name.starts_with(name) && each.name[name.size()] == '.';
  });
}

/// State of one load: the values and the errors so far.
class loader {
public:
  explicit loader(const load_request& request) : request_(request) {}

  void read_document(const std::string& path) {
    if (path == no_document)
      return;
    const auto text = read_file(path);
    if (!text)
      return lose_document(text.error().context);
    values_.deploy.base_dir = std::filesystem::path{path}.parent_path().string();
    if (values_.deploy.base_dir.empty())
      values_.deploy.base_dir = ".";
    const auto document = parse_toml(*text, path);
    if (!document)
      return lose_document(document.error().context);
    problems found{path};
    for (const auto& [key, node] : *document)
      if (key.str() == "webhook")
        read_webhooks_from(key, node, found);
      else if (key.str() == "command")
        values_.commands = read_commands(key.source(), node, found);
      else
        read_node(std::string{key.str()}, key.source(), node, found);
    for (auto& line : found.lines())
      add(std::move(line));
  }

  void read_variables() {
    for (const setting& each : all_settings()) {
      const std::string name = variable_name(each.name);
      if (const auto value = request_.variable(name); value && !value->empty())
        store_text(each, *value, name);
    }
  }

  void read_options() {
    for (const std::string& option : request_.set) {
      const auto equals = option.find('=');
      const std::string name = option.substr(0, equals);
      const setting* which = find_setting(name);
      if (equals == std::string::npos)
        add("--set " + option + ": expected key=value");
      else if (!which)
        add("--set " + name + ": " + unknown_key(name));
      else
        store_text(*which, std::string_view{option}.substr(equals + 1), "--set " + name);
    }
  }

  core::result<settings> finish() {
    if (auto valid = validate(values_, from_); !valid)
      add(valid.error().context);
    if (!problems_.empty())
      return tl::unexpected(to_error(problems_));
    values_.deploy.files_from = from_.subject("deploy.files");
    name_places();
    auto& server = values_.server;
    auto& security = values_.security;
    for (auto* file : {&values_.mail.ca_file, &server.tls_certificate, &server.tls_key, &server.tls_client_ca,
                       &security.executor_ca, &security.executor_certificate, &security.executor_key,
                       &values_.executor.admin_ca, &values_.executor.admin_certificate, &values_.executor.admin_key,
                       &values_.link.certificate, &values_.link.key, &values_.link.ca})
      if (!file->empty())
        *file = (std::filesystem::path{values_.deploy.base_dir} / *file).lexically_normal().string();
    for (auto& folder : values_.executor.elastic_scripts)
      folder = std::filesystem::absolute(std::filesystem::path{values_.deploy.base_dir} / folder).lexically_normal().string();
    return std::move(values_);
  }

  void add(std::string line) { problems_.push_back(std::move(line)); }

private:
  /// Resolves the data folder like all other paths, and sets the name of the setting that names the database.
  void name_places() {
    std::filesystem::path folder{values_.data_dir};
    if (folder.is_relative())
      values_.data_dir = std::filesystem::absolute(values_.deploy.base_dir / folder).lexically_normal().string();
    const auto file = core::sqlite_path(values_.database.url);
    const std::string_view key = file && std::filesystem::path{*file}.is_relative() ? "data_dir" : "database.url";
    values_.database.named_by = from_.prefix({key}).empty() ? "the default of " + std::string{key} : from_.subject(key);
  }

  /// Records that the settings of an unreadable document are unknown.
  void lose_document(std::string why) {
    add(std::move(why));
    for (const setting& each : all_settings())
      from_.refuse(each.name);
  }

  /// Reads `[[webhook]]`, which is not a setting but a list of tables.
  void read_webhooks_from(const toml::key& key, const toml::node& node, problems& found) {
    const auto secret = [this](const toml::table& table) -> core::result<std::string> {
      auto value = read_secret(table);
      if (!value)
        return tl::unexpected(value.error());
      const auto* text = std::get_if<std::string>(&*value);
      return text ? core::result<std::string>{*text} : core::fail(core::errc::invalid_argument, std::string{secret_form});
    };
    values_.webhooks = read_webhooks(key.source(), node, values_.deploy.base_dir, secret, found);
  }

  void read_node(const std::string& name, const toml::source_region& at, const toml::node& node, problems& found) {
    if (const setting* which = find_setting(name)) {
      auto value = read_value(*which, node);
      auto stored = value ? assign(values_, *which, *value) : core::result<void>{tl::unexpected(value.error())};
      from_.set(name, found.place(at));
      if (!stored) {
        from_.refuse(name);
        found.add(at, name + ": " + stored.error().context);
      }
    } else if (is_section(name)) {
      if (const toml::table* table = node.as_table())
        for (const auto& [key, inner] : *table)
          read_node(name + "." + std::string{key.str()}, key.source(), inner, found);
      else
        found.add(at, name + ": expected a section [" + name + "]");
    } else {
      const bool section = node.is_table() && name.find('.') == std::string::npos;
      found.add(at, section ? unknown_section(name) : unknown_key(name));
    }
  }

  core::result<raw_value> read_value(const setting& which, const toml::node& node) {
    if (const auto* table = node.as_table(); table && (which.how == form::secret || which.how == form::url))
      return read_secret(*table);
    raw_value value;
    if (const auto* text = node.as_string())
      value = text->get();
    else if (const auto* number = node.as_integer())
      value = number->get();
    else if (const auto* flag = node.as_boolean())
      value = flag->get();
    else if (const auto* array = node.as_array())
      value = read_list(*array);
    return value;
  }

  static raw_value read_list(const toml::array& array) {
    std::vector<std::string> list;
    for (const toml::node& each : array) {
      const auto* text = each.as_string();
      if (!text)
        return {};
      list.push_back(text->get());
    }
    return list;
  }

  core::result<raw_value> read_secret(const toml::table& table) {
    const auto* variable = table.get_as<std::string>("env");
    const auto* file = table.get_as<std::string>("file");
    if (table.size() != 1 || (!variable && !file))
      return raw_value{};
    if (variable) {
      auto value = request_.variable(variable->get());
      if (!value)
        return core::fail(core::errc::invalid_argument, "the variable " + variable->get() + " is not set");
      return *std::move(value);
    }
    const auto path = std::filesystem::path{values_.deploy.base_dir} / file->get();
    auto text = read_file(path.lexically_normal().string());
    if (!text)
      return tl::unexpected(text.error());
    while (!text->empty() && (text->back() == '\n' || text->back() == '\r'))
      text->pop_back();
    return *std::move(text);
  }

  void store_text(const setting& which, std::string_view text, const std::string& where) {
    auto value = read_text(which, text);
    auto stored = value ? assign(values_, which, *value) : core::result<void>{tl::unexpected(value.error())};
    from_.set(which.name, where);
    if (stored)
      return from_.accept(which.name);
    from_.refuse(which.name);
    add(from_.subject(which.name) + ": " + stored.error().context);
  }

  const load_request& request_;
  settings values_;
  origins from_;
  std::vector<std::string> problems_;
};

std::optional<std::string> chosen_file(const load_request& request) {
  if (request.file)
    return request.file;
  if (auto named = request.variable("RINGMASTER_CONFIG"); named && !named->empty())
    return named;
  std::error_code ignored;
  return std::filesystem::exists(request.default_file, ignored) ? std::optional{request.default_file} : std::nullopt;
}

} // namespace

environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>{value} : std::nullopt;
  };
}

std::string variable_name(std::string_view key) {
  std::string out = "RINGMASTER_";
  for (const char c : key)
    out += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

core::result<settings> load(const load_request& request) {
  loader in{request};
  if (const auto file = chosen_file(request))
    in.read_document(*file);
  in.read_variables();
  in.read_options();
  return in.finish();
}

} // namespace ringmaster::config
