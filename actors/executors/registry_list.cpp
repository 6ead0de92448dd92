// registry_table: the executors that users see, and those that have gone.

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "actors/executors/registry_table.hpp"
#include "core/text/ascii_case.hpp"
#include "core/text/native_address.hpp"

namespace ringmaster::actors {

namespace {

bool contains_without_case(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return core::ascii_lower(a) == core::ascii_lower(b); })
         != text.end();
}

/// A page of executors as it is cut out of all of them.
class executor_page {
public:
  explicit executor_page(const core::executor_search& search) : search_{search} {}

  /// Returns true if the search finds the executor by its texts.
  [[nodiscard]] bool finds(const core::group& of, std::string_view address) const {
    const auto& part = search_.part;
    return part.empty() || contains_without_case(address, part) || contains_without_case(of.app_name, part)
           || contains_without_case(of.title, part);
  }

  void add(core::known_executor&& one) {
    if (search_.state && *search_.state != one.state)
      return;
    const auto place = static_cast<std::size_t>(page_.total++);
    if (place >= search_.window.offset && page_.rows.size() < search_.window.limit)
      page_.rows.push_back(std::move(one));
  }
  [[nodiscard]] core::page<core::known_executor> take() { return std::move(page_); }

private:
  const core::executor_search& search_;
  core::page<core::known_executor> page_;
};

} // namespace

core::executor_family registry_table::family_of(const entry& known) noexcept {
  if (known.renewed == 0)
    return core::executor_family::unknown;
  if (known.link)
    return core::executor_family::native;
  return known.app_header ? core::executor_family::xxl_3_5 : core::executor_family::xxl;
}

core::time_point registry_table::last_beat_of(const entry& known) noexcept {
  return known.renewed > 0 ? std::max(known.seen, known.row_seen) : known.row_seen;
}

registry_table::duration registry_table::age_of(const entry& known) const {
  auto age = duration::max();
  if (known.renewed > 0)
    age = listened_.total() - known.heard;
  if (known.row_changed)
    age = std::min(age, read_->total() - *known.row_changed);
  return age;
}

core::executor_state registry_table::state_of(const entry& known) const {
  return age_of(known) > dead_after_ * 2 / 3 ? core::executor_state::late : core::executor_state::online;
}

core::known_executor registry_table::describe(const core::group& of, const std::string& address, const entry& known) const {
  return {of.id, of.app_name, address, state_of(known), last_beat_of(known), known.link || core::is_native_address(address),
          family_of(known)};
}

core::known_executor registry_table::describe_absent(const core::group& of, const key& which) const {
  const auto& address = std::get<2>(which);
  const bool link = core::is_native_address(address);
  if (const auto left = departed_.find(which); left != departed_.end())
    return {of.id, of.app_name, address, core::executor_state::gone, left->second.seen, left->second.link, left->second.family};
  if (const auto dead = dead_.find(which); dead != dead_.end())
    return {of.id, of.app_name, address, core::executor_state::gone, dead->second.seen, link, {}};
  return {of.id, of.app_name, address, core::executor_state::entered, {}, link, {}};
}

template <class Visit>
void registry_table::visit_executors(std::optional<core::group_id> only, const core::principal& by, Visit visit) const {
  std::vector<const core::group*> groups;
  for (const auto& each : groups_)
    if ((!only || *only == each.id) && by.may(core::group_right::viewer, each.id))
      groups.push_back(&each);
  std::sort(groups.begin(), groups.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  for (const auto* of : groups) {
    const auto key_of = [of](const std::string& address) { return key{routed_group, of->app_name, address}; };
    const auto is_of = [of](const key& which) {
      return std::get<0>(which) == routed_group && std::get<1>(which) == of->app_name;
    };
    if (of->type == core::address_type::manual) {
      for (const auto& address : of->addresses) {
        const auto which = key_of(address);
        const auto found = entries_.find(which);
        visit(*of, which, found == entries_.end() ? nullptr : &found->second);
      }
      continue;
    }
    for (auto at = entries_.lower_bound(key_of({})); at != entries_.end() && is_of(at->first); ++at)
      if (!is_displaced(at->first, at->second)) // no run is sent there
        visit(*of, at->first, &at->second);
    for (auto at = departed_.lower_bound(key_of({})); at != departed_.end() && is_of(at->first); ++at)
      visit(*of, at->first, nullptr);
    // Rows that were dead before this node began.
    for (auto at = dead_.lower_bound(key_of({})); at != dead_.end() && is_of(at->first); ++at)
      if (!departed_.contains(at->first))
        visit(*of, at->first, nullptr);
  }
}

// Each row is described, also outside the page: the count needs its state. Texts are short, and 100 000 rows take some tens of
// milliseconds.
core::page<core::known_executor> registry_table::executors(const core::executor_search& search, const core::principal& by) const {
  executor_page page{search};
  visit_executors(search.group, by, [&](const core::group& of, const key& which, const entry* known) {
    const auto& address = std::get<2>(which);
    if (page.finds(of, address))
      page.add(known != nullptr ? describe(of, address, *known) : describe_absent(of, which));
  });
  return page.take();
}

std::vector<core::executor_count> registry_table::counts(const core::principal& by) const {
  std::vector<core::executor_count> out;
  visit_executors(std::nullopt, by, [&](const core::group& of, const key& which, const entry* known) {
    // The groups ascend.
    if (out.empty() || out.back().group != of.id)
      out.push_back({of.id});
    ++out.back().known;
    if (known != nullptr)
      ++(state_of(*known) == core::executor_state::online ? out.back().online : out.back().late);
    else if (departed_.contains(which) || dead_.contains(which))
      ++out.back().gone;
  });
  return out;
}

core::executor_totals registry_table::totals(const std::vector<core::executor_count>& counts, const core::principal& by) const {
  core::executor_totals out;
  for (const auto& each : counts)
    out.online += each.online;
  if (by.admin)
    out.without_group = without_group({0, 0}).total;
  return out;
}

core::page<core::known_executor> registry_table::without_group(const core::page_window& window) const {
  std::unordered_set<std::string_view> apps;
  for (const auto& each : groups_)
    apps.insert(each.app_name);
  const core::executor_search search{{}, {}, window};
  executor_page page{search};
  core::group none;
  for (const auto& [which, known] : entries_) {
    if (std::get<0>(which) != routed_group || apps.contains(std::get<1>(which)))
      continue;
    none.app_name = std::get<1>(which);
    page.add(describe(none, std::get<2>(which), known));
  }
  return page.take();
}

void registry_table::note_departure(const key& which, const entry& known) {
  if (std::get<0>(which) != routed_group || (departed_.size() >= departed_max && !departed_.contains(which)))
    return;
  const bool link = known.link || core::is_native_address(std::get<2>(which));
  departed_.insert_or_assign(which, departed{last_beat_of(known), listened_.total(), link, family_of(known)});
}

void registry_table::forget_departed() {
  std::erase_if(departed_, [this](const auto& each) { return listened_.total() - each.second.since > departed_for; });
}

} // namespace ringmaster::actors
