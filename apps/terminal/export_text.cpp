#include "apps/terminal/export_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "apps/terminal/export_wording.hpp"
#include "config/declared/declared_writer.hpp"

namespace ringmaster::apps {

namespace {

constexpr std::size_t page_rows = 500;
constexpr const char* head = "# Groups, jobs, elastic jobs and alarms, exported by `ringmaster export`.\n";

std::string plain_id(auto id) { return std::to_string(core::number(id)); }

/// Maximum number of new children that one apply can create with their parent; assumes the longest id for each child.
constexpr std::size_t new_children_max = 23;

struct group_entry {
  storage::exported_group row;
  /// The request includes it.
  bool wanted = false;
  /// A declared file can express it.
  bool sound = true;
  group_wording wording = {};
  std::vector<std::string> obstacles = {};
};

/// The part of a job that stays in memory.
struct job_entry {
  core::job_id id{};
  /// Null: the group does not exist.
  const group_entry* group = nullptr;
  /// The stored key, or one made from the name.
  std::string key;
  bool by_hand = true;
  bool wanted = false;
  bool sound = false;

  [[nodiscard]] auto place() const { return std::tuple{group ? std::string_view{group->row.app_name} : "", group == nullptr,
                                                       group ? core::number(group->row.id) : 0, std::string_view{key}, id}; }
};

/// One export. It passes over the jobs twice: the first pass finds their keys and whether they can be declared, because a job is
/// written with the keys of its children.
class exporting {
public:
  exporting(storage::export_view& view, const export_request& request, const core::zone& zone, core::time_point now,
            const export_sinks& sinks)
    : view_{view}, request_{request}, rules_{zone}, now_{now}, sinks_{sinks} {}

  core::result<void> run() {
    for (const auto step : {&exporting::read_groups, &exporting::read_jobs, &exporting::write_head, &exporting::write_groups,
                            &exporting::write_jobs, &exporting::write_elastic_jobs,
                            &exporting::write_alarms})
      if (auto done = (this->*step)(); !done)
        return done;
    return {};
  }

private:
  // -- the first pass

  core::result<void> read_groups() {
    auto rows = view_.groups();
    if (!rows)
      return tl::unexpected{rows.error()};
    for (auto& row : *rows)
      groups_.emplace(core::number(row.id), entry_of(std::move(row)));
    for (const auto& name : request_.groups)
      if (!names_.contains(name))
        return core::fail(core::errc::invalid_argument, "unknown group " + name);
    if (request_.group && !groups_.contains(core::number(*request_.group)))
      return core::fail(core::errc::not_found, "unknown group " + plain_id(*request_.group));
    return {};
  }

  group_entry entry_of(storage::exported_group&& row) {
    group_entry out;
    const auto& asked = request_.groups;
    out.wanted = (asked.empty() || std::find(asked.begin(), asked.end(), row.app_name) != asked.end())
                 && (!request_.group || *request_.group == row.id);
    out.wording = wording_of(row);
    out.obstacles = obstacles_of(out.wording.group);
    if (const auto [first, is_new] = names_.emplace(row.app_name, row.id); !is_new)
      out.obstacles.push_back("group " + plain_id(first->second) + " has the same app_name");
    out.sound = out.obstacles.empty();
    out.row = std::move(row);
    return out;
  }

  core::result<void> read_jobs() {
    for (core::job_id after{};;) {
      auto rows = view_.jobs_after(after, page_rows);
      if (!rows)
        return tl::unexpected{rows.error()};
      for (const auto& row : *rows)
        jobs_.push_back(entry_of(row));
      if (rows->size() < page_rows)
        break;
      after = rows->back().id;
    }
    name_jobs();
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      by_id_.emplace(core::number(jobs_[i].id), i);
    for (const auto& job : jobs_)
      if (job.wanted)
        order_.push_back(&job);
    std::sort(order_.begin(), order_.end(), [](const auto* a, const auto* b) { return a->place() < b->place(); });
    return {};
  }

  job_entry entry_of(const core::job_record& row) {
    job_entry out;
    out.id = row.id;
    if (const auto found = groups_.find(core::number(row.group)); found != groups_.end())
      out.group = &found->second;
    const bool any_group = request_.groups.empty() && !request_.group;
    out.wanted = (out.group ? out.group->wanted : any_group) && (!request_.source || *request_.source == row.source);
    out.by_hand = row.key.empty();
    out.key = out.by_hand ? key_from_name(row.name, row.id) : row.key;
    if (!out.wanted || !out.group || !out.group->sound)
      return out;
    const auto wording = wording_of(row, out.group->row.app_name, out.key, rules_, now_);
    out.sound = wording.obstacles.empty() && obstacles_of(wording.job).empty();
    return out;
  }

