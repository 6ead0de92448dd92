#include "apps/server/declared_bodies.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "apps/terminal/declaration_text.hpp"
#include "apps/terminal/export_text.hpp"
#include "config/declared/declared_file.hpp"
#include "protocol/wire/v1/api_deploys.hpp"

namespace ringmaster::apps {

namespace {

core::result<actors::apply_request> read_body(const std::string& body, const assembled& what) {
  const auto& settings = what.settings;
  auto sent = protocol::wire::parse_api_apply(body);
  if (!sent)
    return tl::unexpected{sent.error()};
  std::vector<config::declared_document> documents;
  for (auto& [name, text] : sent->files)
    documents.push_back({std::move(name), std::move(text)});
  auto declared = config::parse_declared(documents, sent->source, sent->revision);
  if (!declared)
    return tl::unexpected{declared.error()};
  declared->prunes_other_files = sent->prune_all;
  if (auto known = check_channels(*declared, settings); !known)
    return tl::unexpected{known.error()};
  auto warnings = warnings_of(*declared, what);
  return actors::apply_request{std::move(*declared), sent->dry_run, sent->prune, std::move(warnings)};
}

core::result<std::string> write_body(storage::store& store, const actors::export_request& wanted, const core::zone& zone,
                                     core::time_point now) {
  std::string out;
  const auto take = [&out](std::string_view text) -> core::result<void> {
    if (out.size() + text.size() > exported_bytes_max)
      return core::fail(core::errc::too_large,
                        "the export exceeds 8 MiB; request one group with ?group=ID, or run `ringmaster export`");
    out += text;
    return {};
  };
  return write_declared(store, {{}, wanted.group, wanted.source}, zone, now, {take, nullptr}).map([&] { return std::move(out); });
}

/// Returns the source of the files of `[deploy]`; empty: there are none.
std::string own_source_of(const config::settings& settings) {
  return settings.deploy.files.empty() ? std::string{} : settings.deploy.source;
}

core::result<std::optional<actors::apply_request>> read_own(const std::string& source, const assembled& what) {
  if (source != own_source_of(what.settings) || source.empty())
    return std::nullopt;
  return read_deploy_files(what.settings).map([&](core::declared_set&& declared) {
    auto warnings = warnings_of(declared, what);
    return std::optional{actors::apply_request{std::move(declared), true, what.settings.deploy.prune, std::move(warnings)}};
  });
}

} // namespace

actors::declared_files declared_bodies(std::shared_ptr<const live_assembly> what) {
  return {[what](const std::string& body) { return read_body(body, *what->present()); },
          [what](storage::store& store, const actors::export_request& wanted, core::time_point now) {
            return write_body(store, wanted, what->present()->schedule_zone, now);
          },
          [what] { return own_source_of(what->present()->settings); },
          [what](const std::string& source) { return read_own(source, *what->present()); },
          [what](storage::store& store, const core::job_record& job, const core::principal& by, core::time_point now) {
            return declaration_of(store, job, by, what->present()->schedule_zone, now);
          },
          [what](storage::store& store, const core::elastic::elastic_job_row& job, core::time_point now) {
            return declaration_of(store, job, what->present()->schedule_zone, now);
          },
          check_declarable};
}

} // namespace ringmaster::apps
