#include "core/editing/audit.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ringmaster::core {

namespace {

using enum audit_action;
constexpr std::array<std::pair<audit_action, std::string_view>, 18> actions{{{add, "add"},
                                                                              {update, "update"},
                                                                              {audit_action::remove, "remove"},
                                                                              {start, "start"},
                                                                              {stop, "stop"},
                                                                              {trigger, "trigger"},
                                                                              {kill, "kill"},
                                                                              {clear, "clear"},
                                                                              {audit_action::source, "source"},
                                                                              {sign_in, "sign_in"},
                                                                              {password, "password"},
                                                                              {apply, "apply"},
                                                                              {enable, "enable"},
                                                                              {disable, "disable"},
                                                                              {audit_action::shutdown, "shutdown"},
                                                                              {drain, "drain"},
                                                                              {cancel, "cancel"},
                                                                              {restart, "restart"}}};
constexpr std::array<std::pair<audit_object, std::string_view>, 10> objects{{{audit_object::job, "job"},
                                                                            {audit_object::group, "group"},
                                                                            {audit_object::run, "run"},
                                                                            {audit_object::user, "user"},
                                                                            {audit_object::api_key, "api_key"},
                                                                            {audit_object::source, "source"},
                                                                            {audit_object::alarm, "alarm"},
                                                                            {audit_object::setting, "setting"},
                                                                            {audit_object::elastic_job, "elastic_job"},
                                                                            {audit_object::elastic_host, "elastic_host"}}};

template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) noexcept {
  return std::find_if(table.begin(), table.end(), [value](const auto& each) { return each.first == value; })->second;
}

template <class Value, class Table>
std::optional<Value> value_in(const Table& table, std::string_view name) noexcept {
  const auto found = std::find_if(table.begin(), table.end(), [name](const auto& each) { return each.second == name; });
  return found != table.end() ? std::optional{found->first} : std::nullopt;
}

} // namespace

std::string_view stored_name(audit_action action) noexcept { return name_in(actions, action); }
std::string_view stored_name(audit_object object) noexcept { return name_in(objects, object); }
std::optional<audit_action> find_audit_action(std::string_view name) noexcept { return value_in<audit_action>(actions, name); }
std::optional<audit_object> find_audit_object(std::string_view name) noexcept { return value_in<audit_object>(objects, name); }

} // namespace ringmaster::core
