#include "core/elastic/heard_result.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

#include "core/elastic/store_ops.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

namespace {

constexpr std::int64_t result_format = 1;
/// Size of the cursor when there is none.
constexpr std::int64_t no_cursor = -1;

/// Numbers of the first line.
struct head_line {
  enum place : std::size_t { version, end, outcome, at_ms, cursor_number, text_bytes, cursor_bytes, count };
  std::array<std::int64_t, count> numbers{};
};

std::optional<head_line> head_in(std::string_view line) {
  head_line out;
  const auto* at = line.data();
  const auto* const end = at + line.size();
  for (std::size_t i = 0; i < out.numbers.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ' '))
      return std::nullopt;
    const auto read = std::from_chars(at, end, out.numbers[i]);
    if (read.ec != std::errc{})
      return std::nullopt;
    at = read.ptr;
  }
  return at == end ? std::optional{out} : std::nullopt;
}

} // namespace

std::string encode(const heard_result& what) {
  const auto valid = valid_utf8(what.text);
  const auto text = cut_characters(valid, run_message_chars);
  std::string out;
  const auto cursor_number = std::min(what.cursor_number, std::uint64_t{std::numeric_limits<std::int64_t>::max()});
  for (const auto number :
       {result_format, std::int64_t{static_cast<std::uint8_t>(what.end)}, std::int64_t{static_cast<std::uint8_t>(what.outcome)},
        std::clamp(to_ms(what.at), std::int64_t{0}, latest_ms), static_cast<std::int64_t>(cursor_number),
        static_cast<std::int64_t>(text.size())})
    out.append(std::to_string(number)).append(1, ' ');
  out.append(std::to_string(what.cursor ? static_cast<std::int64_t>(what.cursor->size()) : no_cursor)).append(1, '\n');
  return out.append(text).append(what.cursor.value_or(""));
}

result<heard_result> decode_result(std::string_view bytes) {
  const auto refused = [](const char* why) { return fail(errc::invalid_argument, std::string{"a result in the inbox "} + why); };
  const auto cut = bytes.find('\n');
  const auto head = cut == std::string_view::npos ? std::nullopt : head_in(bytes.substr(0, cut));
  if (!head)
    return refused("does not begin with its numbers");
  const auto& numbers = head->numbers;
  if (numbers[head_line::version] != result_format)
    return refused("has an unknown format");
  constexpr auto last_outcome = std::int64_t{static_cast<std::uint8_t>(host_outcome::cancelled)};
  constexpr auto last_end = std::int64_t{static_cast<std::uint8_t>(heard_end::cut_short)};
  if (numbers[head_line::end] < 0 || numbers[head_line::end] > last_end || numbers[head_line::outcome] < 0 ||
      numbers[head_line::outcome] > last_outcome || numbers[head_line::cursor_number] < 0 || numbers[head_line::at_ms] < 0 ||
      numbers[head_line::at_ms] > latest_ms)
    return refused("has a number outside its range");
  const auto rest = bytes.substr(cut + 1);
  const auto text_bytes = numbers[head_line::text_bytes];
  const auto cursor_bytes_given = numbers[head_line::cursor_bytes];
  const auto size = static_cast<std::int64_t>(rest.size());
  if (text_bytes < 0 || text_bytes > size || cursor_bytes_given < no_cursor ||
      size - text_bytes != (cursor_bytes_given == no_cursor ? 0 : cursor_bytes_given) ||
      cursor_bytes_given > static_cast<std::int64_t>(cursor_bytes))
    return refused("has another size than it says");
  heard_result out;
  out.end = heard_end{static_cast<std::uint8_t>(numbers[head_line::end])};
  out.outcome = host_outcome{static_cast<std::uint8_t>(numbers[head_line::outcome])};
  out.at = from_ms(numbers[head_line::at_ms]);
  out.cursor_number = static_cast<std::uint64_t>(numbers[head_line::cursor_number]);
  out.text = valid_utf8(rest.substr(0, static_cast<std::size_t>(text_bytes)));
  if (cursor_bytes_given != no_cursor)
    out.cursor = std::string{rest.substr(static_cast<std::size_t>(text_bytes))};
  return out;
}

bool is_result_of_body(std::string_view bytes) {
  const auto read = decode_result(bytes);
  return !read || read->end == heard_end::finished || read->end == heard_end::cut_short;
}

} // namespace ringmaster::core::elastic
