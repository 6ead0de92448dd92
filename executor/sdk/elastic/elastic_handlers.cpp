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

/// Adds a pool or an error handler. `what`: for messages.
template <class Factory>
core::result<void> add_part(std::map<std::string, Factory, std::less<>>& to, std::string_view what,
                            std::span<const std::string_view> built_in, std::string name, Factory factory) {
  using core::errc;
  const auto shown = std::string{what} + " \"" + core::valid_utf8(name) + '"';
  // Blanks around a name would be invisible in a job.
  if (name.empty() || core::trimmed(name) != name || core::valid_utf8(name) != name
      || core::count_characters(name) > static_cast<std::size_t>(core::elastic::type_name_chars))
    return core::fail(errc::invalid_argument, shown + " must have 1 to 64 characters, in UTF-8, without blanks around them");
  if (!factory)
    return core::fail(errc::invalid_argument, shown + " has no factory");
  if (core::elastic::spelled_as(built_in, name) != name || std::find(built_in.begin(), built_in.end(), name) != built_in.end())
    return core::fail(errc::conflict, shown + " is built in");
  if (!to.emplace(std::move(name), std::move(factory)).second)
    return core::fail(errc::conflict, shown + " is registered twice");
  return {};
}

} // namespace

core::result<void> elastic_handlers::add(std::string name, elastic_body body) {
  using core::errc;
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
    return core::fail(core::errc::invalid_argument, "\"" + core::valid_utf8(job_type) +
                                                      "\" is not a type of elastic jobs whose code"
                                                      " is registered as such");
  return keep(std::string{handler}, std::move(body));
}

core::result<void> elastic_handlers::keep(std::string name, elastic_body body) {
  using core::errc;
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
  return add_part(pools_, "pool", core::elastic::pool_names, std::move(name), std::move(factory));
}

core::result<void> elastic_handlers::add_error_handler(std::string name, error_handler_factory factory) {
  return add_part(error_handlers_, "error handler", core::elastic::error_handler_names, std::move(name), std::move(factory));
}

} // namespace ringmaster::executor::elastic
