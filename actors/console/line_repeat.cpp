#include "actors/console/line_repeat.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ringmaster::actors {

namespace {

constexpr std::uint64_t compared_bytes = 64 * 1024;
constexpr std::string_view replacement = "\xEF\xBF\xBD";
/// A character that is not whole has at most three bytes.
constexpr std::size_t replacements_max = 3;

} // namespace

core::result<line_repeat> line_repeat::of(const spool_file& file) {
  const auto start = file.offset_of(file.lines());
  if (!start)
    return tl::unexpected{start.error()};
  line_repeat made;
  made.before_ = {*start, *start, file.lines() - 1};
  made.bytes_ = file.end().bytes - *start - (file.has_open_line() ? 0 : 1);
  const auto end_bytes = std::min<std::uint64_t>(made.bytes_, replacements_max * replacement.size());
  const auto end = file.read(*start + made.bytes_ - end_bytes, static_cast<std::size_t>(end_bytes));
  if (!end)
    return tl::unexpected{end.error()};
  std::string_view kept = *end;
  while (kept.ends_with(replacement))
    kept.remove_suffix(replacement.size());
  made.sure_bytes_ = made.bytes_ - (end->size() - kept.size());
  return made;
}

core::result<std::string_view> line_repeat::take(spool_file& file, std::string_view text) {
  while (state_ == state::open && !text.empty() && matched_ < bytes_) {
    const auto wanted = std::min<std::uint64_t>({text.size(), bytes_ - matched_, compared_bytes});
    const auto known = file.read(before_.bytes + matched_, static_cast<std::size_t>(wanted));
    if (!known)
      return tl::unexpected{known.error()};
    const auto equal = static_cast<std::size_t>(
      std::mismatch(known->begin(), known->end(), text.begin(), text.end()).first - known->begin());
    matched_ += equal;
    text.remove_prefix(equal);
    if (equal < wanted)
      return differs(file).map([text] { return text; });
  }
  if (state_ != state::open || text.empty())
    return text;
  if (text.front() != '\n')
    return differs(file).map([text] { return text; });
  state_ = state::same;
  text.remove_prefix(1);
  const auto done = file.has_open_line() ? file.append("\n") : core::result<void>{};
  return done.map([text] { return text; });
}

core::result<void> line_repeat::finish(spool_file& file) {
  return state_ == state::open && matched_ > 0 && matched_ < sure_bytes_ ? keep_other(file) : core::result<void>{};
}

core::result<void> line_repeat::undo(spool_file& file, const spool_file::position& begin) const {
  if (state_ != state::longer)
    return file.return_to(begin);
  return file.return_to({begin.bytes - removed_.size(), before_.whole_bytes, before_.whole_lines}).and_then([&] {
    return file.append(removed_);
  });
}

core::result<void> line_repeat::differs(spool_file& file) {
  if (bytes_ == 0 || matched_ < sure_bytes_)
    return keep_other(file);
  const auto end = before_.bytes + matched_;
  auto removed = file.read(end, static_cast<std::size_t>(file.end().bytes - end));
  if (!removed)
    return tl::unexpected{removed.error()};
  removed_ = std::move(*removed);
  state_ = state::longer;
  return file.return_to({end, before_.whole_bytes, before_.whole_lines});
}

/// Appends what was taken for the line: it is the beginning of another one.
core::result<void> line_repeat::keep_other(spool_file& file) {
  state_ = state::other;
  auto done = file.has_open_line() ? file.append("\n") : core::result<void>{};
  for (std::uint64_t at = 0; done && at < matched_;) {
    const auto text = file.read(before_.bytes + at, static_cast<std::size_t>(std::min(matched_ - at, compared_bytes)));
    if (!text)
      return tl::unexpected{text.error()};
    done = file.append(*text);
    at += text->size();
  }
  return done;
}

} // namespace ringmaster::actors
