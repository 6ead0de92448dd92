#include "apps/terminal/table_text.hpp"

#include <algorithm>
#include <optional>

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text/text.hpp"
#include "core/text/text_width.hpp"

namespace ringmaster::apps {

namespace {

/// Minimum width of a cut column: narrower ones are unreadable.
constexpr std::size_t column_min = 8;
constexpr std::size_t gap = 2;

std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], core::columns_of(row[i]));
  }
  return widths;
}

/// Returns whether the text begins with a date such as `2026-11-21`.
bool is_time(std::string_view text) {
  return text.size() >= 10 && text[4] == '-' && text[7] == '-' && text.find_first_not_of("0123456789-") >= 10;
}

/// Returns the columns that hold times. They are cut last, because a cut time is useless.
std::vector<bool> times_in(const std::vector<std::vector<std::string>>& rows, std::size_t columns) {
  std::vector<bool> times(columns);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      times[i] = times[i] || is_time(row[i]);
  return times;
}

/// Returns the widest column that is not kept; nullopt when all of them are at the minimum width.
std::optional<std::size_t> widest_of(const std::vector<std::size_t>& widths, const std::vector<bool>& kept) {
  std::optional<std::size_t> widest;
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (!kept[i] && widths[i] > column_min && (!widest || widths[i] > widths[*widest]))
      widest = i;
  return widest;
}

/// Narrows the columns of `first`, then the widest ones, until the table fits; kept columns only when no other is left.
void fit(std::vector<std::size_t>& widths, const std::vector<bool>& kept, std::span<const narrow_first> first,
         std::size_t columns_max) {
  auto sum = widths.empty() ? 0 : (widths.size() - 1) * gap;
  for (const auto width : widths)
    sum += width;
  for (const auto& each : first)
    for (auto& width = widths[each.column]; sum > columns_max && width > each.least; --sum)
      --width;
  while (sum > columns_max) {
    auto widest = widest_of(widths, kept);
    if (!widest)
      widest = widest_of(widths, std::vector<bool>(widths.size()));
    if (!widest)
      return;
    --widths[*widest];
    --sum;
  }
}

std::string cell_of(const std::string& text, std::size_t width, bool keeps_end) {
  if (core::columns_of(text) <= width)
    return text;
  if (keeps_end)
    return "…" + std::string{core::end_columns(text, width - 1)};
  return std::string{core::cut_columns(text, width - 1)} + "…";
}

} // namespace

std::size_t terminal_columns() {
  if (::isatty(STDOUT_FILENO) != 1)
    return 0;
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) { return table_text(rows, terminal_columns()); }

std::string table_text(const std::vector<std::vector<std::string>>& rows, std::size_t columns_max,
                       std::span<const narrow_first> first) {
  auto widths = widths_of(rows);
  if (columns_max > 0)
    fit(widths, times_in(rows, widths.size()), first, columns_max);
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool keeps_end = std::any_of(first.begin(), first.end(), [i](const narrow_first& each) { return each.column == i; });
      const auto cell = cell_of(row[i], widths[i], keeps_end);
      line += cell + std::string(widths[i] - core::columns_of(cell) + gap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string counted(std::size_t number, std::string_view noun) {
  return (std::to_string(number) + ' ').append(noun) + (number == 1 ? "" : "s");
}

std::string fields_text(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::size_t width = 0;
  for (const auto& [name, value] : fields)
    width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : fields) {
    std::string shown = name + ':' + std::string(width - name.size() + 1, ' ');
    for (char c : value)
      shown += c == '\n' ? "\n" + std::string(width + 2, ' ') : std::string(1, c);
    shown.erase(shown.find_last_not_of(' ') + 1);
    text += shown + '\n';
  }
  return text;
}

namespace {

/// Returns the size in bytes of a character at `at` that changes the text direction, else 0: U+061C, U+200E, U+200F, U+202A to
/// U+202E, U+2066 to U+2069. Such characters make a line display differently from its content.
std::size_t direction_size(std::string_view text, std::size_t at) noexcept {
  const auto here = text.substr(at, 3);
  if (here.starts_with("\xD8\x9C"))
    return 2;
  const auto last = here.size() == 3 ? static_cast<unsigned char>(here[2]) : 0U;
  const bool is_mark = here.starts_with("\xE2\x80") && (last == 0x8E || last == 0x8F || (last >= 0xAA && last <= 0xAE));
  const bool is_isolate = here.starts_with("\xE2\x81") && last >= 0xA6 && last <= 0xA9;
  return is_mark || is_isolate ? 3 : 0;
}

} // namespace

std::string harmless(std::string text, std::string_view kept) {
  text = core::valid_utf8(text);
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    // U+0080 to U+009F; in UTF-8 these byte values also occur inside other characters, so the first byte decides.
    const bool is_long = c == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    const bool is_short = (c < ' ' && kept.find(text[at]) == std::string_view::npos) || c == 0x7F;
    const std::size_t size = is_long ? 2 : is_short ? 1 : direction_size(text, at);
    shown += size > 0 ? ' ' : text[at];
    at += std::max(size, std::size_t{1});
  }
  return shown;
}

std::string one_line(std::string text) { return harmless(std::move(text), ""); }

} // namespace ringmaster::apps
