// E11: definitions of elastic jobs.

#include <algorithm>

#include "core/columns.hpp"
#include "core/editing/edit_tag.hpp"
#include "core/elastic/elastic_fields.hpp"
#include "core/rules/elastic_differences.hpp"
#include "core/rules/job_edit_rules.hpp"
#include "core/text/text.hpp"
#include "storage/elastic/elastic_edits.hpp"
#include "storage/elastic/elastic_role.hpp"
#include "storage/elastic/job_reads.hpp"
#include "storage/rows/elastic_columns.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

struct added_columns {
  static constexpr std::string_view head =
    "INSERT INTO ej_job (namespace, name, job_group, kind, handler, total, props, source, content_hash, ";
  static constexpr std::string_view before = "";
  static constexpr std::string_view after = ", ";
  static constexpr std::string_view middle = "status, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ";
  static constexpr std::string_view tail = "?, 1)";
};
constexpr auto insert_job_text = with_option_columns<added_columns>();

struct changed_columns {
  static constexpr std::string_view head = "UPDATE ej_job SET namespace = ?, name = ?, job_group = ?, kind = ?, handler = ?,"
                                           " total = ?, props = ?, source = ?, content_hash = ?, ";
  static constexpr std::string_view before = "";
  static constexpr std::string_view after = " = ?, ";
  static constexpr std::string_view tail = "version = version + 1 WHERE id = ?";
};
constexpr auto update_job_text = with_option_columns<changed_columns>();

constexpr std::size_t hash_chars = 64;

/// The values of the columns, and the texts that they refer to.
class definition_values {
public:
  explicit definition_values(const elastic::elastic_edit& edit) {
    const auto& what = edit.what;
    for (const auto& value :
         {value_of(what.name_space), value_of(what.name), value_of(what.group), value_of(what.kind), value_of(what.handler),
          value_of(what.total), value_of(what.props), value_of(edit.source), value_of(edit.content_hash)})
      values.push_back(value);
    options_.reserve(elastic::elastic_fields.size());
    for (const auto& field : elastic::elastic_fields)
      values.push_back(value_of(options_.emplace_back(field.get(what.options))));
    // An empty text is a value here.
    for (std::size_t i = 0; i < options_.size(); ++i)
      if (elastic::elastic_fields[i].is_text())
        values[values.size() - options_.size() + i] = core::text_of(options_[i]);
  }
  definition_values(const definition_values&) = delete;
  definition_values& operator=(const definition_values&) = delete;

  std::vector<sql_value> values;

private:
  std::vector<core::option_value> options_;
};

std::vector<core::audit_line> changes_between(const elastic::elastic_definition& before,
                                              const elastic::elastic_definition& after) {
  auto out = core::differences(before, after);
  if (before.group != after.group)
    out.emplace_back("group: " + std::to_string(core::number(before.group)) + " -> " + std::to_string(core::number(after.group)));
  return out;
}

/// Returns whether the definitions fire at the same instants.
bool fire_alike(const elastic::elastic_definition& a, const elastic::elastic_definition& b) {
  return std::all_of(elastic::elastic_fields.begin(), elastic::elastic_fields.end(), [&](const elastic::elastic_field& field) {
    return !field.shapes_schedule || field.get(a.options) == field.get(b.options);
  });
}

core::error name_taken(const elastic::elastic_definition& of) {
  return {core::errc::conflict, "there is an elastic job " + of.name + " already", core::refusal::elastic_name_repeated};
}

core::error no_such_group() {
  return {core::errc::invalid_argument, "group: unknown group", core::refusal::choose_group};
}

core::error never_fires() {
  return {core::errc::invalid_argument, "the schedule never fires (again), and the job is enabled",
          core::refusal::schedule_type_illegal};
}

/// Checks what only an edit by a user needs. Errors: `conflict` for a job that a source declares.
core::result<void> check_owner(const elastic::elastic_job_row& job) {
  return job.source ? core::result<void>{tl::unexpected{core::is_declared(job.id, *job.source)}} : core::result<void>{};
}

core::error changed_meanwhile(const elastic::elastic_job_row& job) {
  return core::edited_meanwhile("elastic job " + std::to_string(core::number(job.id)));
}

/// One edit of a definition.
class definition_edit {
public:
  definition_edit(admin_session& own, const elastic::elastic_edit& edit, core::time_point now, const core::principal& by,
                  bool applied)
    : own_{own}, edit_{edit}, now_{now}, by_{by}, applied_{applied} {}

  core::result<elastic::elastic_edit_done> run() {
    if (auto may = core::check_right(by_, core::group_right::editor, edit_.what.group); !may)
      return tl::unexpected{may.error()};
    if (!own_.finds("SELECT 1 FROM xxl_job_group WHERE id = ?", edit_.what.group))
      return tl::unexpected{no_such_group()};
    return edit_.id ? change(*edit_.id) : add();
  }

private:
  std::optional<elastic::elastic_job_id> named() {
    auto row = own_.query("SELECT id FROM ej_job WHERE namespace = ? AND name = ?", edit_.what.name_space, edit_.what.name);
    return row.next() ? std::optional{row.id<elastic::elastic_job_id>(0)} : std::nullopt;
  }

