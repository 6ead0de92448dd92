#include "core/elastic/item_params_object.hpp"

#include <utility>

#include "core/elastic/json_text.hpp"
#include "core/elastic/text_object.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

result<item_params> parse_params_object(std::string_view text) {
  item_params params;
  const auto add = [&params](const std::string& key, std::string&& value) -> std::string_view {
    const auto item = parse_int32(key);
    if (!item)
      return "the key is not an integer";
    params.insert_or_assign(*item, std::move(value));
    return {};
  };
  if (auto read = read_text_object(text, add); !read) {
    read.error().context.insert(0, "invalid item parameters: ");
    return tl::unexpected{std::move(read.error())};
  }
  return params;
}

std::string params_object(const item_params& params) {
  std::string text = "{";
  for (const auto& [item, value] : params) {
    text += text.size() == 1 ? "\"" : ",\"";
    text += std::to_string(item) + "\":";
    append_json_text(text, value);
  }
  return text + '}';
}

} // namespace ringmaster::core::elastic
