// The stored text of a plan: writing and reading.

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "core/elastic/plan.hpp"
#include "core/ids.hpp"

namespace ringmaster::core::elastic {

namespace {

constexpr std::string_view borrowed_word = "borrowed";
/// Longer texts are refused before they are read: 100 000 items, each with a part of its own.
constexpr std::size_t plan_bytes_max = std::size_t{4} << 20U;

void append_share(std::string& text, const item_share& share) {
  const auto& owner = share.owner;
  text += (text.empty() ? "" : ";") + (owner.is_assigned() ? std::to_string(number(owner.host)) : "-");
  char separator = ':';
  for (const auto items : share.items) {
    text += separator + std::to_string(items.first);
    if (items.last > items.first)
      text += '-' + std::to_string(items.last);
    separator = ',';
  }
  if (!owner.is_assigned() || owner.home != no_host)
    (text += ' ') += owner.is_assigned() ? borrowed_word : to_string(owner.reason);
  if (owner.home != no_host)
    text += '@' + std::to_string(number(owner.home));
}

std::optional<gap_reason> parse_gap(std::string_view word) noexcept {
  for (auto value = static_cast<std::uint8_t>(gap_reason::no_host); value <= static_cast<std::uint8_t>(gap_reason::left_out);
       ++value)
    if (to_string(gap_reason{value}) == word)
      return gap_reason{value};
  return std::nullopt;
}

/// Reads shares from left to right. A failed method leaves the position at the error.
class plan_text_reader {
public:
  explicit plan_text_reader(std::string_view text) : text_(text) {}

  result<std::vector<item_share>> read() {
    std::vector<item_share> shares;
    do {
      item_share share;
      if (!read_host(share.owner))
        return wrong("expected a host number or -");
      if (!skip(':') || !read_items(share.items))
        return wrong("expected : and ranges of items");
      if (!read_word(share.owner))
        return wrong("expected a reason, or borrowed and the home of the items");
      shares.push_back(std::move(share));
    } while (skip(';'));
    if (pos_ != text_.size())
      return wrong("expected ; or the end of the text");
    return shares;
  }

private:
  [[nodiscard]] tl::unexpected<error> wrong(std::string_view why) const {
    return fail(errc::invalid_argument, "invalid text of a plan, byte " + std::to_string(pos_ + 1) + ": " + std::string{why});
  }

  bool skip(char wanted) noexcept {
    const bool found = pos_ < text_.size() && text_[pos_] == wanted;
    pos_ += found ? 1 : 0;
    return found;
  }

  std::optional<std::int32_t> read_number() noexcept {
    std::int32_t value = 0;
    if (pos_ >= text_.size() || text_[pos_] < '0' || text_[pos_] > '9')
      return std::nullopt;
    const auto [end, failure] = std::from_chars(text_.data() + pos_, text_.data() + text_.size(), value);
    if (failure != std::errc{})
      return std::nullopt;
    pos_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  bool read_host_number(host_number& host) noexcept {
    const auto read = read_number();
    host = host_number{read.value_or(0)};
    return host != no_host;
  }

  bool read_host(item_owner& owner) noexcept { return skip('-') || read_host_number(owner.host); }

  bool read_items(std::vector<item_range>& items) {
    do {
      const auto first = read_number();
      const auto last = first && skip('-') ? read_number() : first;
      if (!last)
        return false;
      items.push_back({*first, *last});
    } while (skip(','));
    return true;
  }

  /// Reads the word of an unassigned or borrowed share, and the home after it.
  bool read_word(item_owner& owner) noexcept {
    if (!skip(' '))
      return owner.is_assigned();
    const auto rest = text_.substr(pos_);
    const auto word = rest.substr(0, rest.find_first_of("@;"));
    const auto reason = owner.is_assigned() ? std::optional{gap_reason::none} : parse_gap(word);
    if (!reason || (owner.is_assigned() && word != borrowed_word))
      return false;
    owner.reason = *reason;
    pos_ += word.size();
    if (skip('@'))
      return read_host_number(owner.home);
    return !owner.is_assigned();
  }

  std::string_view text_;
  std::size_t pos_ = 0;
};

} // namespace

std::string item_plan::encode() const {
  std::string text;
  for (const auto& share : shares())
    append_share(text, share);
  return text;
}

result<item_plan> item_plan::decode(std::int32_t total, std::string_view text) {
  if (text.size() > plan_bytes_max)
    return fail(errc::invalid_argument, "invalid text of a plan: " + std::to_string(text.size()) + " bytes are too many");
  auto shares = plan_text_reader{text}.read();
  if (!shares)
    return tl::unexpected{std::move(shares.error())};
  auto decoded = make(total, *shares);
  if (!decoded)
    return decoded;
  const auto expected = decoded->encode();
  if (expected != text) {
    const auto [left, right] = std::mismatch(expected.begin(), expected.end(), text.begin(), text.end());
    return fail(errc::invalid_argument, "invalid text of a plan, byte " + std::to_string(left - expected.begin() + 1) +
                                            ": shares and ranges must be in order, joined and without leading zeros");
  }
  return decoded;
}

} // namespace ringmaster::core::elastic
