#include "protocol/wire/texts.hpp"

#include <array>

namespace ringmaster::protocol::wire {

namespace {

using row = std::array<std::string_view, language_count>;

/// In the order of `language` (XXL admin §5.1).
constexpr row table[] = {
    {"调度失败：执行器地址为空", "調度失敗：執行器地址為空", "Trigger Fail：registry address is empty"},
};

static_assert(std::size(table) == static_cast<std::size_t>(text_key::address_empty) + 1,
              "one row per key, in the order of text_key");

} // namespace

std::string mapping_not_found(std::string_view operation) {
  return std::string{"invalid request, uri-mapping("}.append(operation).append(") not found.");
}

std::string_view text(text_key key, language in) noexcept {
  return table[static_cast<std::size_t>(key)][static_cast<std::size_t>(in)];
}

} // namespace ringmaster::protocol::wire
