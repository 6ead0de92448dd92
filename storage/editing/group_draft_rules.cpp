#include "storage/editing/group_draft_rules.hpp"

#include "core/columns.hpp"
#include "core/editing/edit_tag.hpp"
#include "core/text/text.hpp"
#include "storage/editing/job_columns.hpp"
#include "storage/rows/registry_text.hpp"

namespace ringmaster::storage {

namespace {

using core::address_type;
using core::errc;
using core::refusal;

tl::unexpected<core::error> group_text_too_long(std::string_view field) {
  return core::refuse(errc::invalid_argument, refusal::too_long, std::string{field} + " is longer than its column",
                      std::string{field});
}

core::result<void> check_texts(const core::group& row, const std::string& list, const column_limits& limits) {
  for (const auto* text : {&row.app_name, &row.title, &list})
    if (core::valid_utf8(*text) != *text)
      return core::fail(errc::invalid_argument, "a text of the group is not valid UTF-8");
  if (!core::fits(row.app_name, core::app_name_chars))
    return group_text_too_long("appname");
  if (!check_title(row.title, limits))
    return group_text_too_long("title");
  if (list.size() > core::text_bytes)
    return group_text_too_long("addressList");
  return {};
}

core::error is_declared_group(const core::group_record& held) {
  return {errc::conflict, "group " + held.group.app_name + " is declared by the source " + held.source +
                            "; change it there and apply"};
}

core::result<void> check_group_seen(const core::group_record& held, std::string_view seen) {
  return core::check_seen(held, seen, "group " + held.group.app_name);
}

std::string addresses_text(const core::group& row) {
  return row.type == address_type::manual ? join_addresses(row.addresses).value_or("") : "automatic";
}

std::vector<std::string> changes_of(const core::group& before, const core::group& after) {
  std::vector<std::string> out;
  const auto text = [&out](std::string_view name, const std::string& was, const std::string& is) {
    if (was != is)
      out.push_back(difference(name, was, is));
  };
  text("app_name", before.app_name, after.app_name);
  text("title", before.title, after.title);
  text("addresses", addresses_text(before), addresses_text(after));
  return out;
}

} // namespace

core::result<group_writing> write_group(const core::group_draft& draft, const std::optional<core::group_record>& held,
                                        std::string_view seen, const column_limits& limits, const core::principal& by) {
  if (auto may = core::check_admin(by); !may)
    return tl::unexpected{may.error()};
  const bool declared = held && !held->source.empty();
  if (declared && draft.access_token.empty())
    return tl::unexpected{is_declared_group(*held)};
  if (auto sound = core::check(draft); !sound)
    return tl::unexpected{sound.error()};
  group_writing out;
  auto& row = out.row;
  row.app_name = draft.app_name;
  row.title = draft.title;
  row.type = draft.type == 0 ? address_type::automatic : address_type::manual;
  if (row.type == address_type::manual)
    row.addresses = core::addresses_in(draft.address_list);
  if (auto fits = check_texts(row, join_addresses(row.addresses).value_or(""), limits); !fits)
    return tl::unexpected{fits.error()};
  // After all checks that fail in any case (RFC 9110 §13.2.1).
  if (held)
    if (auto as_seen = check_group_seen(*held, seen); !as_seen)
      return tl::unexpected{as_seen.error()};
  out.renamed = !held || held->group.app_name != row.app_name;
  const bool automatic = row.type == address_type::automatic;
  out.keeps_list = automatic && !out.renamed && held->group.type == address_type::automatic;
  out.takes_registered = automatic && !out.keeps_list;
  out.changes = changes_of(held ? held->group : core::group{}, row);
  // Files do not contain the token.
  if (declared && !out.changes.empty())
    return tl::unexpected{is_declared_group(*held)};
  if (!draft.access_token.empty())
    out.changes.emplace_back("access_token: replaced");
  return out;
}

core::result<void> check_removal(const core::group_record& held, std::string_view seen, const group_uses& uses) {
  const auto refused = [&held](refusal why, const char* text) {
    return core::refuse(errc::conflict, why, "group " + held.group.app_name + text);
  };
  if (!held.source.empty())
    return tl::unexpected{is_declared_group(held)};
  if (auto as_seen = check_group_seen(held, seen); !as_seen)
    return as_seen;
  if (uses.has_jobs)
    return refused(refusal::group_in_use, " has jobs");
  if (!uses.others)
    return refused(refusal::last_group, " is the last one");
  return {};
}

std::vector<std::string> changes_of_removal(const core::group_record& held) { return changes_of(held.group, {}); }

core::result<void> check_read(const std::optional<core::group_record>& held, core::group_id group, const core::principal& by) {
  if (!held)
    return tl::unexpected{no_such_group(group)};
  return core::check_right(by, core::group_right::viewer, group);
}

core::error no_such_group(core::group_id group) {
  return {errc::not_found, "group " + std::to_string(core::number(group)) + " does not exist", refusal::group_illegal};
}

core::error name_is_taken(const std::string& app_name) {
  return {errc::conflict, "there is a group " + app_name + " already", refusal::app_name_repeated};
}

} // namespace ringmaster::storage
