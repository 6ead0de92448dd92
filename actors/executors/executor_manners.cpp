// executor_link: tokens and paths with which an executor is called, by group.

#include <algorithm>

#include "actors/executors/executor_link.hpp"
#include "core/text/text.hpp"

namespace ringmaster::actors {

const executor_link_state::manner& executor_link_state::manner_for(core::group_id group) {
  look_at_tokens();
  const auto [known, fresh] = manners_.try_emplace(core::number(group));
  auto& made = known->second;
  if (!fresh)
    return made;
  made.group = group_of(group);
  const auto facts = learnt_.find(made.group ? made.group->app_name : std::string{});
  const bool has_facts = facts != learnt_.end();
  made.token_kind = has_facts && facts->second.token ? *facts->second.token : shown_for(made.group);
  made.token = token_for(made.group, made.token_kind);
  if (has_facts && facts->second.trigger_path)
    made.trigger_path = *facts->second.trigger_path;
  else
    made.trigger_path = made.group && registry_->with_app_header.contains({made.group->app_name, registered_});
  return made;
}

const core::group* executor_link_state::group_of(core::group_id group) const {
  const auto& groups = registry_->groups;
  if (auto named = groups.find(core::number(group)); named != groups.end())
    return &named->second;
  const core::group* first = nullptr;
  for (const auto& [id, one] : groups)
    if ((!first || one.id < first->id)
        && std::find(one.addresses.begin(), one.addresses.end(), registered_) != one.addresses.end())
      first = &one;
  return first;
}

// Before an executor has shown a token, it is assumed to have the token of its group, if that has one.
core::token_kind executor_link_state::shown_for(const core::group* group) const {
  if (!group || group->access_token.empty())
    return core::token_kind::common;
  const auto shown = registry_->tokens_shown.find({group->app_name, registered_});
  return shown != registry_->tokens_shown.end() ? shown->second : core::token_kind::group;
}

// If no group has its own token, there is nothing to keep apart.
bool executor_link_state::may_see_common_token(const core::group* group) const {
  if (registry_->without_common_token.contains(place_))
    return false;
  if (group)
    return group->access_token.empty() || shown_for(group) == core::token_kind::common;
  const auto& groups = registry_->groups;
  return knows_groups()
         && std::all_of(groups.begin(), groups.end(), [](const auto& each) { return each.second.access_token.empty(); });
}

const std::string* executor_link_state::token_for(const core::group* group, core::token_kind kind) const {
  const bool is_former = kind == core::token_kind::former && !core::is_blank(common_->former);
  if (!group || group->access_token.empty() || kind == core::token_kind::common || is_former)
    return may_see_common_token(group) ? (is_former ? &common_->former : &common_->current) : nullptr;
  const bool has_previous = kind == core::token_kind::previous && !group->previous_token.empty();
  return has_previous ? &group->previous_token : &group->access_token;
}

bool executor_link_state::has_token(const core::group* of, core::token_kind kind) const {
  using enum core::token_kind;
  switch (kind) {
  case common: return may_see_common_token(of);
  case former: return !core::is_blank(common_->former) && may_see_common_token(of);
  case previous: return of && !of->access_token.empty() && !of->previous_token.empty();
  case group: return of && !of->access_token.empty();
  }
  return false;
}

bool executor_link_state::switch_token(core::group_id group, shown_tokens& tokens) {
  using core::token_kind;
  const auto bit = [](token_kind kind) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind)); };
  const auto* of = group_of(group);
  tokens.refused = static_cast<std::uint8_t>(tokens.refused | bit(tokens.now));
  auto& learnt = learnt_[of ? of->app_name : std::string{}].token;
  // Other runs of the same batch may have switched already.
  for (const auto kind : {manner_for(group).token_kind, token_kind::group, token_kind::previous, token_kind::common,
                          token_kind::former}) {
    if (!has_token(of, kind) || (tokens.refused & bit(kind)) != 0)
      continue;
    learnt = tokens.now = kind;
    manners_.clear();
    return true;
  }
  learnt.reset();
  manners_.clear();
  return false;
}

void executor_link_state::learn_path(core::group_id group, bool trigger_path) {
  const auto* of = group_of(group);
  learnt_[of ? of->app_name : std::string{}].trigger_path = trigger_path;
  manners_.clear();
}

} // namespace ringmaster::actors
