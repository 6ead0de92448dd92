#pragma once

// Texts that clients or people compare, in one place. Wire texts have one language; the others have XXL's three.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::protocol::wire {

/// `msg` of replies to executors (XXL wire §1.5); clients match them literally.
namespace reply_text {
inline constexpr std::string_view method_not_supported = "invalid request, HttpMethod not support.";
inline constexpr std::string_view mapping_empty = "invalid request, uri-mapping empty.";
inline constexpr std::string_view body_empty = "invalid request, requestBody empty.";
inline constexpr std::string_view token_wrong = "The access token is wrong.";
inline constexpr std::string_view token_or_app_empty = "invalid request, accessToken or appname is empty.";
inline constexpr std::string_view token_or_app_invalid = "invalid request, accessToken or appname invalid.";
inline constexpr std::string_view illegal_argument = "Illegal Argument.";
/// Followed by a reason.
inline constexpr std::string_view invoke_error = "openapi invoke error: ";
inline constexpr std::string_view too_many_requests = "Too many requests, please try again later.";
} // namespace reply_text

/// `invalid request, uri-mapping(x) not found.`
[[nodiscard]] std::string mapping_not_found(std::string_view operation);

/// What executors say (XXL wire §2.5-§2.9).
namespace executor_text {
inline constexpr std::string_view busy = "job thread is running or has trigger queue.";
inline constexpr std::string_view already_killed = "job thread already killed.";
inline constexpr std::string_view discard_later = "block strategy effect：Discard Later";
inline constexpr std::string_view cover_early = "block strategy effect：Cover Early";
/// Matched by prefix: `repeate trigger job, logId:N` up to 3.4.0, `repeat trigger job, logId:N` since.
inline constexpr std::string_view repeat_prefix = "repeat";
inline constexpr std::string_view log_file_missing = "readLog fail, logFile not exists";
/// In the first line of every job log of a Java or Ringmaster executor.
inline constexpr std::string_view log_started = "job execute start";
} // namespace executor_text

enum class language : std::uint8_t { zh_cn, zh_tc, en };
inline constexpr std::size_t language_count = 3;

/// XXL's names: `zh_CN`, `zh_TC`, `en`. Nothing for another one.
[[nodiscard]] std::optional<language> find_language(std::string_view name) noexcept;

/// One enumerator per text; the table stands in texts.cpp in this order.
enum class text_key : std::uint8_t {
  // What a log row says about its trigger and its result.
  address_empty,
  job_lost,
  kill_by_hand,
  trigger_fail_no_kill,
  trigger_fail_no_log,
  trigger_type,
  trigger_machine,
  registry_type,
  registry_automatic,
  registry_manual,
  registry_addresses,
  route_strategy,
  block_strategy,
  job_timeout,
  fail_retry_count,
  trigger_job,
  trigger_child_job,
  retry_trigger,
  beat_check,
  idle_check,
  // Kinds of trigger.
  kind_cron,
  kind_manual,
  kind_parent,
  kind_api,
  kind_retry,
  kind_misfire,
  // Titles of choices.
  route_first,
  route_last,
  route_round,
  route_random,
  route_consistent_hash,
  route_least_frequently_used,
  route_least_recently_used,
  route_failover,
  route_busyover,
  route_sharding_broadcast,
  block_serial_execution,
  block_discard_later,
  block_cover_early,
  schedule_none,
  schedule_cron,
  schedule_fix_rate,
  misfire_do_nothing,
  misfire_fire_once_now,
  // Refusals of an edit.
  choose_group,
  input_job_name,
  input_author,
  schedule_type_illegal,
  cron_illegal,
  glue_type_illegal,
  input_handler,
  route_illegal,
  misfire_illegal,
  block_illegal,
  group_illegal,
  job_id_missing,
  job_id_illegal,
  schedule_type_no_start,
  choose_one,
  input_app_name,
  app_name_length,
  app_name_illegal,
  input_title,
  address_required,
  address_illegal,
  group_in_use,
  group_last,
  log_id_illegal,
  clean_type_illegal,
  child_job_id,
  child_illegal,
  child_missing,
  child_forbidden,
  // Results.
  success,
  fail,
  running,
  all,
  timeout,
  operate_success,
  operate_fail,
};

[[nodiscard]] std::string_view text(text_key key, language in) noexcept;

} // namespace ringmaster::protocol::wire
