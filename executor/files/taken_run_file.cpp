#include "executor/files/taken_run_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actors/executor/run_texts.hpp"
#include "executor/files/taken_run_slot.hpp"

namespace ringmaster::executor {

using slot = taken_run_slot;

namespace {

constexpr std::string_view magic = "ringmaster taken runs 1\n";
constexpr std::string_view set_aside_suffix = ".broken";

/// Occupies the first slot.
struct header {
  std::array<char, 32> magic;
  std::uint64_t slots;
};

constexpr std::size_t bytes_of(std::size_t slots) noexcept { return sizeof(slot) * (slots + 1); }

} // namespace

core::result<std::shared_ptr<taken_run_file>> taken_run_file::open(taken_run_options options) {
  std::shared_ptr<taken_run_file> made{new taken_run_file{std::move(options)}};
  if (auto opened = made->open_file(); !opened)
    return tl::unexpected{std::move(opened.error())};
  if (auto mapped = made->map(); !mapped)
    return tl::unexpected{std::move(mapped.error())};
  made->read();
  if (auto grown = made->grow(); !grown)
    made->options_.complain(grown.error().context + "; no runs are accepted until there is room");
  return made;
}

taken_run_file::~taken_run_file() {
  if (map_)
    ::munmap(map_, bytes_max());
}

std::size_t taken_run_file::bytes_max() const noexcept { return bytes_of(options_.slots_max); }

slot& taken_run_file::at(std::uint32_t index) const noexcept {
  return reinterpret_cast<slot*>(map_)[index + 1];
}

// -- the file --------------------------------------------------------------------------------------------------------------

core::result<void> taken_run_file::open_file() {
  for (int attempt = 0; attempt < 2; ++attempt) {
    file_ = file{::open(options_.path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)};
    const int reason = file_ ? 0 : errno;
    const bool strange = reason == ELOOP || reason == EISDIR || reason == ENXIO;
    if (!file_ && !strange)
      return tl::unexpected{file_error(options_.path, "opened", reason)};
    const auto ours = strange ? core::result<bool>{false} : is_ours();
    if (!ours)
      return tl::unexpected{ours.error()};
    if (*ours)
      return {};
    if (auto aside = put_aside(); !aside)
      return aside;
  }
  return core::fail(core::errc::unavailable, options_.path + " is being changed by another process");
}

/// Returns whether this is a file of accepted runs. An empty file is one.
core::result<bool> taken_run_file::is_ours() const {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0)
    return tl::unexpected{file_error(options_.path, "read", errno)};
  if (!S_ISREG(status.st_mode))
    return false;
  if (status.st_size == 0) {
    // Disables copy-on-write: it would need new disk blocks for each write, so allocated space could be missing later.
    int flags = FS_NOCOW_FL;
    (void)::ioctl(file_.get(), FS_IOC_SETFLAGS, &flags);
    return true;
  }
  header read{};
  const auto count = ::pread(file_.get(), &read, sizeof(read), 0);
  if (count < 0)
    return tl::unexpected{file_error(options_.path, "read", errno)};
  const auto size = static_cast<std::size_t>(status.st_size);
  const bool fresh = std::all_of(read.magic.begin(), read.magic.end(), [](char c) { return c == '\0'; });
  return size >= sizeof(slot) && size <= bytes_max() && (fresh || std::string_view{read.magic.data()} == magic);
}

core::result<void> taken_run_file::put_aside() {
  const auto aside = options_.path + std::string{set_aside_suffix};
  if (::rename(options_.path.c_str(), aside.c_str()) != 0)
    return tl::unexpected{file_error(options_.path, "put aside", errno)};
  options_.complain(options_.path + " is not a list of runs; renamed to " + aside);
  return {};
}

core::result<void> taken_run_file::map() {
  void* const made = ::mmap(nullptr, bytes_max(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_.get(), 0);
  if (made == MAP_FAILED)
    return tl::unexpected{file_error(options_.path, "mapped", errno)};
  map_ = static_cast<std::byte*>(made);
  return {};
}

std::size_t taken_run_file::slots_on_disk() const {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0 || status.st_size < static_cast<off_t>(sizeof(slot)))
    return 0;
  return std::min(static_cast<std::size_t>(status.st_size) / sizeof(slot) - 1, options_.slots_max);
}

/// Reads the slots in use. Their disk blocks exist; other slots may have none before `grow`.
void taken_run_file::read() {
  const auto slots = slots_on_disk();
  std::size_t broken = 0;
  for (std::uint32_t i = 0; i < slots; ++i) {
    auto& each = at(i);
    if (each.mark == 0)
      continue;
    if (is_broken(each) || find(identity_of(each))) {
      if (broken++ == 0) {
        std::error_code ignored;
        std::filesystem::copy_file(options_.path, options_.path + std::string{set_aside_suffix},
                                   std::filesystem::copy_options::overwrite_existing, ignored);
      }
      put_last(each.mark, 0);
      continue;
    }
    places_.emplace(core::log_id{each.run}, i);
    if ((each.steps & slot::closed) != 0)
      ++closed_;
    else
      left_.push_back(i);
  }
  if (broken > 0)
    options_.complain(options_.path + ": " + std::to_string(broken) + " runs cannot be read; the old content is in " +
                      options_.path + std::string{set_aside_suffix});
  if (slots > 0 && reinterpret_cast<const header*>(map_)->slots > slots)
    options_.complain(options_.path + " is shorter than before: runs may be lost");
}

