#include "core/elastic/item_params_object.hpp"

#include <utility>

#include "core/elastic/json_text.hpp"
#include "core/elastic/text_object.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

result<void> read_params_object(std::string_view text, const item_param_taker& take) {
  const auto add = [&take](const std::string& key, std::string&& value) -> std::string_view {
    const auto item = parse_int32(key);
    return item ? take(*item, std::move(value)) : "the key is not an integer";
  };
  auto read = read_text_object(text, add);
  if (!read)
    read.error().context.insert(0, "invalid item parameters: ");
  return read;
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
