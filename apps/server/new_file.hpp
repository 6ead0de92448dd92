#pragma once

// A file that is there as a whole or not at all; a device or a pipe is written to as it is.

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::apps {

/// Written beside its place under another name, and moved there by `finish`. Without that nothing is left of it. A symbolic link
/// to a file that is to be replaced stays one.
class new_file {
public:
  /// Errors: `conflict` for a file that is there, unless it is to be replaced; `unavailable`.
  [[nodiscard]] static core::result<new_file> begin(std::string path, bool replace);
  new_file(new_file&& other) noexcept;
  new_file& operator=(new_file&&) = delete;
  ~new_file();

  [[nodiscard]] core::result<void> write(std::string_view text);
  /// Errors: as both of the above; the file may have come in the meantime.
  [[nodiscard]] core::result<void> finish();

private:
  new_file(std::string path, std::string unfinished, bool replace, int file);
  [[nodiscard]] core::result<void> flush();
  [[nodiscard]] core::result<void> move_into_place();
  [[nodiscard]] core::error failure(int reason) const;

  std::string path_;
  /// Empty: written in its place.
  std::string unfinished_;
  bool replace_;
  int file_;
  std::string waiting_;
};

} // namespace ringmaster::apps