int taken_run_file::allocate(std::size_t before, std::size_t slots) const {
  int reason = EINTR;
  // From the beginning, because a copied file may have holes.
  while (reason == EINTR)
    reason = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes_of(slots)));
  // Maps the pages now, before a run needs them; old kernels map each page when it is first used.
  constexpr int populate_for_writing = 23;
  constexpr std::size_t page = 4096;
  const auto from = bytes_of(before) / page * page;
  if (reason == 0)
    (void)::madvise(map_ + from, bytes_of(slots) - from, populate_for_writing);
  return reason;
}

core::result<void> taken_run_file::grow() {
  const std::lock_guard alone{growing_};
  std::size_t before = 0;
  {
    const std::lock_guard lock{mutex_};
    before = slots_;
  }
  const auto wanted = std::min(std::max({before * 2, options_.slots_first, slots_on_disk()}), options_.slots_max);
  const int reason = wanted > before ? allocate(before, wanted) : 0;
  const std::lock_guard lock{mutex_};
  if (wanted == before || reason != 0) {
    auto problem = reason != 0 ? file_error(options_.path, "made larger", reason)
                               : core::error{core::errc::unavailable, std::to_string(before) + " runs are open"};
    trouble_ = problem.context;
    return tl::unexpected{std::move(problem)};
  }
  trouble_.clear();
  auto& head = *reinterpret_cast<header*>(map_);
  std::copy(magic.begin(), magic.end(), head.magic.begin());
  head.slots = wanted;
  for (auto i = wanted; i-- > before;)
    if (at(static_cast<std::uint32_t>(i)).mark == 0)
      free_.push_back(static_cast<std::uint32_t>(i));
  slots_ = wanted;
  return {};
}

bool taken_run_file::is_scarce() const {
  const std::lock_guard lock{mutex_};
  return free_.size() <= slots_ / 2 && slots_ < options_.slots_max;
}

// -- runs ------------------------------------------------------------------------------------------------------------------

core::result<bool> taken_run_file::take(const core::trigger_request& request) {
  const std::lock_guard lock{mutex_};
  if (find(core::identity_of(request)))
    return false;
  if (free_.empty())
    return core::fail(core::errc::unavailable, "the executor cannot keep one more run: " + trouble_);
  if (closed_ >= options_.closed_max)
    return core::fail(core::errc::unavailable,
                      "the executor cannot write logs: the logs of " + std::to_string(closed_) + " runs are missing");
  const auto index = free_.back();
  places_.emplace(request.run, index);
  free_.pop_back();
  auto& place = at(index);
  place.run = core::number(request.run);
  place.log_time_ms = core::to_ms(request.log_time);
  place.job = core::number(request.job);
  place.steps = 0;
  place.outcome = 0;
  put_last(place.mark, mark_of(place));
  return true;
}

bool taken_run_file::contains(const core::run_identity& which) const {
  const std::lock_guard lock{mutex_};
  return find(which) != nullptr;
}

taken_run_file::places::const_iterator taken_run_file::place_of(const core::run_identity& which) const {
  const auto [first, last] = places_.equal_range(which.run);
  const auto found =
    std::find_if(first, last, [&](const auto& each) { return core::is_same_run(identity_of(at(each.second)), which); });
  return found != last ? found : places_.end();
}

slot* taken_run_file::find(const core::run_identity& which) const {
  const auto found = place_of(which);
  return found == places_.end() ? nullptr : &at(found->second);
}

void taken_run_file::begin(const core::run_identity& which) {
  const std::lock_guard lock{mutex_};
  if (auto* const place = find(which))
    place->steps |= slot::begun;
}

void taken_run_file::settle(const core::run_report& report) {
  const std::lock_guard lock{mutex_};
  auto* const place = find(core::identity_of(report));
  if (place && !has_result(*place))
    put_result(*place, report.code, report.message);
}

void taken_run_file::remove(const core::run_identity& which) {
  const std::lock_guard lock{mutex_};
  const auto found = place_of(which);
  if (found == places_.end())
    return;
  auto& place = at(found->second);
  if ((place.steps & slot::closed) != 0)
    --closed_;
  put_last(place.mark, 0);
  if (found->second < slots_)
    free_.push_back(found->second);
  places_.erase(found);
}

void taken_run_file::close(const core::run_identity& which) {
  const std::lock_guard lock{mutex_};
  auto* const place = find(which);
  if (!place || (place->steps & slot::closed) != 0)
    return;
  place->steps |= slot::closed;
  ++closed_;
}

std::vector<core::run_report> taken_run_file::open_of(core::job_id job) const {
  std::vector<core::run_report> out;
  const std::lock_guard lock{mutex_};
  for (const auto& [run, index] : places_)
    if (at(index).job == core::number(job) && !has_result(at(index)))
      out.push_back(report_of(at(index)));
  return out;
}

std::vector<core::run_report> taken_run_file::left() {
  std::vector<core::run_report> out;
  const std::lock_guard lock{mutex_};
  for (const auto index : std::exchange(left_, {})) {
    auto& place = at(index);
    // Stored, so that every later process reports the same result.
    if (!has_result(place))
      put_result(place, actors::run_failed,
                 std::string{(place.steps & slot::begun) != 0 ? actors::ended_running_text : actors::ended_waiting_text});
    out.push_back(report_of(place));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.run < b.run; });
  return out;
}

std::vector<core::run_report> taken_run_file::closed(std::size_t limit) const {
  std::vector<core::run_report> out;
  const std::lock_guard lock{mutex_};
  if (closed_ == 0)
    return out;
  for (auto it = places_.begin(); it != places_.end() && out.size() < limit; ++it)
    if ((at(it->second).steps & slot::closed) != 0)
      out.push_back(report_of(at(it->second)));
  return out;
}

} // namespace ringmaster::executor
