// Jobs, groups, runs and users that match a text. Names have no index: jobs are looked at portion by portion along their ids.

#include "storage/admin/object_searches.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

#include "storage/admin/logs.hpp"
#include "storage/rules/run_read_rules.hpp"

namespace ringmaster::storage {

namespace {

constexpr std::int64_t id_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t run_id_max = std::numeric_limits<std::int64_t>::max();
/// Maximum number of rows of one range of ids; those that the user may not see count, too.
constexpr std::size_t rows_of_ids = 64;
/// Maximum number of groups and of users that match, before the best are chosen.
constexpr std::size_t rows_of_texts = 1000;

#define RINGMASTER_SEARCHED_JOBS                                                                                                 \
  "SELECT i.id, i.job_group, $job_name, i.executor_handler, x.job_key FROM xxl_job_info i"                                       \
  " LEFT JOIN rm_job_ext x ON x.job = i.id WHERE "
#define RINGMASTER_SEARCHED_GROUPS "SELECT id, app_name, $group_title FROM xxl_job_group WHERE "
#define RINGMASTER_SEARCHED_USERS "SELECT id, username, role FROM xxl_job_user WHERE "

/// A match and its rank: 0 is the best.
template <class Object>
struct ranked {
  int rank = 0;
  Object object;
};

/// The objects of one kind that were found.
template <class Object>
struct found_of_kind {
  std::vector<ranked<Object>> all;
  std::unordered_set<std::int32_t> ids;
};

std::array<const std::string*, 3> texts_of(const core::found_job& job) { return {&job.name, &job.handler, &job.key}; }
std::array<const std::string*, 2> texts_of(const core::found_group& group) { return {&group.app_name, &group.title}; }
std::array<const std::string*, 1> texts_of(const core::user_card& user) { return {&user.name}; }

core::found_job found_job_of(const sql_rows& row) {
  return {row.id<core::job_id>(0), row.id<core::group_id>(1), row.string(2), row.string(3), row.string(4)};
}

core::found_group found_group_of(const sql_rows& row) { return {row.id<core::group_id>(0), row.string(1), row.string(2)}; }

core::user_card found_user_of(const sql_rows& row) {
  core::user_card user;
  user.id = row.id<core::user_id>(0);
  user.name = row.string(1);
  user.admin = row.number(2) == 1;
  return user;
}

/// Returns the best matches; among equals the newest.
template <class Object>
std::vector<Object> best_of(std::vector<ranked<Object>>&& found, std::size_t limit) {
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.rank != b.rank ? a.rank < b.rank : core::number(a.object.id) > core::number(b.object.id);
  });
  std::vector<Object> out;
  for (auto& each : found)
    if (out.size() < limit)
      out.push_back(std::move(each.object));
  return out;
}

class object_finding {
public:
  object_finding(admin_session& own, const core::object_search& search, const core::principal& by,
                 const std::function<bool()>& go_on)
    : own_{own}, text_{search.text}, limit_{std::min(search.limit, core::found_objects_max)}, by_{by}, go_on_{go_on} {}

  core::result<core::found_objects> run() {
    find_jobs_by_id();
    find_jobs_by_text();
    find_groups();
    if (by_.admin)
      find_users();
    out_.jobs = best_of(std::move(jobs_.all), limit_);
    out_.groups = best_of(std::move(groups_.all), limit_);
    out_.users = best_of(std::move(users_.all), limit_);
    return std::move(out_);
  }

  /// Returns the newest runs whose id begins with the text; the run of this very id comes first.
  std::vector<core::log_id> runs() {
    auto ranges = core::ids_beginning_with(text_, run_id_max);
    if (!ranges.empty())
      std::reverse(ranges.begin() + 1, ranges.end());
    std::vector<core::log_id> found;
    for (const auto& [first, last] : ranges) {
      auto row = own_.query("SELECT id, job_group FROM xxl_job_log $by_primary_key WHERE id BETWEEN ? AND ? ORDER BY id DESC"
                            " LIMIT ?", first, last, rows_of_ids);
      std::size_t rows = 0;
      for (; found.size() < limit_ && row.next(); ++rows)
        if (may_see(row.id<core::group_id>(1)))
          found.push_back(row.id<core::log_id>(0));
      if (found.size() == limit_)
        break;
      hidden_may_follow_ |= rows == rows_of_ids;
    }
    return found;
  }

  /// True if runs that the user may see may follow after others.
  [[nodiscard]] bool hidden_may_follow() const noexcept { return hidden_may_follow_; }

private:
  [[nodiscard]] bool may_see(core::group_id group) const { return by_.may(core::group_right::viewer, group); }
  [[nodiscard]] bool may_see(const core::found_job& job) const { return may_see(job.group); }
  [[nodiscard]] bool may_see(const core::found_group& group) const { return may_see(group.id); }
  [[nodiscard]] bool may_see(const core::user_card&) const noexcept { return by_.admin; }

  template <class Object>
  [[nodiscard]] int rank_of(const Object& object) const {
    int rank = 2;
    for (const std::string* each : texts_of(object))
      rank = std::min(rank, core::match_rank(text_, *each));
    return rank;
  }

  /// Numbers of rows of a statement: all, and those that were added.
  struct row_counts {
    std::size_t all = 0;
    std::size_t added = 0;
  };

