#include "tests/executor/disk.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringmaster::test {

executor::log_options log_disk::options() {
  executor::log_options out;
  out.folder = folder;
  out.now = [this] { return now; };
  out.complain = [this](const std::string& what) { complaints.push_back(what); };
  return out;
}

std::string log_disk::path(std::int64_t run) const { return folder + "/2023-11-14/" + std::to_string(run) + ".log"; }

std::string log_disk::bytes(std::int64_t run) const {
  std::ifstream file{path(run), std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void log_disk::write(std::int64_t run, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path{path(run)}.parent_path());
  std::ofstream{path(run), std::ios::binary | std::ios::app} << text;
  look_after(run, core::milliseconds{0});
}

void log_disk::look_after(std::int64_t run, core::milliseconds later) {
  struct stat status {};
  if (::stat(path(run).c_str(), &status) == 0)
    now = core::from_ms(std::int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1000000) + later;
}

small_disk::small_disk(std::size_t kilobytes) {
  const auto size = "size=" + std::to_string(kilobytes) + "k";
  mounted_ = ::mount("ringmaster-test", place_.path().c_str(), "tmpfs", 0, size.c_str()) == 0;
}

small_disk::~small_disk() {
  if (mounted_)
    ::umount2(place_.path().c_str(), MNT_DETACH);
}

void small_disk::fill() {
  std::ofstream file{place_.path() + "/ballast", std::ios::binary};
  const std::string block(4096, 'x');
  while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
  }
}

void small_disk::free() { std::filesystem::remove(place_.path() + "/ballast"); }

} // namespace ringmaster::test
