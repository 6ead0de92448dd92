#include "apps/doctor/doctor.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "apps/server/data_folder.hpp"
#include "core/cluster/kept_marks.hpp"

namespace ringmaster::apps {

namespace {

/// A set-back is reported for this long after the start that found it.
constexpr std::chrono::hours reported_for{7 * 24};

/// Returns the content of a file; empty without one.
std::string content_of(const std::string& path) {
  std::ifstream file{path};
  return file ? std::string{std::istreambuf_iterator<char>{file}, {}} : std::string{};
}

std::string text_of(core::log_id id) { return std::to_string(core::number(id)); }

/// Adds the finding of an earlier start that the database had been set back. `of`: what the ids are, after "run ids".
void tell_of_set_back(const std::string& file, const std::string& of, const core::zone& zone, core::time_point now,
                      finding_list& findings) {
  if (const auto back = core::parse_set_back(content_of(file)); back && now - back->at < reported_for)
    findings.push_back({verdict::warning, "database age",
                        "the database was older than before when this node started at " + zone.format(back->at)
                          + " (restored, or failed over to a replica): the next run id" + of + " was " + text_of(back->next)
                          + ", new run ids start above " + text_of(back->above) + "; runs in between have no rows"});
}

} // namespace

void check_age(const config::settings& settings, storage::store& store, const core::zone& zone, core::time_point now,
               finding_list& findings) {
  tell_of_set_back(elastic_set_back_file(settings), " of elastic jobs", zone, now, findings);
  // The marks are read first: a server that runs may move both on.
  const auto marks = core::parse_marks(content_of(marks_file(settings)));
  if (!marks || core::number(marks->ceiling) == 0)
    return;
  const auto next = store.cluster().next_run_id();
  if (!next)
    findings.push_back({verdict::failure, "database age", next.error().context});
  else if (core::judge_next_id(*marks, *next) == core::id_verdict::older)
    findings.push_back({verdict::warning, "database age",
                        "the database is older than it was: its next run id is " + text_of(*next)
                          + ", but this node has seen run " + text_of(marks->seen)
                          + " (was it restored, or did it fail over to a replica?); serve lets new run ids start above "
                          + text_of(marks->ceiling)});
  else
    tell_of_set_back(set_back_file(settings), "", zone, now, findings);
}

} // namespace ringmaster::apps
