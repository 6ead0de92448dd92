#include "core/run/kept_log.hpp"

#include "core/text/text.hpp"

namespace ringmaster::core {

std::string cut_log(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max)
    return text;
  const auto note = "[log truncated: only the first " + std::to_string(bytes_max) + " bytes are kept]\n";
  const auto room = bytes_max > note.size() ? bytes_max - note.size() - 1 : 0;
  text.resize(cut_bytes(text, room).size());
  // A line that is longer than the limit is kept in part.
  if (const auto end = text.rfind('\n'); end != std::string::npos)
    text.resize(end);
  return text + '\n' + note;
}

std::vector<std::string_view> pieces_of(std::string_view text, std::size_t bytes_max) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    auto part = cut_bytes(text, bytes_max);
    if (part.empty()) // no character fits
      break;
    out.push_back(part);
    text.remove_prefix(part.size());
  }
  return out;
}

} // namespace ringmaster::core
