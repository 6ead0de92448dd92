#include "core/text/md5.hpp"

#include <bit>
#include <cstring>
#include <utility>

namespace ringmaster::core {

namespace {

using words = std::array<std::uint32_t, 4>;

// RFC 1321, 3.4: the integer part of 2^32 * |sin(i)|, i = 1 … 64.
constexpr std::array<std::uint32_t, 64> sines = {
  0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af,
  0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa,
  0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
  0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
  0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97,
  0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
  0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

constexpr int retry_pacer[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

std::uint32_t little_endian(const std::uint8_t* bytes) {
  return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
}

/// Returns the function and the word of the block that step `i` mixes in.
std::pair<std::uint32_t, std::size_t> mix(std::size_t i, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  switch (i / 16) {
  case 0: return {(b & c) | (~b & d), i};
  case 1: return {(d & b) | (~d & c), (5 * i + 1) % 16};
  case 2: return {b ^ c ^ d, (3 * i + 5) % 16};
  default: return {c ^ (b | ~d), (7 * i) % 16};
  }
}

void absorb(words& state, const std::uint8_t* block) {
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto [value, word] = mix(i, b, c, d);
    const auto sum = a + value + sines[i] + little_endian(block + 4 * word);
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, retry_pacer[i / 16][i % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

} // namespace

md5_digest md5(std::string_view bytes) {
  words state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const auto whole = bytes.size() / 64 * 64, rest = bytes.size() - whole;
  for (std::size_t pos = 0; pos < whole; pos += 64)
    absorb(state, data + pos);
  // Padding: one bit, zeros, the length in bits; one block or two.
  std::array<std::uint8_t, 128> tail{};
  if (rest != 0)
    std::memcpy(tail.data(), data + whole, rest);
  tail[rest] = 0x80;
  const std::size_t tail_size = rest < 56 ? 64 : 128;
  const auto bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i)
    tail[tail_size - 8 + i] = static_cast<std::uint8_t>(bits >> (8 * i));
  for (std::size_t pos = 0; pos < tail_size; pos += 64)
    absorb(state, tail.data() + pos);
  md5_digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (8 * (i % 4)));
  return digest;
}

} // namespace ringmaster::core
