#include "config/declared/elastic_props.hpp"

#include <utility>
#include <vector>

#include "core/elastic/command_line.hpp"
#include "core/elastic/elastic_definition.hpp"
#include "core/elastic/prop_fields.hpp"
#include "core/elastic/props.hpp"

namespace ringmaster::config {

namespace {

constexpr std::string_view props_key = "props", streaming_prop = "streaming.process";

/// Reader of one table of properties.
class props_reader {
public:
  explicit props_reader(table_fields& in) : in_{in} {}

  void read(const toml::table& table, const std::string& before = {}) {
    for (const auto& [key, value] : table) {
      const auto name = before + std::string{key.str()};
      if (const auto* nested = value.as_table())
        read(*nested, name + '.');
      else
        read_value(name, value);
    }
  }
  [[nodiscard]] const core::elastic::job_props& props() const noexcept { return props_; }
  [[nodiscard]] std::optional<bool> streaming() const noexcept { return streaming_; }

private:
  void refuse(const std::string& name, std::string_view why) { in_.refuse(props_key, name + ": " + std::string{why}); }

  void read_value(const std::string& name, const toml::node& value) {
    auto text = text_of_value(name, value);
    if (!text)
      return;
    if (name != streaming_prop) {
      // `a.b = "x"` in quotation marks and nested are the same name.
      if (!props_.emplace(name, std::move(*text)).second)
        refuse(name, "is given twice");
      return;
    }
    if (*text != "true" && *text != "false")
      return refuse(name, "expected true or false");
    streaming_ = *text == "true";
  }

  std::optional<std::string> text_of_value(const std::string& name, const toml::node& value) {
    if (const auto* text = value.as_string())
      return text->get();
    if (const auto* number = value.as_integer())
      return std::to_string(number->get());
    if (const auto* flag = value.as_boolean())
      return std::string{flag->get() ? "true" : "false"};
    const auto* field = core::elastic::find_prop(name);
    const bool may_be_list = field && field->form == core::elastic::prop_form::command_line;
    if (const auto* list = value.as_array(); list && may_be_list)
      if (auto words = words_of(*list))
        return core::elastic::command_line(*words);
    refuse(name, may_be_list ? "expected a text, or a list of texts" : "expected a text, a whole number, true or false");
    return std::nullopt;
  }

  static std::optional<std::vector<std::string>> words_of(const toml::array& list) {
    std::vector<std::string> words;
    for (const auto& each : list) {
      const auto* word = each.as_string();
      if (!word)
        return std::nullopt;
      words.push_back(word->get());
    }
    return words;
  }

  table_fields& in_;
  core::elastic::job_props props_;
  std::optional<bool> streaming_;
};

} // namespace

given_props read_props(table_fields& in, std::string_view job_type) {
  props_reader reader{in};
  const auto* node = in.node(props_key);
  if (const auto* table = node ? node->as_table() : nullptr)
    reader.read(*table);
  else if (node)
    in.refuse(props_key, "expected a table of texts, numbers and flags");
  const bool is_wrong = node && !node->is_table();
  given_props out{core::elastic::props_text(reader.props()), reader.streaming()};
  if (const auto sound = core::elastic::check_props(job_type, reader.props()); !sound && !is_wrong)
    in.refuse(props_key, sound.error().context);
  else if (out.text.size() > core::elastic::props_bytes)
    in.refuse(props_key, "more than " + std::to_string(core::elastic::props_bytes) + " bytes");
  return out;
}

} // namespace ringmaster::config
