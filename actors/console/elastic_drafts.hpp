#pragma once

// Edits, plans and declarations of elastic jobs that users enter. All functions run on the thread of a store worker.

#include <string>
#include <vector>

#include "actors/console/declared_files.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "protocol/elastic_admin_messages.hpp"
#include "storage/store.hpp"

namespace ringmaster::actors {

/// Stores a new job. Errors: `forbidden`; `invalid_argument`, with the member that is wrong first; `conflict` for a name that
/// exists.
[[nodiscard]] core::result<core::elastic::elastic_edit_done> add_elastic_job(storage::store& store,
                                                                             const protocol::add_elastic& order,
                                                                             const declared_files& files, core::time_point now);

/// Stores a new version of a job. Errors: as above; `not_found`; `conflict` also for a declared job and
/// `core::edited_meanwhile`.
[[nodiscard]] core::result<core::elastic::elastic_edit_done> update_elastic_job(storage::store& store,
                                                                                const protocol::update_elastic& order,
                                                                                const declared_files& files,
                                                                                core::time_point now);

/// Deletes a job. Errors: `not_found`, `forbidden`; `conflict` for a declared job, items that run, and
/// `core::edited_meanwhile`.
[[nodiscard]] core::result<core::elastic::elastic_edit_done> remove_elastic_job(storage::store& store,
                                                                                const protocol::remove_elastic& order,
                                                                                core::time_point now);

/// Returns the plan that a definition would have now. Errors: `not_found`, `forbidden`, `invalid_argument`.
[[nodiscard]] core::result<std::vector<core::elastic::elastic_preview_share>> plan_elastic_draft(
  storage::store& store, const protocol::elastic_draft_query& asked, core::time_point now);

/// Returns a job as a table of a declared file. Only an administrator gets the values of secrets; for other users they are
/// `masked_value`, so that the table is a comment that says so. Errors: `not_found`, `forbidden`, `unsupported`.
[[nodiscard]] core::result<std::string> declare_elastic_job(storage::store& store,
                                                            const protocol::elastic_declaration_query& asked,
                                                            const declared_files& files, core::time_point now);

} // namespace ringmaster::actors
