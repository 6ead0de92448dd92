#include "storage/admin/sql_dialect.hpp"

namespace ringmaster::storage {

std::string in_dialect(std::string_view text, const sql_dialect& spoken) {
  std::string out;
  for (auto at = text.find('$'); at != text.npos; at = text.find('$')) {
    const auto index = find_sql_word(text.substr(at + 1));
    const bool is_word = index < sql_words.size();
    out += text.substr(0, is_word ? at : at + 1);
    text.remove_prefix(at + 1);
    if (!is_word)
      continue;
    const auto& word = sql_words[index];
    text.remove_prefix(word.name.size());
    std::string own{spoken.*word.text};
    if (word.takes_argument) {
      const auto end = text.find(')');
      if (const auto mark = own.find('#'); mark != own.npos)
        own.replace(mark, 1, text.substr(1, end - 1));
      text.remove_prefix(end + 1);
    }
    out += own;
  }
  return out += text;
}

} // namespace ringmaster::storage
