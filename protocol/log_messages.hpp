#pragma once

// Payloads about the logs of runs: what executors answer, what readers ask for, and copies on this node. None leaves the process.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/job/group.hpp"
#include "core/run/log_piece.hpp"
#include "core/run/log_row.hpp"
#include "core/run/log_search.hpp"
#include "core/run/run_log.hpp"
#include "core/run/trigger_request.hpp"
#include "protocol/http.hpp"

namespace ringmaster::protocol {

// -- executors -------------------------------------------------------------------------------------------------------------

/// Longest time that an executor may take for an answer that is streamed, and for each pause in it: before the first byte
/// XXL-JOB's executors read the whole file and make one text of it.
inline constexpr std::chrono::seconds log_stream_limit{120};
inline constexpr std::chrono::seconds log_pause_limit{20};

struct log_request {
  core::log_id run{};
  core::time_point fire_at{};
  /// Number of the first line to read, counted from 1.
  std::int32_t from_line = 1;
  /// Group of the run; 0: unknown.
  core::group_id group{};
  /// Takes the bytes of the answer, if the executor answers by HTTP. Null: the answer is in the reply, and has a limit.
  std::shared_ptr<http_body_sink> sink = {};
  /// Executors that know bounds answer with the size of the log.
  std::optional<core::log_bounds> bounds = {};
};

struct log_reply {
  /// False: no complete answer, or not a log reply.
  bool answered = false;
  std::int32_t to_line = 0;
  std::string content = {};
  /// Error in place of an answer.
  std::string error = {};
  /// Number of the first line in `content`, as the executor states it.
  std::int32_t from_line = 0;
  /// The executor states that nothing will follow.
  bool end = false;
  /// Not answered because the answer is longer than `trigger.log_bytes_max`: it will not be shorter the next time.
  bool too_long = false;
  /// The request's sink has the bytes of the answer, with this HTTP status, in place of the members above.
  bool streamed = false;
  unsigned status = 0;
  /// Size of the whole log; empty: the executor does not know bounds.
  std::optional<core::log_size> size = {};
};

// -- readers and copies ----------------------------------------------------------------------------------------------------

struct run_log_query {
  core::log_id run{};
  std::int32_t from_line = 1;
  core::principal by;
  /// Merges the whole logs of all shards of the run's broadcast, each after a heading. `from_line` and `limits` are ignored.
  bool merged = false;
  core::piece_limits limits = {};
};

/// Reads a piece of the log of a run that an executor accepted, from this node's copy, and asks the executor for what the copy
/// lacks. The caller has checked the permission.
struct spool_read {
  core::log_row run;
  std::int32_t from_line = 1;
  core::piece_limits limits = {};
  /// Time after which the answer has what has arrived.
  std::chrono::milliseconds wait{0};
  /// Fails with the subject `pieces` once the executor shows that it knows bounds: it is to be asked without a copy.
  bool refers = false;
};

/// Searches the log of a run for at most a tenth of a second.
struct run_search_query {
  core::log_id run{};
  core::principal by;
  core::log_search search = {};
};

struct log_matches {
  std::vector<core::log_match> matches = {};
  /// Last line that was searched.
  std::int32_t scanned_to = 0;
  /// First line that was not searched yet; empty: none.
  std::optional<std::int32_t> next_line = {};
  /// Reason why the rest of the log is missing; empty: none.
  std::string partial_reason = {};
};

struct run_file_query {
  core::log_id run{};
  core::principal by;
  /// The text of the whole broadcast, as in `run_log_query`.
  bool merged = false;
};

/// The log of a run as a file.
struct run_file {
  core::log_id run{};
  std::uint64_t bytes = 0;
  /// The log will not grow, and is here to its end.
  bool end = false;
  std::string partial_reason = {};
  /// Identifies the bytes; empty: their number does, because the log only grows.
  std::string version = {};
  /// Returns a source of a part; called at most once, soon. Any thread.
  std::function<std::shared_ptr<http_body_source>(std::uint64_t offset, std::uint64_t bytes)> open = {};
};

/// Reads the log of a run to its present end, as `spool_read`, and opens the copy.
struct spool_open {
  core::log_row run;
  std::chrono::milliseconds wait{0};
};

/// Searches the log of a run, as `spool_read`.
struct spool_search {
  core::log_row run;
  core::log_search search = {};
  std::chrono::milliseconds wait{0};
};

/// INTERNAL: a source wants bytes of a copy.
struct spool_fill {
  core::log_id run{};
  /// Number of the copy: one that was made again may have another text.
  std::uint64_t copy = 0;
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  /// Takes exactly these bytes; an empty piece: they cannot be read any more.
  std::function<void(std::string&& piece)> give = {};
};

/// INTERNAL: bytes of the answer with this number have arrived. 0: searches go on.
struct spool_arrival {
  std::int64_t answer = 0;
};

/// Asks for a part that the reader does not have yet. Without news it is held back until there is some, until the run has ended,
/// or for `wait`.
struct follow_log {
  run_log_query query;
  std::chrono::milliseconds wait{0};
  /// Returns true when the reader already has that part. Any thread.
  std::function<bool(const core::run_log& part)> is_known;
  /// Returns false once the reader has gone. Any thread.
  std::function<bool()> is_awaited;
};

} // namespace ringmaster::protocol
