#include "apps/declared_bodies.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "apps/export_text.hpp"
#include "config/declared_file.hpp"
#include "protocol/wire/api_deploys.hpp"

namespace ringmaster::apps {

namespace {

core::result<actors::apply_wish> read_body(const std::string& body, const config::settings& settings) {
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
  return actors::apply_wish{std::move(*declared), sent->dry_run, sent->prune};
}

core::result<std::string> write_body(storage::store& store, const actors::export_wish& wish, const core::zone& zone,
                                     core::time_point now) {
  std::string out;
  const auto take = [&out](std::string_view text) -> core::result<void> {
    if (out.size() + text.size() > exported_bytes_max)
      return core::fail(core::errc::too_large, "more than 8 MiB; ask for one group with ?group=ID, or run `ringmaster export`");
    out += text;
    return {};
  };
  return write_declared(store, {{}, wish.group, wish.source}, zone, now, {take, nullptr}).map([&] { return std::move(out); });
}

} // namespace

actors::declared_files declared_bodies(const assembled& what) {
  const auto shared = std::make_shared<const assembled>(what);
  return {[shared](const std::string& body) { return read_body(body, shared->settings); },
          [shared](storage::store& store, const actors::export_wish& wish, core::time_point now) {
            return write_body(store, wish, shared->schedule_zone, now);
          }};
}

} // namespace ringmaster::apps