  /// Gives every job a key. Keys from declared files stay; among equal names, the oldest job gets the plain key.
  void name_jobs() {
    std::set<std::pair<const group_entry*, std::string>> taken;
    for (const auto& job : jobs_)
      if (!job.by_hand)
        taken.emplace(job.group, job.key);
    for (auto& job : jobs_) {
      const auto name = job.key;
      for (int round = 0; job.by_hand && !taken.emplace(job.group, job.key).second; ++round)
        job.key = name + '-' + plain_id(job.id) + (round == 0 ? "" : '-' + std::to_string(round));
    }
  }

  // -- the second pass

  core::result<void> write_head() { return sinks_.text(head); }

  core::result<void> write_groups() {
    std::vector<const group_entry*> order;
    for (const auto& [id, group] : groups_)
      if (group.wanted && (!request_.source || *request_.source == group.row.source))
        order.push_back(&group);
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->row.app_name < b->row.app_name; });
    for (const auto* group : order) {
      const auto who = "group " + plain_id(group->row.id) + " " + config::quoted_text(group->row.app_name);
      if (auto done = write(who, config::declared_text(group->wording.group), group->wording.notes, group->obstacles); !done)
        return done;
    }
    return {};
  }

  core::result<void> write_jobs() {
    for (std::size_t begin = 0; begin < order_.size(); begin += page_rows) {
      const auto end = std::min(begin + page_rows, order_.size());
      std::vector<core::job_id> ids;
      for (std::size_t i = begin; i < end; ++i)
        ids.push_back(order_[i]->id);
      auto rows = view_.jobs(ids);
      if (!rows)
        return tl::unexpected{rows.error()};
      std::unordered_map<std::int32_t, const core::job_record*> found;
      for (const auto& row : *rows)
        found.emplace(core::number(row.id), &row);
      for (std::size_t i = begin; i < end; ++i)
        if (const auto at = found.find(core::number(order_[i]->id)); at != found.end())
          if (auto done = write_job(*order_[i], *at->second); !done)
            return done;
    }
    return {};
  }

  core::result<void> write_job(const job_entry& entry, const core::job_record& row) {
    auto wording = wording_of(row, entry.group ? entry.group->row.app_name : "", entry.key, rules_, now_);
    auto obstacles = std::move(wording.obstacles);
    if (!entry.sound) {
      const auto more = obstacles_of(wording.job);
      obstacles.insert(obstacles.end(), more.begin(), more.end());
    }
    if (!entry.group)
      obstacles.push_back("group " + plain_id(row.group) + " does not exist");
    else if (!entry.group->sound)
      obstacles.push_back("its group " + plain_id(row.group) + " cannot be declared");
    name_children(entry, row, wording);
    const auto who = "job " + plain_id(row.id) + " " + config::quoted_text(row.name);
    auto text = config::declared_text(wording.job);
    if (entry.by_hand && obstacles.empty())
      text.insert(0, "# manually created as job " + plain_id(row.id) + ": the key is new\n");
    return write(who, text, wording.notes, obstacles);
  }

  /// Writes the children that will exist when the file is applied.
  void name_children(const job_entry& parent, const core::job_record& row, job_wording& out) {
    std::unordered_set<std::int32_t> seen{core::number(row.id)};
    for (const auto id : core::numbers_in(row.children)) {
      if (!seen.insert(core::number(id)).second)
        continue;
      const auto at = by_id_.find(core::number(id));
      const auto* child = at == by_id_.end() ? nullptr : &jobs_[at->second];
      if (!child)
        out.notes.push_back("child " + plain_id(id) + " does not exist");
      else if (child->wanted ? !child->sound : child->by_hand || !child->group)
        out.notes.push_back("child " + plain_id(id) + " is not in this file");
      else
        out.job.children.emplace_back(child->group == parent.group ? "" : child->group->row.app_name, child->key);
      if (child && !child->wanted && !child->by_hand && child->group)
        out.notes.push_back("child " + plain_id(id) + " is declared in another file, which must be applied with this one");
    }
    if (out.job.children.size() > new_children_max)
      out.notes.push_back("a database without these children accepts " + std::to_string(new_children_max) +
                          " in one apply: apply the file there in two steps");
  }

