#include "storage/rows/datetime_text.hpp"

#include <utility>

namespace ringmaster::storage {

datetime_text::datetime_text(core::zone where) : where_{std::move(where)} {}

const std::string& datetime_text::of(core::time_point t) {
  auto second = core::cut_to_second(t);
  if (written_at_ != second) {
    written_ = where_.format(second);
    written_at_ = second;
  }
  return written_;
}

std::optional<core::time_point> datetime_text::read(std::string_view text) {
  if (read_ != text || text.empty()) {
    read_ = text;
    auto parsed = where_.parse(text);
    read_at_ = parsed ? std::optional{*parsed} : std::nullopt;
  }
  return read_at_;
}

} // namespace ringmaster::storage
