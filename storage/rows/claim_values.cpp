#include "storage/rows/claim_values.hpp"

#include <charconv>

#include "core/columns.hpp"
#include "core/run/trigger_note.hpp"
#include "core/text/text.hpp"

namespace ringmaster::storage {

log_values log_values_of(const core::planned_run& run, std::string_view node_host) {
  log_values values;
  if (!run.address.empty())
    values.address = core::cut_characters(run.address, core::address_chars);
  values.handler = core::cut_characters(run.spec->handler, core::handler_chars);
  values.param = core::cut_bytes(run.effective_param(), core::text_bytes);
  values.sharding = sharding_text(run.part);
  values.message = core::encode(core::note_of(run, node_host));
  return values;
}

log_values log_values_of(const core::missed_gap& gap, std::string_view node_host) {
  log_values values;
  values.handler = core::cut_characters(gap.spec->handler, core::handler_chars);
  values.param = core::cut_bytes(gap.spec->param, core::text_bytes);
  values.message = core::encode(core::note_of(gap, node_host));
  return values;
}

std::optional<std::string> sharding_text(const core::shard& part) {
  if (!part.broadcast)
    return std::nullopt;
  return std::to_string(part.index) + '/' + std::to_string(part.total);
}

core::shard read_sharding(std::string_view text) noexcept {
  core::shard part;
  const char* end = text.data() + text.size();
  auto [slash, index_error] = std::from_chars(text.data(), end, part.index);
  if (index_error != std::errc{} || slash == end || *slash != '/')
    return {};
  auto [rest, total_error] = std::from_chars(slash + 1, end, part.total);
  if (total_error != std::errc{} || rest != end)
    return {};
  part.broadcast = true;
  return part;
}

std::string_view intent_kind_name(core::trigger_kind kind) noexcept {
  switch (kind) {
  case core::trigger_kind::parent: return "child";
  case core::trigger_kind::retry: return "retry";
  case core::trigger_kind::manual: return "manual";
  case core::trigger_kind::api: return "api";
  case core::trigger_kind::cron: return "cron";
  case core::trigger_kind::misfire: return "misfire";
  case core::trigger_kind::missed: return "missed"; // never an intent
  }
  return "manual";
}

core::trigger_kind find_intent_kind(std::string_view name) noexcept {
  using enum core::trigger_kind;
  for (auto kind : {parent, retry, manual, api, cron, misfire})
    if (intent_kind_name(kind) == name)
      return kind;
  return manual;
}

} // namespace ringmaster::storage