  /// Adds the objects of a statement that the user may see and that are not there yet. `rank`: that of an id; otherwise the
  /// texts decide.
  template <class Object>
  row_counts take(sql_rows row, std::optional<int> rank, Object (*object_of)(const sql_rows&), found_of_kind<Object>& found) {
    row_counts rows;
    for (; row.next(); ++rows.all) {
      auto object = object_of(row);
      if (!may_see(object) || !found.ids.insert(core::number(object.id)).second)
        continue;
      const auto how = rank ? *rank : rank_of(object);
      found.all.push_back({how, std::move(object)});
      ++rows.added;
    }
    return rows;
  }

  /// Adds the objects whose id begins with the text; that of this very id comes first. The statement takes the first id, the last
  /// id and a limit. The objects of a range have one rank, so others are not missed when enough are shown.
  template <class Object>
  void take_ids(sql_text text, Object (*object_of)(const sql_rows&), found_of_kind<Object>& found) {
    const auto ranges = core::ids_beginning_with(text_, id_max);
    for (const auto& [first, last] : ranges) {
      const int rank = first == ranges.front().first ? 0 : 1;
      const auto rows = take(own_.query(text, first, last, rows_of_ids), rank, object_of, found);
      out_.truncated |= rows.all == rows_of_ids && rows.added < limit_;
    }
  }

  /// Adds the objects of a statement with the limit `rows_of_texts`.
  template <class Object>
  void take_texts(sql_rows row, Object (*object_of)(const sql_rows&), found_of_kind<Object>& found) {
    out_.truncated |= take(std::move(row), std::nullopt, object_of, found).all == rows_of_texts;
  }

  /// A text such as a single letter matches most jobs.
  void keep_best_jobs() {
    std::vector<ranked<core::found_job>> best;
    for (int rank = 0; rank <= 2; ++rank) {
      std::vector<ranked<core::found_job>> equal;
      for (auto& each : jobs_.all)
        if (each.rank == rank)
          equal.push_back(std::move(each));
      for (auto& job : best_of(std::move(equal), limit_))
        best.push_back({rank, std::move(job)});
    }
    jobs_.all = std::move(best);
  }

  void find_jobs_by_id() {
    take_ids(RINGMASTER_SEARCHED_JOBS "i.id BETWEEN ? AND ? ORDER BY i.id DESC LIMIT ?", found_job_of, jobs_);
  }

  void find_jobs_by_text() {
    for (auto end = id_max + 1; end > 0;) {
      const auto begin = begin_of_portion(end);
      take(own_.query(RINGMASTER_SEARCHED_JOBS "i.id >= ? AND i.id < ? AND (INSTR(LOWER($job_name), LOWER(?)) > 0"
                                               " OR INSTR(LOWER(i.executor_handler), LOWER(?)) > 0"
                                               " OR INSTR(LOWER(x.job_key), LOWER(?)) > 0)",
                      begin, end, text_, text_, text_),
           std::nullopt, found_job_of, jobs_);
      if (jobs_.all.size() > rows_of_texts)
        keep_best_jobs();
      end = begin;
      if (end > 0 && !go_on_()) {
        out_.truncated = true;
        return;
      }
    }
  }

  /// Returns the lowest id of the portion that ends before `end`; 0 for the last one.
  std::int64_t begin_of_portion(std::int64_t end) {
    auto row = own_.query("SELECT id FROM xxl_job_info WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET ?", end,
                          jobs_looked_at_once - 1);
    return row.next() ? std::max<std::int64_t>(row.number(0), 0) : 0;
  }

  void find_groups() {
    take_ids(RINGMASTER_SEARCHED_GROUPS "id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?", found_group_of, groups_);
    take_texts(own_.query(RINGMASTER_SEARCHED_GROUPS "INSTR(LOWER(app_name), LOWER(?)) > 0"
                                                     " OR INSTR(LOWER($group_title), LOWER(?)) > 0 ORDER BY id DESC LIMIT ?",
                          text_, text_, rows_of_texts),
               found_group_of, groups_);
  }

  void find_users() {
    take_ids(RINGMASTER_SEARCHED_USERS "id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?", found_user_of, users_);
    take_texts(own_.query(RINGMASTER_SEARCHED_USERS "INSTR(LOWER($utf8(username)) $by_bytes, LOWER(?)) > 0"
                                                    " ORDER BY id DESC LIMIT ?",
                          text_, rows_of_texts),
               found_user_of, users_);
  }

  admin_session& own_;
  const std::string& text_;
  const std::size_t limit_;
  const core::principal& by_;
  const std::function<bool()>& go_on_;
  bool hidden_may_follow_ = false;
  found_of_kind<core::found_job> jobs_;
  found_of_kind<core::found_group> groups_;
  found_of_kind<core::user_card> users_;
  core::found_objects out_;
};

#undef RINGMASTER_SEARCHED_USERS
#undef RINGMASTER_SEARCHED_GROUPS
#undef RINGMASTER_SEARCHED_JOBS

} // namespace

core::result<core::found_objects> search_role::find(const core::object_search& search, const core::principal& by,
                                                    const std::function<bool()>& go_on) {
  std::vector<core::log_id> runs;
  auto found = own_.read([&]() -> core::result<core::found_objects> {
    object_finding finding{own_, search, by, go_on};
    runs = finding.runs();
    auto objects = finding.run();
    if (objects)
      objects->truncated |= finding.hidden_may_follow();
    return objects;
  });
  if (!found)
    return found;
  auto rows = log_role{own_}.rows(runs);
  if (!rows)
    return tl::unexpected{std::move(rows.error())};
  for (const auto id : runs)
    for (auto& row : *rows)
      if (row.id == id)
        found->runs.push_back(shown(std::move(row)));
  return found;
}

} // namespace ringmaster::storage
