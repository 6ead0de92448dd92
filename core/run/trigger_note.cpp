#include "core/run/trigger_note.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::string_view mark = "rm1;";
/// Prefix of a note with addresses after the fixed fields.
constexpr std::string_view long_mark = "rm2;";
/// Prefix of a note with dropped instants after the fixed fields.
constexpr std::string_view gap_mark = "rm3;";
constexpr std::size_t addresses_bytes_max = 2'000;
/// Maximum length of a host, so that the fixed part always fits.
constexpr std::size_t host_units_max = 255;

std::optional<trigger_kind> find_trigger_kind(std::string_view name) noexcept {
  for (auto kind : {trigger_kind::cron, trigger_kind::misfire, trigger_kind::manual, trigger_kind::parent, trigger_kind::retry,
                    trigger_kind::api, trigger_kind::missed})
    if (to_string(kind) == name)
      return kind;
  return std::nullopt;
}

std::string clean_host(std::string_view host) {
  auto text = valid_utf8(host);
  text.resize(cut_utf16(text, host_units_max).size());
  std::replace(text.begin(), text.end(), ';', '_');
  return text;
}

/// Returns as many addresses as there is room for.
std::string clean_addresses(std::string_view list) {
  auto text = valid_utf8(list.substr(0, 4 * addresses_bytes_max));
  std::replace(text.begin(), text.end(), ';', '_');
  if (text.size() > addresses_bytes_max) {
    text.resize(cut_bytes(text, addresses_bytes_max).size());
    const auto comma = text.rfind(',');
    text.resize(comma == std::string::npos ? text.size() : comma);
  }
  return text;
}

/// Formats `0/3`, and `0/3b` for a shard of a broadcast.
std::string encode(const shard& part) {
  return std::to_string(part.index) + '/' + std::to_string(part.total) + (part.broadcast ? "b" : "");
}

std::optional<shard> decode_shard(std::string_view text) {
  const bool broadcast = text.ends_with('b');
  text.remove_suffix(broadcast ? 1 : 0);
  const auto slash = text.find('/');
  if (slash == std::string_view::npos)
    return std::nullopt;
  const auto index = parse_int32(text.substr(0, slash)), total = parse_int32(text.substr(slash + 1));
  if (!index || !total)
    return std::nullopt;
  return shard{*index, *total, broadcast};
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && rest == text.data() + text.size() && value >= 0 ? std::optional{value} : std::nullopt;
}

std::optional<log_id> decode_origin(std::string_view digits) {
  const auto id = parse_number(digits);
  return id && *id > 0 ? std::optional{log_id{*id}} : std::nullopt;
}

/// Formats `1700000000000+4`, without further instants `1700000000000`.
std::string encode_instants(time_point first, std::size_t merged) {
  return std::to_string(to_ms(first)) + (merged > 0 ? '+' + std::to_string(merged) : std::string{});
}

/// Removes and returns the number after the first instant; 0 if there is none.
std::optional<std::size_t> take_merged(std::string_view& kind_field) {
  const auto plus = kind_field.find('+');
  if (plus == std::string_view::npos)
    return 0;
  const auto read = kind_field.find('@') < plus ? parse_number(kind_field.substr(plus + 1)) : std::nullopt;
  kind_field = kind_field.substr(0, plus);
  return read && *read > 0 ? std::optional{static_cast<std::size_t>(*read)} : std::nullopt;
}

/// Formats `3;1700000000000;1700000060000;`.
std::string encode(const missed_instants& gap) {
  return std::to_string(gap.count) + ';' + std::to_string(to_ms(gap.first)) + ';' + std::to_string(to_ms(gap.last)) + ';';
}

/// Removes and returns the three fields at the front of `text`.
std::optional<missed_instants> decode_missed(std::string_view& text) {
  std::array<std::int64_t, 3> numbers{};
  for (auto& number : numbers) {
    const auto end = text.find(';');
    const auto read = end == std::string_view::npos ? std::nullopt : parse_number(text.substr(0, end));
    if (!read)
      return std::nullopt;
    number = *read;
    text.remove_prefix(end + 1);
  }
  return missed_instants{static_cast<std::size_t>(numbers[0]), from_ms(numbers[1]), from_ms(numbers[2])};
}

/// Returns the strategy. One without a stored name is an empty field.
std::optional<route_strategy> decode_route(std::string_view name) {
  return name.empty() ? std::optional{route_strategy::unknown} : find_route_strategy(name);
}

} // namespace

