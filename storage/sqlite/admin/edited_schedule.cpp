#include "storage/sqlite/admin/edited_schedule.hpp"

#include "storage/sqlite/firing/edit_sql.hpp"
#include "storage/sqlite/firing/firing.hpp"

namespace ringmaster::storage::sqlite {

void sqlite_edited_schedule::hold_claims(core::job_id job) { own_.db->run(ensure_schedule, job); }

std::optional<core::scheduled_job> sqlite_edited_schedule::find(core::job_id job) { return find_job(own_, job); }

} // namespace ringmaster::storage::sqlite
