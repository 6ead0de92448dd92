#include "gateway/transport/client/reply_reader.hpp"

#include <algorithm>
#include <charconv>

#include "core/text/ascii_case.hpp"

namespace ringmaster::gateway::http {

namespace {

/// Keep-alive time of a peer that announces none, and the maximum for one that does.
constexpr std::uint64_t keeps_seconds_max = 24 * 60 * 60;

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}


/// Calls `visit` for each comma-separated word.
template <class Visit>
void for_each_word(std::string_view list, Visit visit) {
  for (;;) {
    auto comma = std::min(list.find(','), list.size());
    visit(trim(list.substr(0, comma)));
    if (comma == list.size())
      return;
    list.remove_prefix(comma + 1);
  }
}

/// Parses the whole of `text`, or returns false.
bool parse_number(std::string_view text, std::uint64_t& value, int base) noexcept {
  if (text.empty())
    return false;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return ec == std::errc{} && end == text.data() + text.size();
}

} // namespace

void reply_reader::reset(std::size_t body_bytes_max, protocol::http_body_sink* sink) {
  part_ = part::status_line;
  keep_alive_ = framed_ = has_length_ = chunked_ = started_ = too_large_ = false;
  status_ = 0;
  keeps_for_ = std::chrono::seconds{keeps_seconds_max};
  body_bytes_max_ = body_bytes_max;
  body_bytes_ = 0;
  sink_ = sink;
  head_bytes_ = 0;
  left_ = 0;
  line_.clear();
  body_.clear();
  error_.clear();
}

reply_reader::state reply_reader::feed(std::string_view& bytes) {
  started_ |= !bytes.empty();
  std::string_view line;
  while (!bytes.empty() && part_ != part::complete && part_ != part::broken) {
    if (part_ == part::sized_body || part_ == part::endless_body || part_ == part::chunk) {
      take_body_bytes(bytes);
    } else if (take_line(bytes, line)) {
      on_line(line);
      line_.clear();
    }
  }
  return result();
}

reply_reader::state reply_reader::end() {
  if (part_ == part::endless_body)
    part_ = part::complete;
  else if (part_ != part::complete && part_ != part::broken)
    fail(started_ ? "the connection was closed in the middle of the reply" : "the connection was closed without a reply");
  return result();
}

reply_reader::state reply_reader::result() const noexcept {
  if (part_ == part::complete)
    return state::complete;
  return part_ == part::broken ? state::broken : state::reading;
}

void reply_reader::fail(std::string why) {
  part_ = part::broken;
  error_ = std::move(why);
}

void reply_reader::fail_as_too_large() {
  too_large_ = true;
  fail("the reply is larger than " + std::to_string(body_bytes_max_) + " bytes");
}

bool reply_reader::take_line(std::string_view& bytes, std::string_view& line) {
  auto end = bytes.find('\n');
  bool whole = end != std::string_view::npos;
  auto piece = bytes.substr(0, whole ? end : bytes.size());
  bytes.remove_prefix(whole ? end + 1 : bytes.size());
  head_bytes_ += piece.size() + 1;
  if (head_bytes_ > head_bytes_max) {
    fail("the reply's header is larger than 64 KiB");
    return false;
  }
  if (!whole || !line_.empty())
    line_.append(piece);
  if (!whole)
    return false;
  line = line_.empty() ? piece : std::string_view{line_};
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  return true;
}

void reply_reader::take_body_bytes(std::string_view& bytes) {
  auto n = bytes.size();
  if (part_ != part::endless_body)
    n = static_cast<std::size_t>(std::min<std::uint64_t>(n, left_));
  if (!has_room_for(n))
    return fail_as_too_large();
  const auto piece = bytes.substr(0, n);
  bytes.remove_prefix(n);
  body_bytes_ += n;
  body_.append(sink_ ? piece.substr(0, sunk_bytes_kept - body_.size()) : piece);
  if (sink_ && !sink_->take(piece))
    return fail("the rest of the reply was not wanted");
  if (part_ == part::endless_body)
    return;
  left_ -= n;
  if (left_ == 0)
    part_ = part_ == part::chunk ? part::chunk_end : part::complete;
}

void reply_reader::on_line(std::string_view line) {
  switch (part_) {
  case part::status_line: return on_status_line(line);
  case part::header: return line.empty() ? on_head_end() : on_header(line);
  case part::chunk_size: return on_chunk_size(line);
  case part::chunk_end: return line.empty() ? void(part_ = part::chunk_size) : fail("the reply has a malformed chunk");
  case part::trailer:
    if (line.empty())
      part_ = part::complete;
    return;
  default: return;
  }
}

