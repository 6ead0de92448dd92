#include "storage/mysql/driver/session.hpp"

#include <algorithm>
#include <charconv>

#include "core/text/text.hpp"
#include "storage/mysql/driver/schema_read.hpp"

namespace ringmaster::storage::mysql {

namespace {

/// G6 is the generation of 3.2, which still writes this tail, and of 3.3, which does not.
constexpr int answer_tail_generation_max = 5;

} // namespace

std::string server_start::text() const { return "@" + name + ":" + std::to_string(at); }

std::optional<server_start> server_start::find_in(std::string_view list) {
  const auto begin = list.find('@');
  const auto colon = list.rfind(':');
  if (begin == std::string_view::npos || colon == std::string_view::npos || colon < begin)
    return std::nullopt;
  server_start out{std::string{list.substr(begin + 1, colon - begin - 1)}, 0};
  const auto* end = list.data() + list.size();
  const auto [rest, problem] = std::from_chars(list.data() + colon + 1, end, out.at);
  return problem == std::errc{} && rest == end ? std::optional{std::move(out)} : std::nullopt;
}

bool server_start::is(const server_start& other) const noexcept {
  constexpr std::int64_t rounding = 2;
  return name == other.name && at - other.at <= rounding && other.at - at <= rounding;
}

server_start read_server_start(connection& db) {
  server_start out;
  auto here = db.query("SELECT CONCAT(REPLACE(@@hostname, ',', ' '), ':', @@port), UNIX_TIMESTAMP()");
  if (here.next()) {
    out.name = here.string(0);
    out.at = here.number(1);
  }
  auto up = db.query("SHOW GLOBAL STATUS LIKE 'Uptime'");
  std::int64_t seconds = 0;
  if (up.next()) {
    const auto text = up.text(1);
    std::from_chars(text.data(), text.data() + text.size(), seconds);
  }
  out.at -= seconds;
  return out;
}

void process_connections::opened(std::int64_t id, const server_start& server) {
  const std::lock_guard lock{guard_};
  if (!server_ || !server_->is(server)) {
    ids_.clear();
    server_ = server;
  }
  ids_.insert(id);
}

void process_connections::closed(std::int64_t id) {
  const std::lock_guard lock{guard_};
  ids_.erase(id);
}

void process_connections::entered(const core::node_incarnation& incarnation) {
  const std::lock_guard lock{guard_};
  incarnation_ = incarnation;
}

std::optional<core::node_incarnation> process_connections::incarnation() const {
  const std::lock_guard lock{guard_};
  return incarnation_;
}

std::string process_connections::list() const {
  const std::lock_guard lock{guard_};
  std::string out;
  for (const auto id : ids_)
    out += std::to_string(id) + ",";
  return server_ ? out + server_->text() : out;
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

// After a reconnect during the node's incarnation, a fencing node must learn the new connection.
void session::opened() {
  own->closed(known_id_);
  known_id_ = db.id();
  server = read_server_start(db);
  own->opened(known_id_, server);
  facts = read_schema(db);
  shape = shape_of(facts);
  if (const auto generation = classify(facts).generation; texts.tail_by_schema && generation != 0)
    texts.tail = generation <= answer_tail_generation_max ? core::trigger_tail::answer : core::trigger_tail::remark;
  db.name_columns(shape.names);
  publish_connections();
}

void session::publish_connections() {
  const auto incarnation = own->incarnation();
  if (!incarnation)
    return;
  // Another store of this process may write an older list after this one; it then detects that and writes again.
  for (std::string written; written != own->list();) {
    written = own->list();
    db.execute("UPDATE rm_node SET connections = ? WHERE id = ? AND incarnation = ?", written, incarnation->node,
               incarnation->incarnation);
  }
}

core::result<void> session::check_current(const core::node_incarnation& owner) {
  auto row = db.query("SELECT 1 FROM rm_life WHERE node = ? AND incarnation = ? LOCK IN SHARE MODE", owner.node,
                      owner.incarnation);
  if (row.next())
    return {};
  return tl::unexpected{incarnation_has_ended(owner)};
}

core::error incarnation_has_ended(const core::node_incarnation& incarnation) {
  return {core::errc::fenced,
          "incarnation " + std::to_string(incarnation.incarnation) + " of node " + incarnation.node + " has ended"};
}

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
