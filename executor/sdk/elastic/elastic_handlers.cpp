#include "executor/sdk/elastic/elastic_handlers.hpp"

#include <stdexcept>
#include <utility>

#include "core/elastic/elastic_definition.hpp"
#include "core/text/text.hpp"

namespace ringmaster::executor::elastic {

namespace {

using core::errc;

/// `what`: "handler" or "listener".
core::result<void> check_name(const std::string& name, const std::string& what) {
  if (name.empty())
    return core::fail(errc::invalid_argument, "a " + what + " of elastic jobs needs a name");
  if (core::valid_utf8(name) != name || core::count_characters(name) > core::elastic::elastic_handler_chars)
    return core::fail(errc::invalid_argument,
                      "elastic " + what + " \"" + core::valid_utf8(name) + "\" must have at most 255 characters, in UTF-8");
  return {};
}

// Jobs name listeners in a list that is separated by commas.
template <class Factory>
core::result<void> add_named(std::map<std::string, Factory, std::less<>>& to, std::string name, Factory factory) {
  if (auto sound = check_name(name, "listener"); !sound)
    return sound;
  if (name.find(',') != name.npos || core::trimmed(name) != name)
    return core::fail(errc::invalid_argument, "elastic listener \"" + name + "\" must have no comma, and no blanks around it");
  if (!factory)
    return core::fail(errc::invalid_argument, "elastic listener \"" + name + "\" has no factory");
  if (!to.emplace(name, std::move(factory)).second)
    return core::fail(errc::conflict, "elastic listener \"" + name + "\" is registered twice");
  return {};
}

} // namespace

core::result<void> elastic_handlers::add(std::string name, elastic_body body) {
  if (auto sound = check_name(name, "handler"); !sound)
    return sound;
  if (!body)
    return core::fail(errc::invalid_argument, "elastic handler \"" + name + "\" has no function");
  auto made = std::make_shared<const elastic_body>(std::move(body));
  if (!by_name_.emplace(name, std::move(made)).second)
    return core::fail(errc::conflict, "elastic handler \"" + name + "\" is registered twice");
  return {};
}

core::result<void> elastic_handlers::add_job(std::string name, job_factory factory) {
  if (!factory)
    return add(std::move(name), elastic_body{});
  return add(std::move(name), elastic_body{[factory = std::move(factory)](item_context& context) {
               const auto job = factory();
               if (!job)
                 throw std::runtime_error{"the factory of the handler returned no job"};
               job->execute(context);
             }});
}

core::result<void> elastic_handlers::add_listener(std::string name, listener_factory factory) {
  return add_named(listeners_, std::move(name), std::move(factory));
}

core::result<void> elastic_handlers::add_once_listener(std::string name, once_listener_factory factory) {
  return add_named(once_listeners_, std::move(name), std::move(factory));
}

} // namespace ringmaster::executor::elastic
