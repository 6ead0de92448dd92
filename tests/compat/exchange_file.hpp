#pragma once

// Golden exchanges as they stand in a file: see exchanges/README.md.

#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace ringmaster::test {

/// One request, what the actor behind it answers, and the whole reply.
struct golden_exchange {
  std::string title;
  /// Of the title, for messages.
  std::size_t line = 0;
  std::string method;
  std::string target;
  /// Whose session goes along; empty: none.
  std::string session;
  /// More lines of its head.
  std::string headers;
  std::string form;
  /// What the actor refuses it with; nothing: it does as it is asked.
  std::optional<core::error> refusal;
  /// What an actor is asked; empty: nothing.
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

/// Throws on what is none, naming the line.
[[nodiscard]] exchange_file read_exchanges(const std::string& path);

/// All files of `folder`, by name.
[[nodiscard]] std::vector<std::string> files_of(const std::string& folder);

} // namespace ringmaster::test
