#pragma once

// Reasons of refusals for which XXL-JOB has its own words (XXL admin §8). The words are in protocol/wire/admin_texts.

#include <cstdint>

namespace ringmaster::core {

enum class refusal : std::uint8_t {
  none,
  // -- authentication and permissions
  /// Subject: the user's name.
  not_permitted,
  sign_in_empty,
  sign_in_wrong,
  no_group_visible,
  // -- jobs (§8.6)
  choose_group,
  job_name_empty,
  author_empty,
  schedule_type_illegal,
  cron_illegal,
  /// A new fixed-rate job without a text.
  schedule_text_missing,
  glue_type_illegal,
  handler_empty,
  route_illegal,
  misfire_illegal,
  block_illegal,
  /// Subject of these three: the item of the list.
  child_illegal,
  child_missing,
  child_not_permitted,
  group_illegal,
  job_missing,
  /// `start`, `stop`, `trigger` and others for a job that does not exist.
  job_id_illegal,
  type_disables_start,
  choose_one,
  // -- runs (§8.7)
  choose_job,
  run_id_illegal,
  run_not_triggered,
  clear_type_illegal,
  // -- sources (§8.8)
  not_glue,
  source_empty,
  remark_empty,
  remark_length,
  remark_illegal,
  // -- groups (§8.9)
  app_name_empty,
  app_name_length,
  app_name_illegal,
  app_name_repeated,
  title_empty,
  title_illegal,
  addresses_empty,
  addresses_illegal,
  address_form,
  address_scheme,
  group_in_use,
  last_group,
  // -- users (§8.10)
  user_name_empty,
  name_length,
  password_empty,
  old_password_empty,
  old_password_wrong,
  user_repeated,
  own_account,
  /// Not XXL-JOB's: the new password is in a form that Java admins cannot read.
  password_short,
  /// The text is longer than its column. Subject: the field.
  too_long,
  /// Not XXL-JOB's: a rerun of one shard of a broadcast.
  one_shard,
  // -- elastic jobs; not XXL-JOB's
  elastic_name_repeated,
  /// The job has items that run or wait.
  elastic_items_run,
  /// No node does yet what the option says. Subject: its name.
  option_unsupported,
};

} // namespace ringmaster::core
