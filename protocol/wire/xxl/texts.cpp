#include "protocol/wire/xxl/texts.hpp"

#include "core/text/text.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr std::size_t excerpt_units = 300;

} // namespace

std::string mapping_not_found(std::string_view operation) {
  return std::string{"invalid request, uri-mapping("}.append(operation).append(") not found.");
}

core::error unreadable(std::string_view reason) {
  return {core::errc::invalid_argument, std::string{reply_text::invoke_error}.append(reason)};
}

std::string excerpt_of(std::string_view body) {
  std::string text = core::valid_utf8(body.substr(0, 4 * excerpt_units));
  text.resize(core::cut_utf16(text, excerpt_units).size());
  return text;
}

} // namespace ringmaster::protocol::wire
