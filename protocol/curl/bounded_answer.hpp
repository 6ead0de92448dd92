#pragma once

// An answer of which only a limited part is kept.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace ringmaster::protocol {

/// Keeps the first bytes of an answer and counts the others. An answer beyond `read_max` may be endless, and is not read further.
class bounded_answer {
public:
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  explicit bounded_answer(std::size_t kept_max = 0, std::size_t read_max = no_limit) : kept_max_{kept_max}, read_max_{read_max} {}

  /// Takes the next bytes. Returns false when the answer is too long to read on.
  bool take(std::string_view part) {
    kept_.append(part.substr(0, kept_max_ - kept_.size()));
    read_ += part.size();
    return !is_too_long();
  }

  [[nodiscard]] const std::string& kept() const noexcept { return kept_; }
  /// Returns the kept bytes and drops them here.
  [[nodiscard]] std::string release() noexcept { return std::exchange(kept_, {}); }
  /// Returns true when bytes were dropped.
  [[nodiscard]] bool is_cut() const noexcept { return read_ > kept_.size(); }
  [[nodiscard]] bool is_too_long() const noexcept { return read_ > read_max_; }

private:
  std::size_t kept_max_;
  std::size_t read_max_;
  std::string kept_;
  std::size_t read_ = 0;
};

} // namespace ringmaster::protocol
