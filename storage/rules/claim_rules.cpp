#include "storage/rules/claim_rules.hpp"

#include <charconv>
#include <tuple>
#include <unordered_set>

#include "core/columns.hpp"
#include "core/run/trigger_note.hpp"
#include "core/text/text.hpp"

namespace ringmaster::storage {

core::result<void> check(const core::claim_batch& batch) {
  std::unordered_set<std::int32_t> moved;
  for (const auto& move : batch.moves)
    if (!moved.insert(core::number(move.job)).second)
      return core::fail(core::errc::invalid_argument, "a claim moves job " + std::to_string(core::number(move.job)) + " twice");
  for (const auto& run : batch.runs) {
    if (!run.spec)
      return core::fail(core::errc::invalid_argument, "a claim has a run without a job");
    if (!run.intent && !moved.contains(core::number(run.spec->id)))
      return core::fail(core::errc::invalid_argument, "a claim has a run of job " + std::to_string(core::number(run.spec->id)) +
                                                        " that comes from neither a move nor an intent");
  }
  return {};
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

bool runs_alike(const core::job& one, const core::job& other) {
  const auto made_of = [](const core::job& job) {
    return std::tie(job.id, job.group, job.route, job.block, job.on_unknown, job.timeout_s, job.retry_count, job.handler,
                    job.param, job.child_jobs, job.glue_type, job.glue_updated);
  };
  return made_of(one) == made_of(other);
}

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
