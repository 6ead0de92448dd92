#include "core/text/text_width.hpp"

#include <algorithm>
#include <clocale>
#include <cstdint>
#include <cwchar>

namespace ringmaster::core {

namespace {

/// Removes and returns one character at the front. Invalid UTF-8 is taken as single bytes.
std::uint32_t take_character(std::string_view& rest) noexcept {
  const auto byte = [&rest](std::size_t at) { return at < rest.size() ? static_cast<std::uint8_t>(rest[at]) : 0U; };
  const auto lead = byte(0);
  const std::size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  auto character = size == 1 ? lead : lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) {
      rest.remove_prefix(1);
      return lead;
    }
    character = (character << 6U) | (byte(i) & 0x3FU);
  }
  rest.remove_prefix(size);
  return character;
}

/// Guard that selects a UTF-8 locale for this thread while it exists. Where the C library does not have this locale every
/// character has one column.
class unicode_here {
public:
  unicode_here() noexcept
    : known_{::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)}, before_{known_ ? ::uselocale(known_) : nullptr} {}
  ~unicode_here() {
    if (!known_)
      return;
    ::uselocale(before_);
    ::freelocale(known_);
  }
  unicode_here(const unicode_here&) = delete;
  unicode_here& operator=(const unicode_here&) = delete;

private:
  locale_t known_;
  locale_t before_;
};

} // namespace

std::size_t columns_of(std::string_view utf8) noexcept {
  const unicode_here here;
  std::size_t columns = 0;
  while (!utf8.empty()) {
    const auto width = ::wcwidth(static_cast<wchar_t>(take_character(utf8)));
    columns += width < 0 ? 1 : static_cast<std::size_t>(width);
  }
  return columns;
}

std::string_view cut_columns(std::string_view utf8, std::size_t columns_max) noexcept {
  const unicode_here here;
  std::size_t columns = 0;
  for (auto rest = utf8; !rest.empty();) {
    const auto before = utf8.size() - rest.size();
    const auto width = ::wcwidth(static_cast<wchar_t>(take_character(rest)));
    columns += width < 0 ? 1 : static_cast<std::size_t>(width);
    if (columns > columns_max)
      return utf8.substr(0, before);
  }
  return utf8;
}

std::string_view end_columns(std::string_view utf8, std::size_t columns_max) noexcept {
  auto columns = columns_of(utf8);
  const unicode_here here;
  while (!utf8.empty()) {
    auto rest = utf8;
    const auto width = ::wcwidth(static_cast<wchar_t>(take_character(rest)));
    if (columns <= columns_max && width != 0)
      break;
    columns -= std::min(columns, width < 0 ? 1 : static_cast<std::size_t>(width));
    utf8 = rest;
  }
  return utf8;
}

} // namespace ringmaster::core