  core::result<elastic::elastic_edit_done> add() {
    if (const auto id = named()) {
      // Repeated, e.g. because the answer was lost.
      auto known = find_elastic_job(own_, *id);
      if (known && !edit_.content_hash.empty() && known->content_hash == edit_.content_hash && known->what == edit_.what)
        return elastic::elastic_edit_done{*id, known->version, 0, known->next};
      return tl::unexpected{name_taken(edit_.what)};
    }
    const auto id = insert();
    // A job that is off is checked as well.
    auto times = times_from(own_.schedule_zone(), edit_.what, id, {}, now_);
    if (!times)
      return tl::unexpected{times.error()};
    if (edit_.status != elastic::job_status::on)
      times->next.reset();
    else if (!may_fire(times->next))
      return tl::unexpected{never_fires()};
    own_.execute("INSERT INTO ej_schedule (job, next_ms, last_ms, revision) VALUES (?, ?, 0, 0)", id,
                 times->next ? core::to_ms(*times->next) : 0);
    const auto revision = note_elastic_edit(own_, id);
    add_items(id, 0, 1);
    write_audit_row(id, core::audit_action::add, changes_between({}, edit_.what));
    return elastic::elastic_edit_done{id, 1, revision, times->next};
  }

  elastic::elastic_job_id insert() {
    definition_values given{edit_};
    given.values.push_back(value_of(edit_.status));
    return own_.insert_with<elastic::elastic_job_id>(sql_text{insert_job_text.c_str()}, given.values);
  }

  core::result<elastic::elastic_edit_done> change(elastic::elastic_job_id id) {
    const auto was = hold_elastic_job(own_, id, core::group_right::editor, by_);
    if (!was)
      return tl::unexpected{was.error()};
    const bool is_equal = was->what == edit_.what && was->source == edit_.source && was->content_hash == edit_.content_hash;
    if (is_equal && (was->version == edit_.version || was->version == edit_.version + 1))
      return elastic::elastic_edit_done{id, was->version, 0, was->next};
    if (auto may = check_change(*was); !may)
      return tl::unexpected{may.error()};
    auto times = times_from(own_.schedule_zone(), edit_.what, id, was->last, now_);
    if (!times)
      return tl::unexpected{times.error()};
    if (was->status != elastic::job_status::on || fire_alike(was->what, edit_.what))
      times = core::counted_again{was->next, was->last};
    else if (!may_fire(times->next))
      return tl::unexpected{never_fires()};
    definition_values given{edit_};
    given.values.push_back(value_of(id));
    own_.execute_with(sql_text{update_job_text.c_str()}, given.values);
    const auto revision = note_elastic_edit(own_, id);
    store_times(own_, id, *times);
    change_items(*was);
    write_audit_row(id, core::audit_action::update, changes_between(was->what, edit_.what));
    return elastic::elastic_edit_done{id, was->version + 1, revision, times->next};
  }

  /// Returns false for a job whose schedule has ended, which a file may declare, but no user may enter.
  [[nodiscard]] bool may_fire(const std::optional<core::time_point>& next) const {
    return applied_ || next || edit_.what.options.schedule == core::schedule_type::none;
  }

  void write_audit_row(elastic::elastic_job_id id, core::audit_action action, std::vector<core::audit_line> lines) {
    if (applied_)
      lines = applied_lines(edit_.source.value_or(""), action == core::audit_action::add ? "create" : "update", lines);
    audit_elastic(own_, by_, applied_ ? core::audit_action::apply : action, id, edit_.what.name, lines, now_);
  }

  core::result<void> check_change(const elastic::elastic_job_row& was) {
    if (auto may = applied_ ? core::result<void>{} : check_owner(was); !may)
      return may;
    if (was.version != edit_.version)
      return tl::unexpected{changed_meanwhile(was)};
    if (!edit_.replace_class && (was.what.kind != edit_.what.kind || was.what.handler != edit_.what.handler))
      return core::fail(core::errc::conflict, "the elastic job has type " + was.what.kind + " and handler " + was.what.handler);
    // Disabled servers are stored by namespace.
    if (was.what.name_space != edit_.what.name_space)
      return core::fail(core::errc::invalid_argument, "namespace: a job keeps it");
    if (const auto other = named(); other && other != was.id)
      return tl::unexpected{name_taken(edit_.what)};
    return {};
  }

