#pragma once

// The sum behind `content_hash` of declarations.

#include <cstdint>
#include <string>
#include <string_view>

namespace ringmaster::core {

/// Two 64-bit FNV-1a sums over the same bytes with different initial values. Not secure against forgery, because the author of
/// the file owns the jobs.
class content_sum {
public:
  /// Adds a field. The length before it keeps "ab","c" and "a","bc" apart.
  void add(std::string_view field) {
    for (const char c : std::to_string(field.size()) + ":")
      add_byte(c);
    for (const char c : field)
      add_byte(c);
  }

  /// Returns 32 hexadecimal digits.
  [[nodiscard]] std::string hex() const {
    std::string out;
    for (const std::uint64_t sum : {first_, second_})
      for (int shift = 60; shift >= 0; shift -= 4)
        out += "0123456789abcdef"[(sum >> shift) & 0xF];
    return out;
  }

private:
  void add_byte(char c) noexcept {
    constexpr std::uint64_t prime = 0x100000001b3;
    first_ = (first_ ^ static_cast<unsigned char>(c)) * prime;
    second_ = (second_ ^ static_cast<unsigned char>(c)) * prime;
  }

  std::uint64_t first_ = 0xcbf29ce484222325;
  std::uint64_t second_ = 0x84222325cbf29ce4;
};

} // namespace ringmaster::core
