#include <cstdio>

#include "apps/assembly.hpp"
#include "apps/commands.hpp"
#include "apps/report.hpp"
#include "config/declared_file.hpp"

namespace ringmaster::apps {

namespace {

core::result<core::deploy_report> apply_files(const apply_options& options) {
  auto declared = config::load_declared({options.paths, ".", options.revision, options.source, "PATH"});
  if (!declared)
    return tl::unexpected<core::error>{declared.error()};
  auto what = assemble(options.config);
  if (!what)
    return tl::unexpected<core::error>{what.error()};
  auto database = make_database(*what);
  if (!database)
    return tl::unexpected<core::error>{database.error()};
  if (auto ready = prepare_schema(**database, what->settings); !ready)
    return tl::unexpected<core::error>{ready.error()};
  auto store = (*database)->open();
  if (!store)
    return tl::unexpected<core::error>{store.error()};
  return (*store)->deploys().apply(*declared, options.dry_run, options.prune, system_now());
}

} // namespace

int apply(const apply_options& options) {
  auto report = apply_files(options);
  if (!report)
    return complain(report.error());
  std::fputs((options.json ? describe_json(*report, options.dry_run) : describe(*report, options.dry_run)).c_str(), stdout);
  return exit_done;
}

} // namespace ringmaster::apps