  // Rows of items that are too many stay until their runs have ended: the coordinator deletes them.
  void change_items(const elastic::elastic_job_row& was) {
    const auto total = edit_.what.total;
    if (total > was.what.total) {
      add_items(was.id, was.what.total, was.version + 1);
      own_.execute("UPDATE ej_item SET flags = flags - 2 WHERE job = ? AND item >= 0 AND item < ? AND flags >= 2", was.id, total);
    } else if (total < was.what.total) {
      own_.execute("UPDATE ej_item SET flags = flags + 2 WHERE job = ? AND item >= ? AND flags < 2", was.id, total);
    }
  }

  void add_items(elastic::elastic_job_id job, std::int32_t from, std::int64_t version) {
    std::vector<sql_value> values;
    for (auto item = from; item < edit_.what.total; ++item)
      for (const auto& value : {value_of(job), value_of(item), value_of(elastic::first_fence(version))})
        values.push_back(value);
    own_.execute_rows("INSERT $or_ignore INTO ej_item (job, item, fence, state, run, host, host_inc, attempt, missed, flags,"
                      " lease_ms) VALUES {(?, ?, ?, 0, 0, 0, 0, 1, 0, 0, 0),}",
                      values, 3);
  }

  admin_session& own_;
  const elastic::elastic_edit& edit_;
  core::time_point now_;
  const core::principal& by_;
  /// A declared file is applied.
  bool applied_;
};

core::result<void> check_edit(const elastic::elastic_edit& edit) {
  if (auto sound = core::elastic::check(edit.what); !sound)
    return sound;
  if ((edit.source && !core::fits(*edit.source, core::source_chars)) || !core::fits(edit.content_hash, hash_chars))
    return core::fail(core::errc::invalid_argument, "the source of the elastic job is too long");
  return {};
}

} // namespace

core::result<elastic::elastic_edit_done> put_applied(admin_session& own, const elastic::elastic_edit& edit, core::time_point now,
                                                     const core::principal& by) {
  if (auto sound = check_edit(edit); !sound)
    return tl::unexpected{sound.error()};
  return definition_edit{own, edit, now, by, true}.run();
}

core::result<elastic::elastic_edit_done> elastic_role::put(const elastic::elastic_edit& edit, core::time_point now,
                                                           const core::principal& by) {
  if (auto sound = check_edit(edit); !sound)
    return tl::unexpected{sound.error()};
  return own_.edit([&]() -> core::result<elastic::elastic_edit_done> {
    if (auto mode = own_.begin_edit(); !mode)
      return tl::unexpected{mode.error()};
    return definition_edit{own_, edit, now, by, false}.run();
  });
}

// `ej_schedule` keeps the revision, by which the nodes learn of the removal.
core::result<elastic::elastic_edit_done> remove_held(admin_session& own, const elastic::elastic_job_row& was,
                                                     const core::principal& by, const std::string* source,
                                                     core::time_point now) {
  const auto job = was.id;
  const auto revision = note_elastic_edit(own, job);
  own.execute("UPDATE ej_schedule SET next_ms = 0 WHERE job = ?", job);
  own.execute("DELETE FROM ej_fire WHERE job = ?", job);
  own.execute("DELETE FROM ej_item WHERE job = ? AND state = 0", job);
  if (own.finds("SELECT 1 FROM ej_item WHERE job = ? LIMIT 1", job))
    return core::refuse(core::errc::conflict, core::refusal::elastic_items_run,
                        "items of the elastic job run or wait: shut it down first");
  own.execute("DELETE FROM ej_cursor WHERE job = ?", job);
  own.execute("DELETE FROM ej_plan WHERE job = ?", job);
  own.execute("DELETE FROM ej_request WHERE job = ?", job);
  own.execute("DELETE FROM ej_request_item WHERE job = ?", job);
  own.execute("DELETE FROM ej_server WHERE job = ?", job);
  own.execute("DELETE FROM ej_alarm_open WHERE job = ?", job);
  own.execute("DELETE FROM ej_job WHERE id = ?", job);
  audit_elastic(own, by, source ? core::audit_action::apply : core::audit_action::remove, job, was.what.name,
                source ? applied_lines(*source, "remove", {}) : changes_between(was.what, {}), now);
  return elastic::elastic_edit_done{job, was.version, revision, std::nullopt};
}

core::result<elastic::elastic_edit_done> elastic_role::remove(elastic::elastic_job_id job, std::int64_t version,
                                                              core::time_point now, const core::principal& by) {
  return own_.edit([&]() -> core::result<elastic::elastic_edit_done> {
    if (auto mode = own_.begin_edit(); !mode)
      return tl::unexpected{mode.error()};
    const auto was = hold_elastic_job(own_, job, core::group_right::editor, by);
    if (!was)
      return tl::unexpected{was.error()};
    if (auto may = check_owner(*was); !may)
      return tl::unexpected{may.error()};
    if (was->version != version)
      return tl::unexpected{changed_meanwhile(*was)};
    return remove_held(own_, *was, by, nullptr, now);
  });
}

} // namespace ringmaster::storage
