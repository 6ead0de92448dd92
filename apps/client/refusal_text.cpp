#include "apps/client/refusal_text.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "protocol/wire/xxl/dialect.hpp"

namespace ringmaster::apps {

namespace {

using core::refusal;

struct plain_words {
  refusal why;
  /// `%` marks the place of the object's id.
  std::string_view text;
};

constexpr std::array plain{
  plain_words{refusal::run_id_illegal, "run % does not exist"},
  plain_words{refusal::job_id_illegal, "job % does not exist"},
  plain_words{refusal::job_missing, "job % does not exist"},
  plain_words{refusal::group_illegal, "the group does not exist"},
  plain_words{refusal::type_disables_start, "a job without a schedule cannot be started, only triggered"},
  plain_words{refusal::schedule_type_illegal, "invalid schedule"},
  plain_words{refusal::cron_illegal, "the cron expression is invalid"},
  plain_words{refusal::app_name_repeated, "another group has this app name"},
  plain_words{refusal::group_in_use, "the group has jobs"},
  plain_words{refusal::last_group, "the group is the last one"},
  plain_words{refusal::name_length, "the name must have 4 to 20 characters"},
  plain_words{refusal::user_repeated, "another user has this name"},
  plain_words{refusal::own_account, "users cannot change or remove their own account this way"},
};

/// Returns what follows XXL-JOB's words for `why` in `detail`: nothing, or a colon and the reason; unset for other words.
std::optional<std::string> rest_after(refusal why, std::string_view detail) {
  for (const auto language : {core::language::zh_cn, core::language::zh_tc, core::language::en}) {
    const auto words = protocol::wire::words_of(why, {}, {protocol::wire::dialect::xxl3, language});
    if (detail == words || detail.starts_with(words + ": "))
      return std::string{detail.substr(words.size())};
  }
  return std::nullopt;
}

/// Returns the id in a path such as `/runs/17/log`; empty without one.
std::string_view id_in(std::string_view target) {
  const auto begin = target.find_first_of("0123456789");
  if (begin == std::string_view::npos || target.find('?') < begin)
    return {};
  return target.substr(begin, std::min(target.find_first_not_of("0123456789", begin), target.size()) - begin);
}

} // namespace

std::string plain_refusal(std::string detail, std::string_view target) {
  for (const auto& [why, words] : plain) {
    const auto rest = rest_after(why, detail);
    if (!rest)
      continue;
    std::string text{words};
    if (const auto place = text.find('%'); place != std::string::npos) {
      const auto id = id_in(target);
      text.replace(id.empty() ? place - 1 : place, id.empty() ? 2 : 1, id);
    }
    return text + *rest;
  }
  return detail;
}

} // namespace ringmaster::apps