  /// Writes elastic jobs by group, namespace and name.
  core::result<void> write_elastic_jobs() {
    std::map<std::tuple<std::string, std::string, std::string, std::int32_t>, std::string> texts;
    for (core::elastic::elastic_job_id after{};;) {
      const auto rows = view_.elastic_jobs_after(after, page_rows);
      if (!rows)
        return tl::unexpected{rows.error()};
      for (const auto& row : *rows)
        if (const auto* group = wanted_group(row))
          texts.emplace(std::tuple{group->row.app_name, row.what.name_space, row.what.name, core::number(row.id)},
                        elastic_text(row, *group));
      if (rows->size() < page_rows)
        break;
      after = rows->back().id;
    }
    for (const auto& [place, text] : texts)
      if (auto done = sinks_.text(text); !done)
        return done;
    return {};
  }

  /// Returns the group of an elastic job that the request includes; null: it does not. Groups of elastic jobs cannot be removed.
  [[nodiscard]] const group_entry* wanted_group(const core::elastic::elastic_job_row& row) const {
    const auto found = groups_.find(core::number(row.what.group));
    const bool wanted = found != groups_.end() && found->second.wanted && (!request_.source || row.source == *request_.source);
    return wanted ? &found->second : nullptr;
  }

  std::string elastic_text(const core::elastic::elastic_job_row& row, const group_entry& group) {
    const auto wording = wording_of(row, group.row.app_name, rules_, now_);
    auto obstacles = obstacles_of(wording.job);
    if (!group.sound)
      obstacles.push_back("its group " + plain_id(row.what.group) + " cannot be declared");
    const auto who = "elastic job " + plain_id(row.id) + " " + config::quoted_text(row.what.name);
    return commented_table(who, config::declared_text(wording.job), wording.notes, obstacles, sinks_.remark);
  }

  core::result<void> write_alarms() {
    auto rows = view_.alarms();
    if (!rows)
      return tl::unexpected{rows.error()};
    std::sort(rows->begin(), rows->end(), [](const auto& a, const auto& b) { return a.rule.key < b.rule.key; });
    for (auto& row : *rows) {
      if (!wants(row))
        continue;
      const core::declared_alarm alarm{std::move(row.rule)};
      auto obstacles = obstacles_of(alarm);
      if (!matches(alarm.rule))
        obstacles.emplace_back("its group or job does not exist or cannot be declared");
      if (auto done = write("alarm " + alarm.rule.key, config::declared_text(alarm), {}, obstacles); !done)
        return done;
    }
    return {};
  }

  [[nodiscard]] bool wants(const storage::exported_alarm& row) const {
    if (request_.source && *request_.source != row.source)
      return false;
    const auto named = names_.find(row.rule.group);
    return named != names_.end() ? groups_.at(core::number(named->second)).wanted : request_.groups.empty() && !request_.group;
  }

  /// Returns whether the rule can match a job. Applying rejects a rule that can never match.
  [[nodiscard]] bool matches(const core::alarm_rule& rule) const {
    if (rule.group.empty())
      return true;
    const auto named = names_.find(rule.group);
    if (named == names_.end() || !groups_.at(core::number(named->second)).sound)
      return false;
    return rule.job.empty() || std::any_of(jobs_.begin(), jobs_.end(), [&](const job_entry& job) {
             return job.group && job.group->row.app_name == rule.group && job.key == rule.job && (!job.wanted || job.sound);
           });
  }

  /// Writes one table. If there are obstacles, all of it becomes a comment.
  core::result<void> write(const std::string& who, const std::string& table, const std::vector<std::string>& notes,
                           const std::vector<std::string>& obstacles) {
    return sinks_.text(commented_table(who, table, notes, obstacles, sinks_.remark));
  }

  storage::export_view& view_;
  const export_request& request_;
  core::schedule_rules rules_;
  core::time_point now_;
  const export_sinks& sinks_;
  std::map<std::int32_t, group_entry> groups_;
  /// The first group of each app name.
  std::map<std::string, core::group_id> names_;
  std::vector<job_entry> jobs_;
  std::unordered_map<std::int32_t, std::size_t> by_id_;
  std::vector<const job_entry*> order_;
};

} // namespace

core::result<void> write_declared(storage::store& store, const export_request& request, const core::zone& schedule_zone,
                                  core::time_point now, const export_sinks& sinks) {
  bool begun = false;
  export_sinks noted = sinks;
  noted.text = [&](std::string_view text) {
    begun = true;
    return sinks.text(text);
  };
  return store.exports().look([&](storage::export_view& view) -> core::result<void> {
    if (begun)
      return core::fail(core::errc::unavailable, "the connection was lost and the export is incomplete; try again");
    return exporting{view, request, schedule_zone, now, noted}.run();
  });
}

} // namespace ringmaster::apps
