#include "storage/rows/registry_text.hpp"

#include <map>
#include <utility>

namespace ringmaster::storage {

std::string_view name_of(core::token_kind kind) noexcept { return kind == core::token_kind::common ? "common" : "previous"; }

std::optional<core::token_kind> shown_kind(std::string_view name) noexcept {
  for (const auto kind : {core::token_kind::common, core::token_kind::previous})
    if (name == name_of(kind))
      return kind;
  return std::nullopt;
}

void join_tokens(core::registry_state& state, std::vector<core::registration>&& tokens) {
  if (tokens.empty())
    return;
  std::map<std::pair<std::string_view, std::string_view>, core::registration*> by_identity;
  for (auto& row : state.registrations)
    if (row.registry_group == "EXECUTOR")
      by_identity.emplace(std::pair{std::string_view{row.app_name}, std::string_view{row.address}}, &row);
  for (auto& token : tokens) {
    const auto found = by_identity.find({token.app_name, token.address});
    if (found == by_identity.end())
      state.left_tokens.push_back(std::move(token));
    else
      found->second->shown = token.shown;
  }
}

core::result<void> check(const core::registry_batch& batch) {
  for (const auto& row : batch.renewed)
    if (auto why = core::misfit_of(row.registry_group, row.app_name, row.address); !why.empty())
      return core::fail(core::errc::invalid_argument, std::move(why));
  for (const auto& row : batch.tokens)
    if (auto why = core::misfit_of(row.registry_group, row.app_name, row.address); !why.empty())
      return core::fail(core::errc::invalid_argument, std::move(why));
  return {};
}

} // namespace ringmaster::storage
