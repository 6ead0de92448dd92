#include "executor/executor.hpp"

#include <exception>
#include <utility>

#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include "executor/host/executor_parts.hpp"
#include "executor/host/one_line_log.hpp"
#include "executor/host/usable_options.hpp"
#include "protocol/meta_objects.hpp"

namespace ringmaster::executor {

namespace {

protocol::logger silent_log() {
  return std::make_shared<spdlog::logger>("executor", std::make_shared<spdlog::sinks::null_sink_mt>());
}

} // namespace

executor::parts::parts(executor_options given, handlers handlers_known, elastic::elastic_handlers items_known)
  : options{std::move(given)},
    known{std::move(handlers_known)},
    items{std::move(items_known)},
    log{options.log ? one_line_log(options.log) : silent_log()} {
}

executor::executor(std::unique_ptr<parts> made) : parts_{std::move(made)} {}

core::result<std::unique_ptr<executor>> executor::start(executor_options options, handlers known) {
  return start(std::move(options), std::move(known), {});
}

core::result<std::unique_ptr<executor>> executor::start(executor_options options, handlers known,
                                                        elastic::elastic_handlers items) {
  auto usable = check_options(options).and_then([&] { return check_elastic(options, items.all().size()); });
  if (!usable)
    return tl::unexpected{usable.error()};
  try {
    protocol::init_meta_objects();
    actors::init_link_meta_objects();
    std::unique_ptr<executor> made{new executor{
      std::make_unique<parts>(std::move(options), std::move(known), std::move(items))}};
    if (auto opened = made->parts_->open(); !opened)
      return tl::unexpected{opened.error()};
    return made;
  } catch (const std::exception& thrown) { // no thread or no memory available
    return core::fail(core::errc::unavailable, std::string{"the executor cannot start: "} + thrown.what());
  }
}

executor::~executor() {
  stop();
  if (parts_->end())
    return;
  parts_->log->warn("some runs ignore their stop; they end with the process");
  (void)parts_.release(); // the remaining runs may use it
}

const std::string& executor::address() const noexcept { return parts_->address; }

executor_counts executor::counts() const {
  const auto& now = *parts_->counts;
  return {now.running, now.waiting, now.unreported};
}

core::result<void> executor::reload_tls() {
  auto done = parts_->transport->reload_tls();
  if (auto links = parts_->ports ? parts_->ports->reload() : core::result<void>{}; !links) {
    if (!done)
      links.error().context = done.error().context + "; " + links.error().context;
    return links;
  }
  return done;
}

void executor::stop() {
  // Concurrent callers also wait for the end.
  std::call_once(parts_->stopped, [this] { parts_->stop(); });
}

} // namespace ringmaster::executor