std::string encode(const trigger_note& note) {
  std::string text{note.missed ? gap_mark : note.addresses.empty() ? mark : long_mark};
  text.append(to_string(note.kind));
  if (number(note.origin) > 0)
    text.append(1, '@').append(std::to_string(number(note.origin)));
  else if (note.kind == trigger_kind::misfire && note.instant)
    text.append(1, '@').append(encode_instants(*note.instant, note.merged));
  text.append(1, ';');
  text.append(clean_host(note.node_host)).append(1, ';');
  text.append(stored_name(note.route)).append(1, ';');
  text.append(encode(note.part)).append(1, ';');
  text.append(stored_name(note.block)).append(1, ';');
  text.append(std::to_string(note.timeout_s)).append(1, ';');
  text.append(std::to_string(note.retry_left)).append(1, ';');
  if (note.missed)
    text.append(encode(*note.missed));
  else if (!note.addresses.empty())
    text.append(clean_addresses(note.addresses)).append(1, ';');
  if (note.refused)
    text.append(refusal_mark);
  text.append(valid_utf8(note.message));
  text.resize(cut_utf16(text, message_units_max).size());
  return text;
}

std::string refusal_message(std::string_view words) { return std::string{refusal_mark}.append(words); }

std::string_view without_refusal_mark(std::string_view message) noexcept {
  message.remove_prefix(message.starts_with(refusal_mark) ? refusal_mark.size() : 0);
  return message;
}

std::optional<trigger_note> decode_trigger_note(std::string_view text) {
  const bool is_long = text.starts_with(long_mark);
  const bool is_gap = text.starts_with(gap_mark);
  if (!is_long && !is_gap && !text.starts_with(mark))
    return std::nullopt;
  text.remove_prefix(mark.size());
  std::array<std::string_view, 8> fields;
  for (std::size_t i = 0; i < (is_long ? fields.size() : fields.size() - 1); ++i) {
    const auto end = text.find(';');
    if (end == std::string_view::npos)
      return std::nullopt;
    fields[i] = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  const auto sign = std::min(fields[0].find('@'), fields[0].size());
  const auto kind = find_trigger_kind(fields[0].substr(0, sign));
  const auto merged = kind == trigger_kind::misfire ? take_merged(fields[0]) : std::optional<std::size_t>{0};
  const auto origin = sign == fields[0].size() ? std::optional{log_id{}} : decode_origin(fields[0].substr(sign + 1));
  const auto route = decode_route(fields[2]);
  const auto part = decode_shard(fields[3]);
  const auto block = find_block_strategy(fields[4]);
  const auto timeout_s = parse_int32(fields[5]), retry_left = parse_int32(fields[6]);
  if (!kind || !route || !part || !block || !timeout_s || !retry_left || !origin || !merged)
    return std::nullopt;
  trigger_note note{*kind, std::string{fields[1]}, *route, *part, *block, *timeout_s, *retry_left,
                    std::string{fields[7]}, {}, false, *origin};
  if (note.kind == trigger_kind::misfire && number(note.origin) > 0)
    note.instant = from_ms(number(std::exchange(note.origin, {})));
  note.merged = *merged;
  if (is_gap && !(note.missed = decode_missed(text)))
    return std::nullopt;
  note.refused = text.starts_with(refusal_mark);
  note.message = without_refusal_mark(text);
  return note;
}

std::optional<missed_instants> missed_in(std::string_view trigger_message) {
  if (!trigger_message.starts_with(missed_mark))
    return std::nullopt;
  auto note = decode_trigger_note(trigger_message);
  return note ? note->missed : std::nullopt;
}

trigger_note note_of(const missed_gap& gap, std::string_view node_host) {
  trigger_note note;
  note.kind = trigger_kind::missed;
  note.node_host = clean_host(node_host);
  note.route = gap.spec->route;
  note.block = gap.spec->block;
  note.timeout_s = gap.spec->timeout_s;
  note.message = gap.reason;
  note.missed = gap.what;
  return note;
}

trigger_note note_of(const planned_run& run, std::string_view node_host) {
  trigger_note note;
  note.kind = run.kind;
  note.origin = run.origin;
  note.instant = run.instant;
  note.merged = run.instant ? run.merged : 0;
  note.node_host = clean_host(node_host);
  note.route = run.spec->route;
  note.part = run.part;
  note.block = run.spec->block;
  note.timeout_s = run.spec->timeout_s;
  note.retry_left = run.retry_left;
  for (const auto& address : run.addresses)
    note.addresses += (note.addresses.empty() ? "" : ",") + address;
  return note;
}

} // namespace ringmaster::core
