#pragma once

// A file that appears complete or not at all. Devices and pipes are written directly.

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringmaster::apps {

/// Written next to its final path under another name; `finish` moves it into place. Without `finish` the file is removed. A
/// symbolic link to a replaced file stays a link.
class new_file {
public:
  /// Errors: `conflict` if the file exists and `replace` is false; `unavailable`.
  [[nodiscard]] static core::result<new_file> begin(std::string path, bool replace);
  new_file(new_file&& other) noexcept;
  new_file& operator=(new_file&&) = delete;
  ~new_file();

  [[nodiscard]] core::result<void> write(std::string_view text);
  /// Errors: as above; another process may have created the file in the meantime.
  [[nodiscard]] core::result<void> finish();

private:
  new_file(std::string path, std::string unfinished, bool replace, int file);
  [[nodiscard]] core::result<void> flush();
  [[nodiscard]] core::result<void> move_into_place();
  [[nodiscard]] core::error failure(int reason) const;

  std::string path_;
  /// Empty: the file is written in place.
  std::string unfinished_;
  bool replace_;
  int file_;
  std::string waiting_;
};

} // namespace ringmaster::apps
