// The part of job_admin that reads declared files back: their sources, what differs from them, and single jobs.

#include "actors/console/job_admin.hpp"

#include <algorithm>
#include <utility>

#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

namespace {

core::error no_own_files(const std::string& source) {
  return {core::errc::conflict, "this node has no files of the source " + source +
                                  ": what was applied from elsewhere is not kept; compare the files with a dry run"};
}

/// Returns why a source without files on this node cannot be compared. Errors: those of the store.
core::error unknown_drift(storage::store& store, const std::string& source) {
  const auto sources = store.exports().sources();
  if (!sources)
    return sources.error();
  const bool known = std::any_of(sources->begin(), sources->end(), [&](const auto& each) { return each.name == source; });
  return known ? no_own_files(source) : core::error{core::errc::not_found, "no source named \"" + source + "\""};
}

/// Adds a warning for each object that the files do not declare any more and that an apply leaves in place.
void add_left_objects(storage::deploy_store& deploys, const apply_request& own, core::time_point now, const core::principal& by,
                      core::deploy_report& report) {
  if (own.prune)
    return;
  const auto pruned = deploys.apply(own.declared, true, true, now, by);
  if (!pruned)
    return; // a removal is not possible: the report without one is complete
  for (const auto& change : pruned->changes)
    if (change.kind == core::change_kind::remove)
      report.warnings.push_back(change.object + " is no longer in the files; it stays, because deploy.prune is off");
}

core::result<core::deploy_report> compare(storage::store& store, const declared_files& files, const protocol::drift_query& asked,
                                          core::time_point now) {
  if (auto allowed = core::check_admin(asked.by); !allowed)
    return tl::unexpected{allowed.error()};
  auto own = files.own ? files.own(asked.source) : core::result<std::optional<apply_request>>{std::nullopt};
  if (!own)
    return tl::unexpected{own.error()};
  if (!*own)
    return tl::unexpected{unknown_drift(store, asked.source)};
  auto report = store.deploys().apply((*own)->declared, true, (*own)->prune, now, asked.by);
  if (!report)
    return report;
  core::add_warnings(*report, std::move((*own)->warnings));
  add_left_objects(store.deploys(), **own, now, asked.by, *report);
  return report;
}

} // namespace

caf::result<protocol::declared_sources> job_admin_state::list(const protocol::declared_query& query) {
  auto promise = self_->make_response_promise<protocol::declared_sources>();
  ask_store<protocol::declared_sources>(
    self_, stores_.reads,
    [by = query.by, own = files_.own_source](storage::store& store) {
      return core::check_admin(by).and_then([&] { return store.exports().sources(); }).map([&](auto&& rows) {
        return protocol::declared_sources{std::move(rows), own ? own() : std::string{}};
      });
    },
    [promise](core::result<protocol::declared_sources>&& outcome) mutable { deliver(promise, std::move(outcome)); });
  return promise;
}

// Mistakes in the node's own files are not the caller's: they are a conflict.
caf::result<protocol::files_applied> job_admin_state::drift(const protocol::drift_query& query) {
  auto promise = self_->make_response_promise<protocol::files_applied>();
  ask_store<core::deploy_report>(
    self_, stores_.applies,
    [query, files = files_, t = now()](storage::store& store) { return compare(store, files, query, t); },
    [promise](core::result<core::deploy_report>&& report) mutable {
      if (report)
        return promise.deliver(protocol::files_applied{std::move(*report), true});
      auto why = report.error();
      if (why.code == core::errc::invalid_argument)
        why.code = core::errc::conflict;
      promise.deliver(protocol::to_caf(why));
    });
  return promise;
}

caf::result<protocol::exported_file> job_admin_state::declare(const protocol::declaration_query& query) {
  auto promise = self_->make_response_promise<protocol::exported_file>();
  ask_store<std::string>(
    self_, stores_.reads,
    [query, declare = files_.declare, t = now()](storage::store& store) -> core::result<std::string> {
      if (!declare)
        return core::fail(core::errc::unsupported, "this node does not write declared files");
      return store.job_editing().read(query.job, query.by).and_then([&](const core::job_record& job) {
        return declare(store, job, query.by, t);
      });
    },
    [promise](core::result<std::string>&& text) mutable {
      if (!text)
        return promise.deliver(protocol::to_caf(text.error()));
      promise.deliver(protocol::exported_file{std::move(*text)});
    });
  return promise;
}

} // namespace ringmaster::actors
