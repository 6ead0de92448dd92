#pragma once

// Answers of the admin to executors (XXL wire §1.5): one shape that serves every family. Pure; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::protocol::wire {

/// Success without a message: nearly every answer.
inline constexpr std::string_view plain_success = R"({"code":200,"msg":null,"content":null,"data":null})";

/// Returns `{"code":C,"msg":M,"content":P,"data":P}`, each text null when absent. Invalid UTF-8 is replaced.
[[nodiscard]] std::string encode_reply(std::int32_t code, std::optional<std::string_view> msg = std::nullopt,
                                       std::optional<std::string_view> payload = std::nullopt);

} // namespace ringmaster::protocol::wire
