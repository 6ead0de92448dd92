#pragma once

#include <string_view>

namespace ringmaster::protocol {

/// A file that an HTTP server answers from memory. Its texts live as long as the process.
struct web_file {
  /// Path below the folder that is served, e.g. `assets/index-B3x.js`.
  std::string_view path;
  std::string_view content_type;
  /// Strong ETag with its quotes: a digest of the content.
  std::string_view etag;
  /// Content, compressed with gzip unless `is_plain`.
  std::string_view content;
  bool is_plain = false;
};

} // namespace ringmaster::protocol
