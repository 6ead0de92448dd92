#pragma once

// Forms of the type `multipart/form-data` (RFC 7578), without files. Internal to the codecs.

#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::protocol::wire {

/// Compares the type of `content_type`, without its parameters and without case.
[[nodiscard]] bool is_media_type(std::string_view content_type, std::string_view wanted) noexcept;

/// Returns the parameter `boundary`; nothing when it is missing, longer than 70 characters, or has characters outside RFC 2046.
[[nodiscard]] std::optional<std::string_view> boundary_of(std::string_view content_type) noexcept;

struct form_part {
  std::string name;
  /// Points into the body.
  std::string_view value;
};

/// Reader of a body, once from front to back; does not own it.
class multipart_reader {
public:
  multipart_reader(std::string_view body, std::string_view boundary);

  /// Returns the next part; nothing at the end. Errors: `invalid_argument` for another kind of body, a body that ends too early,
  /// a file, or a part without a name.
  [[nodiscard]] core::result<std::optional<form_part>> next();

private:
  enum class place { before, inside, behind };

  [[nodiscard]] bool find_first();
  /// Reads the end of the line, or of the body, after a delimiter.
  [[nodiscard]] bool pass_delimiter();

  std::string_view rest_;
  /// Delimiter with the line break before it.
  std::string delimiter_;
  place place_ = place::before;
};

} // namespace ringmaster::protocol::wire
