#include <cstdio>

#include <nlohmann/json.hpp>

#include "apps/commands.hpp"
#include "apps/first_admin.hpp"
#include "apps/open_store.hpp"
#include "apps/report.hpp"

namespace ringmaster::apps {

int reset_user_password(const user_password_options& options) {
  auto opened = open_store(options.config);
  if (!opened)
    return complain(opened.error());
  const auto password = reset_password(*opened->store, options.name);
  if (!password)
    return complain(password.error());
  if (options.json)
    std::printf("%s\n", nlohmann::json{{"user", options.name}, {"password", *password}}.dump().c_str());
  else
    std::printf("password: %s\n", password->c_str());
  return exit_done;
}

} // namespace ringmaster::apps
