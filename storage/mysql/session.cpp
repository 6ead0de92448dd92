#include "storage/mysql/session.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "storage/mysql/schema_read.hpp"

namespace ringmaster::storage::mysql {

void process_connections::opened(std::int64_t id) {
  const std::lock_guard lock{guard_};
  ids_.insert(id);
}

void process_connections::closed(std::int64_t id) {
  const std::lock_guard lock{guard_};
  ids_.erase(id);
}

void process_connections::entered(const core::node_life& life) {
  const std::lock_guard lock{guard_};
  life_ = life;
}

std::optional<core::node_life> process_connections::life() const {
  const std::lock_guard lock{guard_};
  return life_;
}

std::string process_connections::list() const {
  const std::lock_guard lock{guard_};
  std::string out;
  for (const auto id : ids_)
    out += (out.empty() ? "" : ",") + std::to_string(id);
  return out;
}

bool process_connections::contains(std::int64_t id) const {
  const std::lock_guard lock{guard_};
  return ids_.contains(id);
}

session::session(connection_settings settings, core::zone database_zone, core::zone schedules, text_style style,
                 std::shared_ptr<process_connections> process)
  : db{std::move(settings)},
    dates{std::move(database_zone)},
    schedule_zone{std::move(schedules)},
    texts{style},
    own{std::move(process)} {
  db.on_open([this] { opened(); });
}

session::~session() { own->closed(known_id_); }

// A reconnect in the middle of the node's life: whoever fences it must know the new connection.
void session::opened() {
  own->closed(known_id_);
  known_id_ = db.id();
  own->opened(known_id_);
  facts = read_schema(db);
  shape = shape_of(facts);
  db.name_columns(shape.names);
  publish_connections();
}

void session::publish_connections() {
  const auto life = own->life();
  if (!life)
    return;
  // Another store of this process may write an older list behind this one; it then finds that and writes again.
  for (std::string written; written != own->list();) {
    written = own->list();
    db.execute("UPDATE rm_node SET connections = ? WHERE id = ? AND incarnation = ?", written, life->node, life->incarnation);
  }
}

core::result<void> session::check_current(const core::node_life& owner) {
  auto row = db.query("SELECT 1 FROM rm_node WHERE id = ? AND incarnation = ? AND state = 'up' LOCK IN SHARE MODE", owner.node,
                      owner.incarnation);
  if (row.next())
    return {};
  return core::fail(core::errc::fenced,
                    "incarnation " + std::to_string(owner.incarnation) + " of node " + owner.node + " is over");
}

void session::lock_edits() { (void) db.query("SELECT counter FROM rm_edit WHERE id = 1 FOR UPDATE").next(); }

std::int64_t session::take_revisions(std::size_t count) {
  db.execute("UPDATE rm_edit SET counter = counter + ? WHERE id = 1", count);
  auto row = db.query("SELECT counter FROM rm_edit WHERE id = 1");
  return row.next() ? row.number(0) - static_cast<std::int64_t>(count) + 1 : 0;
}

std::string storable(std::string_view text) {
  const auto plain = [](char c) { return c > 0; };
  return std::all_of(text.begin(), text.end(), plain) ? std::string{text} : core::valid_utf8(text);
}

} // namespace ringmaster::storage::mysql
