#pragma once

// What an executor says to an admin and how it reads the answers (XXL wire §1, §3). Pure; any thread; no exception leaves it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/run/trigger_request.hpp"

namespace ringmaster::protocol::wire {

/// How an admin wants to be spoken to (XXL wire §0.1).
enum class admin_family : std::uint8_t {
  /// Up to 3.4: an array, `logDateTim`.
  array,
  /// 3.5: `{"callbackList":…}`, `logDateTime`, and the app name in a header.
  app_named
};

/// The body of `registry` and `registryRemove`: exactly the three fields.
[[nodiscard]] std::string encode_registry(std::string_view app_name, std::string_view address);

/// The body of `callback`. A message that is not there is left out. `array` also speaks to 2.2: each item has `executeResult`
/// beside `handleCode`.
[[nodiscard]] std::string encode_reports(std::span<const core::run_report> reports, admin_family family);

struct admin_reply {
  /// 0 when it cannot be read.
  std::int32_t code = 0;
  /// The admin's text, or ours when the answer cannot be read.
  std::string message;
  /// It asks for the app name's header: the family is `app_named`.
  bool wants_app_name = false;

  [[nodiscard]] bool accepted() const noexcept { return code == 200; }
};

/// A status other than exactly 200 is a failure, whatever the body says (XXL wire §7.4, L7).
[[nodiscard]] admin_reply parse_admin_reply(unsigned status, std::string_view body);

/// `ReturnT [code=500, msg=…, content=null]`: how the log of a run tells that a callback was refused.
[[nodiscard]] std::string printed(const admin_reply& reply);

} // namespace ringmaster::protocol::wire
