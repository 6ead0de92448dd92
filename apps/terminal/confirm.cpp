#include "apps/terminal/confirm.hpp"

#include <cstdio>
#include <iostream>

#include <unistd.h>

namespace ringmaster::apps {

core::result<void> confirm(const std::string& what, bool yes) {
  if (yes)
    return {};
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1)
    return core::fail(core::errc::invalid_argument,
                      what + "\nnothing changed: cannot ask for confirmation without a terminal; add --yes");
  std::fprintf(stderr, "%s\nContinue? [y/N] ", what.c_str());
  std::fflush(stderr);
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "Y" || answer == "yes")
    return {};
  return core::fail(core::errc::conflict, "nothing changed");
}

} // namespace ringmaster::apps
