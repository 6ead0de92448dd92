#include "executor/files/file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace ringmaster::executor {

written write_all(const file& to, std::string_view text) noexcept {
  written out;
  while (out.bytes < text.size()) {
    const auto count = ::write(to.get(), text.data() + out.bytes, text.size() - out.bytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      out.reason = count < 0 ? errno : EIO;
      break;
    }
    out.bytes += static_cast<std::size_t>(count);
  }
  return out;
}

int make_folders(const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  return problem.value();
}

core::error file_error(const std::string& path, std::string_view what, int reason) {
  return {core::errc::unavailable, path + " cannot be " + std::string{what} + ": " + std::generic_category().message(reason)};
}

} // namespace ringmaster::executor
