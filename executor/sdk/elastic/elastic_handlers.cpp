#include "executor/sdk/elastic/elastic_handlers.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/elastic/elastic_definition.hpp"
#include "core/elastic/elastic_fields.hpp"
#include "core/elastic/job_types.hpp"
#include "core/elastic/part_names.hpp"
#include "core/text/text.hpp"

namespace ringmaster::executor::elastic {

namespace {

using core::errc;

/// Rule for the names of one kind of parts that a program adds.
struct name_rule {
  /// For messages.
  std::string_view what;
  std::size_t characters_max;
  std::span<const std::string_view> built_in = {};
  /// Jobs have them in a list that is separated by commas.
  bool is_listed = false;
};

constexpr name_rule pool_names{"pool", core::elastic::type_name_chars, core::elastic::pool_names};
constexpr name_rule error_handler_names{"error handler", core::elastic::type_name_chars, core::elastic::error_handler_names};
constexpr name_rule listener_names{"listener", core::elastic::elastic_handler_chars, {}, true};

/// Adds a part of the program.
template <class Factory>
core::result<void> add_part(std::map<std::string, Factory, std::less<>>& to, const name_rule& rule, std::string name,
                            Factory factory) {
  const auto shown = std::string{rule.what} + " \"" + core::valid_utf8(name) + '"';
  // Blanks around a name would be invisible in a job.
  if (name.empty() || core::trimmed(name) != name || core::valid_utf8(name) != name
      || core::count_characters(name) > rule.characters_max)
    return core::fail(errc::invalid_argument, shown + " must have 1 to " + std::to_string(rule.characters_max)
                                                + " characters, in UTF-8, without blanks around them");
  if (rule.is_listed && name.find(',') != name.npos)
    return core::fail(errc::invalid_argument, shown + " must have no comma");
  if (!factory)
    return core::fail(errc::invalid_argument, shown + " has no factory");
  if (core::elastic::spelled_as(rule.built_in, name) != name
      || std::find(rule.built_in.begin(), rule.built_in.end(), name) != rule.built_in.end())
    return core::fail(errc::conflict, shown + " is built in");
  if (!to.emplace(std::move(name), std::move(factory)).second)
    return core::fail(errc::conflict, shown + " is registered twice");
  return {};
}

} // namespace

core::result<void> elastic_handlers::add(std::string name, elastic_body body) {
  if (name.empty())
    return core::fail(errc::invalid_argument, "a handler of elastic jobs needs a name");
  if (core::valid_utf8(name) != name || core::count_characters(name) > core::elastic::elastic_handler_chars)
    return core::fail(errc::invalid_argument, "elastic handler \"" + core::valid_utf8(name) +
                                                "\" must have at most 255 characters, in UTF-8");
  if (core::elastic::is_type_handler(name))
    return core::fail(errc::invalid_argument, "\"" + name + "\" is the handler of a type of elastic jobs; choose another name");
  return keep(std::move(name), std::move(body));
}

core::result<void> elastic_handlers::add_type(std::string_view job_type, elastic_body body) {
  const auto handler = core::elastic::handler_of_type(job_type);
  if (handler.empty())
    return core::fail(errc::invalid_argument, "\"" + core::valid_utf8(job_type) +
                                                "\" is not a type of elastic jobs whose code"
                                                " is registered as such");
  return keep(std::string{handler}, std::move(body));
}

core::result<void> elastic_handlers::keep(std::string name, elastic_body body) {
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

core::result<void> elastic_handlers::add_pool(std::string name, pool_factory factory) {
  return add_part(pools_, pool_names, std::move(name), std::move(factory));
}

core::result<void> elastic_handlers::add_error_handler(std::string name, error_handler_factory factory) {
  return add_part(error_handlers_, error_handler_names, std::move(name), std::move(factory));
}

core::result<void> elastic_handlers::add_listener(std::string name, listener_factory factory) {
  return add_part(listeners_, listener_names, std::move(name), std::move(factory));
}

core::result<void> elastic_handlers::add_once_listener(std::string name, once_listener_factory factory) {
  return add_part(once_listeners_, listener_names, std::move(name), std::move(factory));
}

} // namespace ringmaster::executor::elastic
