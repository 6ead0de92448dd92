#include "apps/client/refusal_text.hpp"

#include <algorithm>
#include <array>

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
  plain_words{refusal::schedule_type_illegal, "the schedule is invalid or never fires again"},
  plain_words{refusal::cron_illegal, "the cron expression is invalid"},
  plain_words{refusal::app_name_repeated, "another group has this app name"},
  plain_words{refusal::group_in_use, "the group has jobs"},
  plain_words{refusal::last_group, "the group is the last one"},
  plain_words{refusal::name_length, "the name must have 4 to 20 characters"},
  plain_words{refusal::user_repeated, "another user has this name"},
  plain_words{refusal::own_account, "users cannot change or remove their own account this way"},
};

bool is_said_by(refusal why, std::string_view detail) {
  for (const auto language : {core::language::zh_cn, core::language::zh_tc, core::language::en})
    if (protocol::wire::words_of(why, {}, {protocol::wire::dialect::xxl3, language}) == detail)
      return true;
  return false;
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
  const auto* const found =
    std::find_if(plain.begin(), plain.end(), [&](const plain_words& each) { return is_said_by(each.why, detail); });
  if (found == plain.end())
    return detail;
  std::string text{found->text};
  if (const auto place = text.find('%'); place != std::string::npos) {
    const auto id = id_in(target);
    text.replace(id.empty() ? place - 1 : place, id.empty() ? 2 : 1, id);
  }
  return text;
}

} // namespace ringmaster::apps
