// The part of job_admin that applies and exports declared files, and lists their rules for alarms.

#include "actors/console/job_admin.hpp"

#include <utility>

#include "actors/store/store_access.hpp"

namespace ringmaster::actors {

namespace {

core::error nobody_reads_files() { return {core::errc::unsupported, "this node does not read declared files"}; }

} // namespace

caf::result<core::deploy_report> job_admin_state::apply(protocol::apply_declared&& command) {
  using reported = caf::typed_response_promise<core::deploy_report>;
  auto declared = std::make_shared<const core::declared_set>(std::move(command.declared));
  auto begin = [this, declared, dry_run = command.dry_run, prune = command.prune](reported promise) {
    begin_apply(declared, dry_run, prune, std::move(promise));
  };
  if (!command.dry_run)
    return from_now<core::deploy_report>(std::nullopt, std::move(begin));
  auto promise = self_->make_response_promise<core::deploy_report>();
  begin(promise);
  return promise;
}

void job_admin_state::begin_apply(std::shared_ptr<const core::declared_set> declared, bool dry_run, bool prune,
                                  caf::typed_response_promise<core::deploy_report> promise) {
  ask_store<core::deploy_report>(
    self_, stores_.applies,
    [declared, dry_run, prune, t = now()](storage::store& store) { return store.deploys().apply(*declared, dry_run, prune, t); },
    [this, promise, declared, dry_run](core::result<core::deploy_report>&& outcome) {
      applied(std::move(outcome), declared->source, dry_run, promise, [](core::deploy_report&& report) { return report; });
    });
}

// Only the worker reads what is sent, so a dry run waits for the verdict, too.
caf::result<protocol::files_applied> job_admin_state::apply(protocol::apply_files&& command) {
  if (!files_.read)
    return protocol::to_caf(nobody_reads_files());
  auto promise = self_->make_response_promise<protocol::files_applied>();
  auto sent = std::make_shared<protocol::apply_files>(std::move(command));
  after_verdict(std::nullopt,
                [this, sent, promise](bool in_time) { begin_apply(sent, !in_time || clock_.in_doubt(), promise); });
  return promise;
}

// The worker also reads the files: that may take a second, for which this actor must not block.
void job_admin_state::begin_apply(const std::shared_ptr<protocol::apply_files>& sent, bool doubt,
                                  caf::typed_response_promise<protocol::files_applied> promise) {
  auto request = std::make_shared<apply_request>();
  ask_store<core::deploy_report>(
    self_, stores_.applies,
    [sent, request, read = files_.read, t = now(), doubt](storage::store& store) -> core::result<core::deploy_report> {
      auto wanted = core::check_admin(sent->by).and_then([&] { return read(sent->body); });
      std::string{}.swap(sent->body);
      if (!wanted)
        return tl::unexpected{wanted.error()};
      *request = std::move(*wanted);
      if (doubt && !request->dry_run)
        return tl::unexpected{protocol::clock_in_doubt()};
      return store.deploys().apply(request->declared, request->dry_run, request->prune, t, sent->by);
    },
    [this, promise, request](core::result<core::deploy_report>&& outcome) mutable {
      // Nothing was written, and only the sender gets their own mistakes; they are not logged.
      const bool is_refusal = !outcome && (!in_doubt(outcome.error().code) || protocol::is_clock_in_doubt(outcome.error()));
      if (is_refusal)
        return promise.deliver(protocol::to_caf(outcome.error()));
      applied(std::move(outcome), request->declared.source, request->dry_run, promise, [request](core::deploy_report&& report) {
        core::add_warnings(report, std::move(request->warnings));
        return protocol::files_applied{std::move(report), request->dry_run};
      });
    });
}

template <class Promise, class Told>
void job_admin_state::applied(core::result<core::deploy_report>&& outcome, const std::string& source, bool dry_run,
                              Promise promise, Told told) {
  if (!outcome)
    log_->warn("declared jobs of {} not applied: {}: {}", source, core::to_string(outcome.error().code), outcome.error().context);
  if (!dry_run && (outcome ? outcome->changes_anything() : in_doubt(outcome.error().code))) {
    if (outcome)
      log_->info("declared jobs of {} applied: {} objects", source, outcome->changes.size());
    protocol::send(self_, schedule_, protocol::edit_hint{});
    protocol::send(self_, registry_, protocol::registry_hint{});
  }
  if (!outcome)
    return promise.deliver(protocol::to_caf(outcome.error()));
  auto jobs = dry_run ? std::vector<core::job_id>{} : outcome->edited;
  auto report = std::make_shared<core::deploy_report>(std::move(*outcome));
  wait_for_runs(std::move(jobs), [promise, report, told](std::optional<std::size_t> on_their_way) mutable {
    report->on_their_way = on_their_way;
    promise.deliver(told(std::move(*report)));
  });
}

// Runs on the worker for edits: on the worker for reads, a page request would wait for it.
caf::result<protocol::exported_file> job_admin_state::write_file(const protocol::export_query& query) {
  if (!files_.write)
    return protocol::to_caf(nobody_reads_files());
  auto promise = self_->make_response_promise<protocol::exported_file>();
  ask_store<std::string>(
    self_, stores_.edits,
    [query, write = files_.write, t = now()](storage::store& store) {
      return core::check_admin(query.by).and_then([&] { return write(store, {query.group, query.source}, t); });
    },
    [promise](core::result<std::string>&& text) mutable {
      if (!text)
        return promise.deliver(protocol::to_caf(text.error()));
      promise.deliver(protocol::exported_file{std::move(*text)});
    });
  return promise;
}

caf::result<protocol::alarm_rules> job_admin_state::list(const protocol::alarm_rules_query& query) {
  auto promise = self_->make_response_promise<protocol::alarm_rules>();
  ask_store<protocol::alarm_rules>(
    self_, stores_.reads,
    [by = query.by](storage::store& store) -> core::result<protocol::alarm_rules> {
      if (auto allowed = core::check_admin(by); !allowed)
        return tl::unexpected<core::error>{allowed.error()};
      protocol::alarm_rules rules;
      auto read = store.exports().look([&rules](storage::export_view& view) -> core::result<void> {
        rules.rows.clear();
        auto stored = view.alarms();
        if (!stored)
          return tl::unexpected<core::error>{stored.error()};
        for (auto& each : *stored)
          rules.rows.push_back({std::move(each.rule), std::move(each.source)});
        return {};
      });
      return read.map([&rules] { return std::move(rules); });
    },
    [promise](core::result<protocol::alarm_rules>&& outcome) mutable { deliver(promise, std::move(outcome)); });
  return promise;
}

} // namespace ringmaster::actors
