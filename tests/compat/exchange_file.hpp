#pragma once

// Reader of files of golden exchanges: see exchanges/README.md.

#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace ringmaster::test {

/// One request, the answer of the actor behind it, and the whole reply.
struct golden_exchange {
  std::string title;
  /// Line of the title, for messages.
  std::size_t line = 0;
  std::string method;
  std::string target;
  /// Session sent with the request; empty: none.
  std::string session;
  /// Additional lines of the request's head.
  std::string headers;
  std::string form;
  /// Refusal of the actor; without a value: it does as it is asked.
  std::optional<core::error> refusal;
  /// Expected request to an actor; empty: none.
  std::string asked;
  int status = 200;
  /// Lines that the reply's head must have.
  std::vector<std::string> reply_headers;
  std::optional<std::string> reply;
};

struct exchange_file {
  std::string name;
  /// `2.x` or `3.3+`.
  std::string dialect;
  std::string language;
  std::vector<golden_exchange> exchanges;
};

/// Throws for an invalid file, naming the line.
[[nodiscard]] exchange_file read_exchanges(const std::string& path);

/// Returns all files of `folder`, sorted by name.
[[nodiscard]] std::vector<std::string> files_of(const std::string& folder);

} // namespace ringmaster::test
