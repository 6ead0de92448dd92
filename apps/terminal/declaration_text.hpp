#pragma once

// One job as a table of a declared file. Implements GET /api/v1/jobs/{id}/declaration, and the same of an elastic job.

#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/editing/declared_elastic.hpp"
#include "core/editing/job_draft.hpp"
#include "core/elastic/stored_rows.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"
#include "storage/store.hpp"

namespace ringmaster::apps {

/// Returns the table of a job that was just read, as an export writes it: comments say where it differs from the row, and a job
/// that cannot be declared is a comment. A job without a key gets one from its name; it is unique among the declared jobs of the
/// group. Children are named if they are declared and `by` may see them. Errors: those of the store.
[[nodiscard]] core::result<std::string> declaration_of(storage::store& store, const core::job_record& job,
                                                       const core::principal& by, const core::zone& schedule_zone,
                                                       core::time_point now);

/// Returns the table of an elastic job in the same way.
[[nodiscard]] core::result<std::string> declaration_of(storage::store& store, const core::elastic::elastic_job_row& job,
                                                       const core::zone& schedule_zone, core::time_point now);

/// Returns the options of elastic jobs that `check_declarable` refuses, because no node does yet what they say.
[[nodiscard]] std::vector<std::string> unsupported_elastic_options();

/// Checks that a declared file could have the job. Errors: `invalid_argument` that begins with the key; for a key that no node
/// knows yet, `option_unsupported`.
[[nodiscard]] core::result<void> check_declarable(const core::declared_elastic_job& job);

} // namespace ringmaster::apps
