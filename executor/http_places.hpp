#pragma once

// Addresses that an executor may call.

#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace ringmaster::executor {

/// A list of permitted addresses. Immutable.
class http_places {
public:
  /// Reads the list: each entry is a scheme, host and port, optionally with a path prefix that ends with a slash, e.g.
  /// `https://reports.example.com/nightly/`. Errors: `invalid_argument` for the first other entry.
  [[nodiscard]] static core::result<http_places> make(std::span<const std::string> texts);

  /// Checks that the address has the scheme, host and port of an entry, and that its path stays below that of the entry. Errors:
  /// `forbidden` with the address.
  [[nodiscard]] core::result<void> check(const std::string& url) const;

private:
  struct place {
    /// `https://host:443`, also when the text omits the port.
    std::string origin;
    /// Ends with a slash.
    std::string path;
  };
  [[nodiscard]] static core::result<place> read(const std::string& text);

  std::vector<place> places_;
};

} // namespace ringmaster::executor
