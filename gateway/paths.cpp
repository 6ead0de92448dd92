#include "gateway/paths.hpp"

#include <algorithm>

namespace ringmaster::gateway {

std::string plain_path(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  if (!target.starts_with('/')) {
    // The absolute form, which proxies send and every server must read (RFC 9112 §3.2.2).
    auto mark = target.find("://");
    if (mark == std::string_view::npos)
      return {};
    auto slash = target.find('/', mark + 3);
    target = slash == std::string_view::npos ? std::string_view{"/"} : target.substr(slash);
  }
  std::string path;
  path.reserve(target.size());
  std::unique_copy(target.begin(), target.end(), std::back_inserter(path), [](char a, char b) { return a == '/' && b == '/'; });
  if (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path;
}

std::string_view below_context(std::string_view path, std::string_view context) noexcept {
  if (context.size() < 2 || !path.starts_with(context))
    return path;
  auto rest = path.substr(context.size());
  if (rest.empty())
    return "/";
  return rest.front() == '/' ? rest : path;
}

std::string_view default_api(std::string_view path) noexcept {
  constexpr std::string_view prefix = "/xxl-job-admin";
  if (!path.starts_with(prefix))
    return {};
  path.remove_prefix(prefix.size());
  return path.starts_with("/api/") ? path : std::string_view{};
}

std::string_view api_operation(std::string_view path) noexcept {
  constexpr std::string_view api = "/api/";
  if (!path.starts_with(api))
    return {};
  auto operation = path.substr(api.size());
  return operation.find('/') == std::string_view::npos ? operation : std::string_view{};
}

} // namespace ringmaster::gateway
