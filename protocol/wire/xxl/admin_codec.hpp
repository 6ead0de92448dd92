#pragma once

// Requests of an executor to an admin, and the answers (XXL wire §1, §3). Pure; any thread; no exception leaves it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/run/trigger_request.hpp"

namespace ringmaster::protocol::wire {

/// Form of the requests that an admin expects (XXL wire §0.1).
enum class admin_family : std::uint8_t {
  /// Up to 3.4: an array, `logDateTim`.
  array,
  /// 3.5: `{"callbackList":…}`, `logDateTime`, and the app name in a header.
  app_named
};

/// Returns the body of `registry` and `registryRemove`: exactly the three fields.
[[nodiscard]] std::string encode_registry(std::string_view app_name, std::string_view address);

/// Returns the body of `callback`. A message without a value is left out. `array` also suits 2.2: each item has
/// `executeResult` in addition to `handleCode`.
[[nodiscard]] std::string encode_reports(std::span<const core::run_report> reports, admin_family family);

struct admin_reply {
  /// 0 when the answer cannot be read.
  std::int32_t code = 0;
  /// The admin's text, or a text of ours when the answer cannot be read.
  std::string message;
  /// The admin asks for the app name's header: its family is `app_named`.
  bool wants_app_name = false;

  [[nodiscard]] bool accepted() const noexcept { return code == 200; }
};

/// Reads an answer. A status other than exactly 200 is a failure, whatever the body says (XXL wire §7.4, L7).
[[nodiscard]] admin_reply parse_admin_reply(unsigned status, std::string_view body);

/// Returns `ReturnT [code=500, msg=…, content=null]`, the text by which the log of a run shows a refused callback.
[[nodiscard]] std::string printed(const admin_reply& reply);

} // namespace ringmaster::protocol::wire
