#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace ringmaster::test {

/// A new folder in the system's temporary folder, removed with everything in it at the end.
class temp_folder {
public:
  temp_folder() : path_((std::filesystem::temp_directory_path() / "ringmaster-test-XXXXXX").string()) {
    if (!::mkdtemp(path_.data()))
      throw std::runtime_error{"cannot make " + path_};
  }
  temp_folder(const temp_folder&) = delete;
  temp_folder& operator=(const temp_folder&) = delete;
  ~temp_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Writes a file, folders included; returns its path.
  std::string write(const std::string& name, const std::string& text) {
    const auto file = std::filesystem::path{path_} / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file, std::ios::binary} << text;
    return file.string();
  }

private:
  std::string path_;
};

} // namespace ringmaster::test
