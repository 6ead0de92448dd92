#include "actors/console/elastic_drafts.hpp"

#include <utility>

#include "core/elastic/plan_preview.hpp"
#include "core/schedule/schedule_mistake.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

using edit_outcome = core::result<elastic::elastic_edit_done>;

/// Refuses a schedule in the words of ordinary jobs.
core::result<void> check_schedule_of(const elastic::elastic_options& options) {
  auto wrong = core::find_mistake(options.schedule, options.schedule_conf, {}, options.timing);
  if (!wrong)
    return {};
  if (wrong->pointer != "/schedule/conf")
    return core::fail(core::errc::invalid_argument, std::move(wrong->detail));
  const bool is_cron = options.schedule == core::schedule_type::cron;
  return core::refuse(core::errc::invalid_argument, is_cron ? core::refusal::cron_illegal : core::refusal::schedule_type_illegal,
                      wrong->detail, wrong->detail);
}

/// Returns the definition that a user entered, checked as a declared file is checked. `stored`: properties of the stored job.
core::result<elastic::elastic_definition> checked_definition(const elastic::elastic_draft& draft, std::string_view stored,
                                                             const declared_files& files, const core::principal& by) {
  if (auto may = core::check_right(by, core::group_right::editor, draft.what.group); !may)
    return tl::unexpected{may.error()};
  if (auto fires = check_schedule_of(draft.what.options); !fires)
    return tl::unexpected{fires.error()};
  auto what = elastic::completed(draft, stored);
  if (!what)
    return what;
  if (auto sound = elastic::check(*what); !sound)
    return tl::unexpected{sound.error()};
  if (!files.check_elastic)
    return what;
  core::declared_elastic_job declared;
  // The store looks for the group.
  declared.group = "group";
  declared.what = *what;
  return files.check_elastic(declared).map([&] { return std::move(*what); });
}

/// Returns properties in the canonical form without the values of secrets.
std::string masked_props(std::string_view stored) {
  const auto props = elastic::parse_props(stored);
  return props ? elastic::props_text(elastic::shown_props(*props)) : std::string{elastic::masked_value};
}

core::result<elastic::elastic_job_row> visible_row(storage::store& store, elastic::elastic_job_id job,
                                                   const core::principal& by) {
  return store.elastic().show(job, by).map([](elastic::elastic_card&& card) { return std::move(card.job); });
}

} // namespace

edit_outcome add_elastic_job(storage::store& store, const protocol::add_elastic& order, const declared_files& files,
                             core::time_point now) {
  auto what = checked_definition(order.draft, {}, files, order.by);
  if (!what)
    return tl::unexpected{what.error()};
  elastic::elastic_edit edit;
  edit.what = std::move(*what);
  edit.status = order.enabled ? elastic::job_status::on : elastic::job_status::off;
  return store.elastic().put(edit, now, order.by);
}

edit_outcome update_elastic_job(storage::store& store, const protocol::update_elastic& order, const declared_files& files,
                                core::time_point now) {
  const auto stored = visible_row(store, order.job, order.by);
  if (!stored)
    return tl::unexpected{stored.error()};
  auto what = checked_definition(order.draft, stored->what.props, files, order.by);
  if (!what)
    return tl::unexpected{what.error()};
  elastic::elastic_edit edit;
  edit.id = order.job;
  edit.version = order.seen.value_or(stored->version);
  edit.what = std::move(*what);
  // A user enters both on purpose.
  edit.replace_class = true;
  return store.elastic().put(edit, now, order.by);
}

edit_outcome remove_elastic_job(storage::store& store, const protocol::remove_elastic& order, core::time_point now) {
  if (order.seen)
    return store.elastic().remove(order.job, *order.seen, now, order.by);
  return visible_row(store, order.job, order.by).and_then([&](const elastic::elastic_job_row& stored) {
    return store.elastic().remove(order.job, stored.version, now, order.by);
  });
}

core::result<std::vector<elastic::elastic_preview_share>> plan_elastic_draft(storage::store& store,
                                                                             const protocol::elastic_draft_query& asked,
                                                                             core::time_point now) {
  if (auto may = core::check_right(asked.by, core::group_right::viewer, asked.what.group); !may)
    return tl::unexpected{may.error()};
  elastic::adopted_job job;
  if (asked.job) {
    if (auto seen = store.elastic().show(*asked.job, asked.by); !seen)
      return tl::unexpected{seen.error()};
    auto stored = store.elastic().read_job(*asked.job);
    if (!stored)
      return tl::unexpected{stored.error()};
    job = std::move(*stored);
  }
  job.job.what = asked.what;
  return store.elastic().hosts(asked.what.group, asked.by).and_then([&](const std::vector<elastic::host_row>& hosts) {
    return elastic::preview_plan(job, hosts, {}, now);
  });
}

core::result<std::string> declare_elastic_job(storage::store& store, const protocol::elastic_declaration_query& asked,
                                              const declared_files& files, core::time_point now) {
  if (!files.declare_elastic)
    return core::fail(core::errc::unsupported, "this node does not write declared files");
  return visible_row(store, asked.job, asked.by).and_then([&](elastic::elastic_job_row&& row) {
    if (!asked.by.admin)
      row.what.props = masked_props(row.what.props);
    return files.declare_elastic(store, row, now);
  });
}

} // namespace ringmaster::actors
