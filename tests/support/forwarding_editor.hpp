#pragma once

// Edits of jobs in forms that are forwarded to another store: the base of stores that watch or change a few calls.

#include <optional>
#include <string_view>

#include "storage/edit_store.hpp"

namespace ringmaster::test {

/// Does not own the store behind it, and shares its thread rule.
class forwarding_editor : public storage::job_editor {
public:
  explicit forwarding_editor(storage::job_editor& inner) : inner_editor_{inner} {}

  core::result<core::job_id> add(const core::job_draft& draft, const core::principal& by, core::time_point now) override {
    return inner_editor_.add(draft, by, now);
  }
  core::result<core::job_edit> update(core::job_id job, const core::job_draft& draft, std::string_view seen,
                                      const core::principal& by, core::time_point now) override {
    return inner_editor_.update(job, draft, seen, by, now);
  }
  core::result<core::job_edit> save_source(core::job_id job, std::string_view source, std::string_view remark,
                                           std::optional<std::string_view> seen, const core::principal& by,
                                           core::time_point now) override {
    return inner_editor_.save_source(job, source, remark, seen, by, now);
  }
  core::result<core::job_record> read(core::job_id job, const core::principal& by) override {
    return inner_editor_.read(job, by);
  }
  core::result<core::page<core::job_record>> page(const core::job_search& search, const core::principal& by) override {
    return inner_editor_.page(search, by);
  }
  core::result<core::job_list> list(const core::job_search& search, const core::principal& by) override {
    return inner_editor_.list(search, by);
  }
  core::result<core::job_list> soonest(const std::optional<core::group_id>& group, std::size_t limit,
                                       const core::principal& by) override {
    return inner_editor_.soonest(group, limit, by);
  }
  core::result<core::source_history> source_history(const core::source_search& search, const core::principal& by) override {
    return inner_editor_.source_history(search, by);
  }

private:
  storage::job_editor& inner_editor_;
};

} // namespace ringmaster::test