void reply_reader::on_status_line(std::string_view line) {
  if (line.empty())
    return; // Some peers end a body with a line break that its length does not count.
  if (!line.starts_with("HTTP/"))
    return fail("the reply is not HTTP");
  auto space = std::min(line.find(' '), line.size());
  keep_alive_ = line.substr(0, space) == "HTTP/1.1";
  auto code = trim(line.substr(space));
  if (code.size() < 3 || !is_digit(code[0]) || !is_digit(code[1]) || !is_digit(code[2]) ||
      (code.size() > 3 && !is_blank(code[3])))
    return fail("the reply has a malformed status line");
  status_ = static_cast<unsigned>((code[0] - '0') * 100 + (code[1] - '0') * 10 + (code[2] - '0'));
  if (status_ < 100)
    return fail("the reply has a malformed status line");
  part_ = part::header;
}

void reply_reader::on_header(std::string_view line) {
  auto colon = line.find(':');
  // Folded lines and invalid lines carry nothing that frames the reply.
  if (colon == std::string_view::npos || is_blank(line.front()))
    return;
  auto name = trim(line.substr(0, colon));
  auto value = trim(line.substr(colon + 1));
  if (core::equal_without_case(name, "content-length"))
    on_content_length(value);
  else if (core::equal_without_case(name, "connection"))
    on_connection(value);
  else if (core::equal_without_case(name, "keep-alive"))
    on_keep_alive(value);
  else if (core::equal_without_case(name, "transfer-encoding"))
    for_each_word(value, [this](std::string_view word) {
      if (core::equal_without_case(word, "chunked") && !chunked_)
        chunked_ = true;
      else if (!core::equal_without_case(word, "identity"))
        fail("the reply has a transfer encoding that was not asked for");
    });
}

void reply_reader::on_content_length(std::string_view value) {
  std::uint64_t length = 0;
  if (!parse_number(value, length, 10) || (has_length_ && length != left_))
    return fail("the reply has a malformed Content-Length");
  has_length_ = true;
  left_ = length;
}

void reply_reader::on_connection(std::string_view value) {
  for_each_word(value, [this](std::string_view word) {
    if (core::equal_without_case(word, "close"))
      keep_alive_ = false;
    else if (core::equal_without_case(word, "keep-alive"))
      keep_alive_ = true;
  });
}

void reply_reader::on_keep_alive(std::string_view value) {
  for_each_word(value, [this](std::string_view word) {
    constexpr std::string_view key = "timeout=";
    std::uint64_t seconds = 0;
    if (core::equal_without_case(word.substr(0, key.size()), key) && parse_number(word.substr(key.size()), seconds, 10))
      keeps_for_ = std::chrono::seconds{std::min(seconds, keeps_seconds_max)};
  });
}

void reply_reader::on_head_end() {
  if (status_ == 101)
    return fail("the reply switches to another protocol");
  if (status_ < 200) {
    keep_alive_ = has_length_ = chunked_ = false;
    left_ = 0;
    part_ = part::status_line;
    return;
  }
  // The end of a reply with both is ambiguous; later bytes on the connection are not to be trusted.
  if (chunked_ && has_length_)
    keep_alive_ = false;
  framed_ = true;
  if (status_ == 204 || status_ == 304) {
    part_ = part::complete;
  } else if (chunked_) {
    part_ = part::chunk_size;
  } else if (!has_length_) {
    framed_ = false;
    part_ = part::endless_body;
  } else if (left_ > body_bytes_max_) {
    fail_as_too_large();
  } else {
    body_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(left_, sink_ ? sunk_bytes_kept : 64 * 1024)));
    part_ = left_ == 0 ? part::complete : part::sized_body;
  }
}

void reply_reader::on_chunk_size(std::string_view line) {
  auto digits = trim(line.substr(0, line.find(';')));
  if (!parse_number(digits, left_, 16))
    return fail("the reply has a malformed chunk");
  if (!has_room_for(left_))
    return fail_as_too_large();
  // A reply in countless tiny chunks is bounded by its body; only the head and the trailers count as header bytes.
  head_bytes_ = 0;
  part_ = left_ == 0 ? part::trailer : part::chunk;
}

} // namespace ringmaster::gateway::http
