#include "protocol/wire/executor/registry_codec.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/job/group.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/json/json_reader.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::protocol::wire {

namespace {

struct field {
  std::string_view name;
  std::string registry_request::* value;
};

constexpr std::array<field, 3> fields{{
    {"registryGroup", &registry_request::registry_group},
    {"registryKey", &registry_request::registry_key},
    {"registryValue", &registry_request::registry_value},
}};

bool has_control_character(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

core::error refusal(std::string context) { return {core::errc::invalid_argument, std::move(context)}; }

} // namespace

core::result<registry_request> parse_registry(std::string_view body) {
  if (core::is_blank(body))
    return tl::unexpected(refusal(std::string{reply_text::body_empty}));

  registry_request request;
  json_reader in{body};
  if (in.peek() != json_kind::object)
    return tl::unexpected(unreadable("the body must be a JSON object"));
  const field* wrong = nullptr;
  in.object([&](std::string_view name) {
    for (const field& each : fields) {
      if (name != each.name)
        continue;
      const json_kind kind = in.peek();
      if (kind == json_kind::object || kind == json_kind::array)
        wrong = &each;
      else
        request.*each.value = in.text().value_or(std::string{});
    }
  });
  if (!in.finish())
    return tl::unexpected(unreadable(in.error()));
  if (wrong)
    return tl::unexpected(unreadable(std::string{wrong->name} + " must be a string"));

  for (const field& each : fields)
    if (core::is_blank(request.*each.value))
      return tl::unexpected(refusal(std::string{reply_text::illegal_argument}));
  for (const field& each : fields)
    if (has_control_character(request.*each.value))
      return tl::unexpected(refusal(std::string{each.name} + " holds a control character."));
  if (request.registry_value.find(',') != std::string::npos)
    return tl::unexpected(refusal("registryValue holds a comma."));
  if (auto why = core::misfit_of(request.registry_group, request.registry_key, request.registry_value); !why.empty())
    return tl::unexpected(refusal(std::move(why)));
  return request;
}

} // namespace ringmaster::protocol::wire
