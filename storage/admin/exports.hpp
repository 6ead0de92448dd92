#pragma once

#include "storage/export_store.hpp"
#include "storage/admin/admin_session.hpp"

namespace ringmaster::storage {

/// Export of declared files, with or without our own tables.
class export_role final : public export_store {
public:
  /// Returns elastic jobs with an id above the first one, ascending, at most a number of them. For use inside a body.
  using elastic_page = std::vector<core::elastic::elastic_job_row> (*)(admin_session&, core::elastic::elastic_job_id,
                                                                       std::size_t);

  export_role(admin_session& own, elastic_page elastic_jobs) : own_{own}, elastic_jobs_{elastic_jobs} {}

  core::result<void> look(const reader& read) override;
  /// In `declared_sources.cpp`.
  core::result<std::vector<core::declared_source>> sources() override;

private:
  admin_session& own_;
  elastic_page elastic_jobs_;
};

} // namespace ringmaster::storage
