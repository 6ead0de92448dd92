#include "protocol/wire/xxl/multipart.hpp"

#include <algorithm>
#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::protocol::wire {

namespace {

constexpr std::size_t boundary_chars_max = 70;
constexpr std::string_view line_end = "\r\n";

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

bool is_boundary_char(char c) noexcept {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
         std::string_view{"'()+_,-./:=? "}.find(c) != std::string_view::npos;
}

/// Takes one `;`-separated piece from the front; a semicolon inside quotes does not separate.
std::string_view take_piece(std::string_view& rest) noexcept {
  bool quoted = false;
  std::size_t end = 0;
  for (; end < rest.size() && (quoted || rest[end] != ';'); ++end) {
    if (rest[end] == '"')
      quoted = !quoted;
    else if (quoted && rest[end] == '\\' && end + 1 < rest.size())
      ++end;
  }
  const auto piece = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return core::trimmed(piece);
}

/// Returns a parameter as it is written, without its quotes; escaped characters stay escaped.
std::optional<std::string_view> parameter_of(std::string_view header, std::string_view name) noexcept {
  take_piece(header);
  while (!header.empty()) {
    const auto piece = take_piece(header);
    const auto equals = piece.find('=');
    if (equals == std::string_view::npos || !equal_ignoring_case(core::trimmed(piece.substr(0, equals)), name))
      continue;
    auto value = core::trimmed(piece.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return value;
  }
  return std::nullopt;
}

/// Decodes a name: browsers write quotes and line breaks in names as escapes.
std::string plain_name(std::string_view written) {
  std::string out;
  out.reserve(written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i] == '\\' && i + 1 < written.size())
      ++i;
    out += written[i];
  }
  return out;
}

/// Returns the value of `Content-Disposition`; empty when there is none.
std::string_view disposition_of(std::string_view headers) noexcept {
  while (!headers.empty()) {
    const auto end = std::min(headers.find(line_end), headers.size());
    const auto line = headers.substr(0, end);
    headers.remove_prefix(std::min(end + line_end.size(), headers.size()));
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && equal_ignoring_case(core::trimmed(line.substr(0, colon)), "content-disposition"))
      return core::trimmed(line.substr(colon + 1));
  }
  return {};
}

tl::unexpected<core::error> broken(std::string_view why) {
  return core::fail(core::errc::invalid_argument, "the multipart form " + std::string{why});
}

} // namespace

bool is_media_type(std::string_view content_type, std::string_view wanted) noexcept {
  return equal_ignoring_case(core::trimmed(content_type.substr(0, content_type.find(';'))), wanted);
}

std::optional<std::string_view> boundary_of(std::string_view content_type) noexcept {
  const auto boundary = parameter_of(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > boundary_chars_max || boundary->back() == ' ' ||
      !std::all_of(boundary->begin(), boundary->end(), is_boundary_char))
    return std::nullopt;
  return boundary;
}

multipart_reader::multipart_reader(std::string_view body, std::string_view boundary)
  : rest_{body}, delimiter_{std::string{line_end}.append("--").append(boundary)} {}

bool multipart_reader::find_first() {
  const auto first = std::string_view{delimiter_}.substr(line_end.size());
  if (rest_.starts_with(first)) {
    rest_.remove_prefix(first.size());
    return pass_delimiter();
  }
  // The text before the first delimiter is for readers that do not know multipart bodies.
  const auto at = rest_.find(delimiter_);
  if (at == std::string_view::npos)
    return false;
  rest_.remove_prefix(at + delimiter_.size());
  return pass_delimiter();
}

bool multipart_reader::pass_delimiter() {
  if (rest_.starts_with("--")) {
    place_ = place::behind;
    return true;
  }
  rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  if (!rest_.starts_with(line_end))
    return false;
  rest_.remove_prefix(line_end.size());
  place_ = place::inside;
  return true;
}

core::result<std::optional<form_part>> multipart_reader::next() {
  if (place_ == place::before && !find_first())
    return broken("does not begin with its boundary");
  if (place_ == place::behind)
    return std::nullopt;

  const auto end = rest_.find(delimiter_);
  if (end == std::string_view::npos)
    return broken("ends inside a part");
  const auto part = rest_.substr(0, end);
  rest_.remove_prefix(end + delimiter_.size());
  if (!pass_delimiter())
    return broken("has an invalid boundary line");

  const auto blank_line = part.find("\r\n\r\n");
  const auto disposition = disposition_of(part.substr(0, blank_line));
  const auto name = parameter_of(disposition, "name");
  if (blank_line == std::string_view::npos || !is_media_type(disposition, "form-data") || !name)
    return broken("has a part without a name");
  if (parameter_of(disposition, "filename") || parameter_of(disposition, "filename*"))
    return broken("has a file; files are not accepted");
  return form_part{plain_name(*name), part.substr(blank_line + 4)};
}

} // namespace ringmaster::protocol::wire
