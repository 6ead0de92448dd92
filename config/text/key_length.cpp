#include "config/text/key_length.hpp"

#include <algorithm>

namespace ringmaster::config {

namespace {

/// Scanner that splits a text as far as keys require. It stops at an invalid part, which the parser then reports.
class key_scanner {
public:
  explicit key_scanner(std::string_view text) noexcept : text_{text} {}

  std::optional<std::size_t> long_key_line() noexcept {
    for (std::size_t dots = 0; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '"' || c == '\'')
        skip_string(c);
      else if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else {
        // Any other character is part of a key, a blank next to it, or part of a number, which has one dot.
        dots = ends_key(c) ? 0 : dots + (c == '.' ? 1 : 0);
        if (dots >= key_parts_max)
          return line_here();
        ++at_;
      }
    }
    return std::nullopt;
  }

private:
  static bool ends_key(char c) noexcept { return std::string_view{"\n=,[]{}"}.find(c) != std::string_view::npos; }

  void skip_string(char quote) noexcept {
    if (quotes_here(quote, 3) == 3)
      return skip_long_string(quote);
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return;
      }
      skip_escape(quote);
    }
  }

  /// Skips a multi-line string. Three quotes end it, and up to two quotes before them belong to it.
  void skip_long_string(char quote) noexcept {
    for (at_ += 3; at_ < text_.size();) {
      const auto quotes = quotes_here(quote, 5);
      skip_escape(quote);
      at_ += std::max(quotes, std::size_t{1});
      if (quotes >= 3)
        return;
    }
  }

  /// Skips the character after a backslash, except the end of a line.
  void skip_escape(char quote) noexcept {
    if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n')
      ++at_;
  }

  [[nodiscard]] std::size_t quotes_here(char quote, std::size_t most) const noexcept {
    const auto rest = text_.substr(at_, most); // limits the work for a text that consists only of quotes
    return std::min(rest.find_first_not_of(quote), rest.size());
  }

  [[nodiscard]] std::size_t line_here() const noexcept {
    const auto before = text_.substr(0, at_);
    return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace

std::optional<std::size_t> long_key_line(std::string_view text) noexcept { return key_scanner{text}.long_key_line(); }

} // namespace ringmaster::config
