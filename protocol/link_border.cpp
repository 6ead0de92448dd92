#include "protocol/link_border.hpp"

#include <algorithm>
#include <charconv>
#include <random>
#include <system_error>

#include "core/job/group.hpp"
#include "core/text/text.hpp"

namespace ringmaster::protocol {

namespace {

using limits = link_limits;

/// Overhead of each item and each text in addition to its letters, in bytes.
constexpr std::size_t frame_bytes = 64;

// The words around the version in a refusal, as version 4 sends them.
constexpr std::string_view refusal_before = "this node speaks version ";
constexpr std::string_view refusal_after = " of the link protocol";

std::size_t length(const std::optional<std::string>& text) noexcept { return text ? text->size() : 0; }

template <class Items>
std::string breach_of_size(const Items& items) {
  if (items.empty())
    return "an empty batch";
  if (items.size() > limits::items_max)
    return "a batch of " + std::to_string(items.size()) + " items";
  std::size_t bytes = 0;
  for (const auto& item : items)
    bytes += bytes_of(item);
  return bytes > limits::bytes_max ? "a batch of " + std::to_string(bytes) + " bytes" : std::string{};
}

std::string breach_of(const core::trigger_request& run) {
  if (core::number(run.job) <= 0)
    return "a run without a job";
  if (core::number(run.run) <= 0)
    return "a run without an id";
  if (run.block > core::block_strategy::cover_early)
    return "a run with an unknown block strategy";
  if (run.shard_total < 1 || run.shard_index < 0 || run.shard_index >= run.shard_total)
    return "a run of an impossible shard";
  return {};
}

std::string breach_of(const core::run_report& report) {
  if (core::number(report.run) <= 0)
    return "a result without a run";
  return length(report.message) > limits::message_bytes_max ? "a result with a long message" : std::string{};
}

template <class Items>
std::string breach_of_items(const Items& items) {
  auto why = breach_of_size(items);
  for (auto item = items.begin(); why.empty() && item != items.end(); ++item)
    why = breach_of(*item);
  return why;
}

} // namespace

std::size_t bytes_of(const core::trigger_request& run) noexcept {
  return frame_bytes + length(run.handler) + length(run.param) + length(run.glue_type) + length(run.glue_source);
}

std::size_t bytes_of(const core::trigger_reply& reply) noexcept { return frame_bytes + reply.message.size(); }

std::size_t bytes_of(const core::run_report& report) noexcept { return frame_bytes + length(report.message); }

std::string breach_of(const link_hello& hello) {
  if (!hello.gate)
    return "a hello without a name";
  if (hello.gate_key == link_key{})
    return "a hello without a key";
  if (hello.app_name.size() > limits::name_bytes_max)
    return "a hello with a long name";
  if (is_link_version(hello.version) && !hello.unused.empty())
    return "a hello with a token";
  return core::misfit_of("EXECUTOR", hello.app_name, hello.address);
}

std::string breach_of(const link_proof& proof) {
  const auto bytes = proof.proof.size();
  return bytes == limits::proof_bytes ? std::string{} : "a proof of " + std::to_string(bytes) + " bytes";
}

std::string breach_of(const link_refusal& refusal) {
  return refusal.reason.size() > limits::name_bytes_max ? "a long refusal" : std::string{};
}

std::string breach_of(const link_runs& batch) { return breach_of_items(batch.runs); }

std::string breach_of(const link_verdicts& batch) { return breach_of_size(batch.replies); }

std::string breach_of(const link_question& question) {
  if (question.topic > link_topic::known)
    return "a question with an unknown topic";
  if (question.topic >= link_topic::log && core::number(question.run) <= 0)
    return "a question without a run";
  return {};
}

std::string breach_of(const link_answer& answer) {
  if (answer.lines && answer.lines->size && (answer.lines->size->lines < 0 || answer.lines->size->bytes < 0))
    return "a log of an impossible size";
  auto bytes = answer.reply.message.size() + (answer.lines ? answer.lines->text.size() : 0);
  return bytes > limits::bytes_max ? "an answer of " + std::to_string(bytes) + " bytes" : std::string{};
}

std::string breach_of(const link_reports& batch) { return breach_of_items(batch.reports); }

std::string text_of_version_refusal(std::uint32_t offered) {
  return std::string{refusal_before} + std::to_string(link_version) + std::string{refusal_after} + ", and those since "
         + std::to_string(link_version_min) + ", not " + std::to_string(offered);
}

std::optional<std::uint32_t> version_in(const link_refusal& refusal) noexcept {
  std::string_view text{refusal.reason};
  if (!text.starts_with(refusal_before))
    return std::nullopt;
  text.remove_prefix(refusal_before.size());
  std::uint32_t version = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (trouble != std::errc{} || !text.substr(static_cast<std::size_t>(end - text.data())).starts_with(refusal_after))
    return std::nullopt;
  return version;
}

std::string proof_text(link_end by, const link_hello& hello, const link_key& challenge) {
  const auto* who = by == link_end::executor ? "executor" : "node";
  auto text = std::string{"ringmaster link, proof of the "}.append(who).append("\n");
  // The length keeps the texts of two hellos distinct.
  const auto add = [&text](std::string_view field) { text.append(std::to_string(field.size())).append(":").append(field); };
  const auto add_key = [&add](const link_key& key) { add(std::to_string(key.high) + " " + std::to_string(key.low)); };
  add(std::to_string(hello.version));
  add(hello.app_name);
  add(hello.address);
  add_key(hello.gate_key);
  add_key(challenge);
  return text;
}

link_key draw_link_key() {
  std::random_device source;
  const auto draw = [&] { return std::uint64_t{source()} << 32 | source(); };
  const auto high = draw();
  return {high, draw()};
}

} // namespace ringmaster::protocol
