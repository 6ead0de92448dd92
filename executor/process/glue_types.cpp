#include "executor/process/glue_types.hpp"

namespace ringmaster::executor {

namespace {

constexpr glue_type table[] = {
  {"GLUE_SHELL", "GLUE(Shell)", ".sh", {"bash", ""}},
  {"GLUE_PYTHON", "GLUE(Python3)", ".py", {"python3", "python"}},
  {"GLUE_PYTHON2", "GLUE(Python2)", ".py", {"python2", "python"}},
  {"GLUE_PHP", "GLUE(PHP)", ".php", {"php", ""}},
  {"GLUE_NODEJS", "GLUE(Nodejs)", ".js", {"node", ""}},
  {"GLUE_POWERSHELL", "GLUE(PowerShell)", ".ps1", {"pwsh", "powershell"}},
};

} // namespace

const glue_type* find_glue_type(std::string_view name) noexcept {
  for (const auto& each : table)
    if (each.name == name)
      return &each;
  return nullptr;
}

} // namespace ringmaster::executor
