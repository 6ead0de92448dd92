#include "core/rules/group_draft_rules.hpp"

#include "core/columns.hpp"
#include "core/editing/edit_tag.hpp"
#include "core/job/address_list.hpp"
#include "core/rules/job_columns.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

tl::unexpected<error> group_text_too_long(std::string_view field) {
  return refuse(errc::invalid_argument, refusal::too_long, std::string{field} + " is longer than its column", std::string{field});
}

result<void> check_texts(const group& row, const std::string& list, const column_limits& limits) {
  for (const auto* text : {&row.app_name, &row.title, &list})
    if (valid_utf8(*text) != *text)
      return fail(errc::invalid_argument, "a text of the group is not valid UTF-8");
  if (!fits(row.app_name, app_name_chars))
    return group_text_too_long("appname");
  if (!check_title(row.title, limits))
    return group_text_too_long("title");
  if (list.size() > text_bytes)
    return group_text_too_long("addressList");
  return {};
}

error is_declared_group(const group_record& held) {
  return {errc::conflict,
          "group " + held.group.app_name + " is declared by the source " + held.source + "; change it there and apply"};
}

result<void> check_group_seen(const group_record& held, std::string_view seen) {
  return check_seen(held, seen, "group " + held.group.app_name);
}

std::string addresses_text(const group& row) {
  return row.type == address_type::manual ? join_addresses(row.addresses).value_or("") : "automatic";
}

std::vector<audit_line> changes_of(const group& before, const group& after) {
  std::vector<audit_line> out;
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

result<group_writing> write_group(const group_draft& draft, const std::optional<group_record>& held, std::string_view seen,
                                  const column_limits& limits, const principal& by) {
  if (auto may = check_admin(by); !may)
    return tl::unexpected{may.error()};
  const bool declared = held && !held->source.empty();
  if (declared && draft.access_token.empty())
    return tl::unexpected{is_declared_group(*held)};
  if (auto sound = check(draft); !sound)
    return tl::unexpected{sound.error()};
  group_writing out;
  auto& row = out.row;
  row.app_name = draft.app_name;
  row.title = draft.title;
  row.type = draft.type == 0 ? address_type::automatic : address_type::manual;
  if (row.type == address_type::manual)
    row.addresses = addresses_in(draft.address_list);
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
  out.changes = changes_of(held ? held->group : group{}, row);
  // Files do not contain the token.
  if (declared && !out.changes.empty())
    return tl::unexpected{is_declared_group(*held)};
  if (!draft.access_token.empty())
    out.changes.emplace_back("access_token: replaced");
  return out;
}

result<void> check_removal(const group_record& held, std::string_view seen, const group_uses& uses) {
  const auto refused = [&held](refusal why, const char* text) {
    return refuse(errc::conflict, why, "group " + held.group.app_name + text);
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

std::vector<audit_line> changes_of_removal(const group_record& held) { return changes_of(held.group, {}); }

result<void> check_read(const std::optional<group_record>& held, group_id group, const principal& by) {
  if (!held)
    return tl::unexpected{no_such_group(group)};
  return check_right(by, group_right::viewer, group);
}

error no_such_group(group_id group) {
  return {errc::not_found, "group " + std::to_string(number(group)) + " does not exist", refusal::group_illegal};
}

error group_name_is_taken(const std::string& app_name) {
  return {errc::conflict, "there is a group " + app_name + " already", refusal::app_name_repeated};
}

} // namespace ringmaster::core
