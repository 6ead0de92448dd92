#include "storage/rules/job_defects.hpp"

#include "core/text/text.hpp"

namespace ringmaster::storage {

namespace {

constexpr std::size_t defects_named_max = 20;
constexpr std::size_t defect_chars = 60;

std::string shown_defect(std::string_view text) {
  return '"' + std::string{core::cut_characters(text, defect_chars)} + (core::fits(text, defect_chars) ? "\"" : "...\"");
}

} // namespace

std::string defect_of(const planned_columns& job, core::schedule_rules& rules) {
  if (job.id <= 0)
    return "an id below 1 is never read";
  if (job.trigger_status != 0 && job.trigger_status != 1)
    return "trigger_status " + std::to_string(job.trigger_status) + " counts as stopped";
  if (job.trigger_status != 1)
    return "";
  const auto type = core::find_schedule_type(job.schedule_type);
  if (!type)
    return "schedule type " + shown_defect(job.schedule_type);
  if (*type != core::schedule_type::none && !job.schedule_conf)
    return "schedule_conf is NULL";
  if (auto rule = rules.of(*type, job.schedule_conf.value_or(""), job.options); !rule)
    return job.schedule_type + ' ' + shown_defect(job.schedule_conf.value_or("")) + ": " + rule.error().context;
  return "";
}

void defect_report::add(const planned_columns& job) {
  ++jobs_;
  const auto why = defect_of(job, rules_);
  if (why.empty())
    return;
  if (++bad_ <= defects_named_max)
    text_ += (text_.empty() ? "job " : "; job ") + std::to_string(job.id) + ": " + why;
}

database_finding defect_report::finding() const {
  if (bad_ == 0)
    return {database_finding::level::fine, "jobs", std::to_string(jobs_) + ", all can be planned"};
  auto text = std::to_string(bad_) + " of " + std::to_string(jobs_) + " cannot be planned: " + text_;
  if (bad_ > defects_named_max)
    text += "; and " + std::to_string(bad_ - defects_named_max) + " more";
  return {database_finding::level::failure, "jobs", std::move(text), "correct or stop these jobs"};
}

} // namespace ringmaster::storage
