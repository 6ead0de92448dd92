#pragma once

// Forms of the type `multipart/form-data` (RFC 7578), without files. Internal to the codecs.

#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::protocol::wire {

/// The type of `content_type`, without its parameters and without case.
[[nodiscard]] bool is_media_type(std::string_view content_type, std::string_view wanted) noexcept;

/// The parameter `boundary`; nothing when it is missing, longer than 70 characters, or has others than RFC 2046 has.
[[nodiscard]] std::optional<std::string_view> boundary_of(std::string_view content_type) noexcept;

struct form_part {
  std::string name;
  /// Into the body.
  std::string_view value;
};

/// Reads a body from front to back once; does not own it.
class multipart_reader {
public:
  multipart_reader(std::string_view body, std::string_view boundary);

  /// Nothing at the end. Errors: `invalid_argument` for what is no such body, ends too early, has a file or a part without name.
  [[nodiscard]] core::result<std::optional<form_part>> next();

private:
  enum class place { before, inside, behind };

  [[nodiscard]] bool find_first();
  /// Behind a delimiter: the end of its line, or of the whole.
  [[nodiscard]] bool pass_delimiter();

  std::string_view rest_;
  /// With the end of line before it.
  std::string delimiter_;
  place place_ = place::before;
};

} // namespace ringmaster::protocol::wire
