// run_admin: reading the logs of all shards of a broadcast at the same time.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "actors/console/run_admin.hpp"
#include "actors/console/spool_source.hpp"
#include "actors/store/store_access.hpp"
#include "core/run/shard_family.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

constexpr const char* parts_missing = "the text has notes where a part of a log is missing";

/// The requested run, and all runs of its broadcast.
using family = std::pair<core::log_row, std::vector<log_share>>;

/// Returns the rows with the logs that the database has. Checks the permission on the requested run first.
core::result<family> family_of(storage::store& store, core::log_id run, const core::principal& by, std::size_t bytes_max) {
  auto row = store.run_reading().read(run, core::group_right::viewer, by);
  if (!row)
    return tl::unexpected{row.error()};
  std::vector<core::log_row> same_instant;
  if (core::read_shard_text(row->executor_sharding_param)) {
    core::run_search search;
    search.job = row->job;
    search.from = row->trigger_time;
    search.to = row->trigger_time;
    search.window.limit = core::page_rows_max;
    auto found = store.run_reading().page(search, core::page_rows_max, by);
    if (!found)
      return tl::unexpected{found.error()};
    same_instant = std::move(found->rows);
  }
  auto runs = core::shard_family(*row, same_instant);
  family out{std::move(*row), {}};
  for (auto& each : runs) {
    auto& share = out.second.emplace_back(log_share{std::move(each)});
    if (share.run.handle_code == 0)
      continue;
    auto kept = store.kept_logs().read(share.run.id, share.run.job, bytes_max / runs.size());
    if (!kept)
      return tl::unexpected{std::move(kept.error())};
    share.kept = kept->has_value();
    if (!share.kept)
      continue;
    const auto unread = (*kept)->bytes - (*kept)->text.size();
    put(share, std::move((*kept)->text), bytes_max / runs.size());
    share.cut += unread;
    share.kept_in_part = (*kept)->cut;
  }
  return out;
}

} // namespace

caf::result<core::run_log> run_admin_state::read_merged(const protocol::run_log_query& query) {
  auto promise = self_->make_response_promise<core::run_log>();
  merge(query.run, query.by, [promise](core::result<merged_run>&& found) mutable {
    if (!found)
      return promise.deliver(protocol::to_caf(found.error()));
    auto& [run, merged] = *found;
    core::run_log text{std::move(run), 1, merged.lines, std::move(merged.content), merged.whole, merged.kept};
    text.bytes = static_cast<std::int64_t>(text.content.size());
    text.lines = text.to_line;
    promise.deliver(std::move(text));
  });
  return promise;
}

caf::result<protocol::run_file> run_admin_state::open_merged(const protocol::run_file_query& query) {
  auto promise = self_->make_response_promise<protocol::run_file>();
  merge(query.run, query.by, [promise](core::result<merged_run>&& found) mutable {
    if (!found)
      return promise.deliver(protocol::to_caf(found.error()));
    auto& [run, merged] = *found;
    // Parts of the text may change between two readings, to the same size.
    auto version = std::to_string(std::hash<std::string>{}(merged.content));
    auto file = file_of_text(run.id, std::move(merged.content), merged.whole, merged.partial ? parts_missing : "");
    file.version = std::move(version);
    promise.deliver(std::move(file));
  });
  return promise;
}

void run_admin_state::merge(core::log_id run, const core::principal& by, merged_receiver tell) {
  ask_store<family>(
    self_, stores_.reads, [run, by](storage::store& store) { return family_of(store, run, by, merged_bytes_max); },
    [this, tell = std::move(tell)](core::result<family>&& found) mutable {
      if (!found)
        return tell(tl::unexpected{std::move(found.error())});
      auto work = std::make_shared<merging>();
      work->tell = std::move(tell);
      work->asked = std::move(found->first);
      work->shares = std::move(found->second);
      work->until = self_->clock().now() + merge_patience;
      ask_next(work);
    });
}

void run_admin_state::ask_next(const std::shared_ptr<merging>& work) {
  while (work->next < work->shares.size() && work->under_way < merge_fan_out) {
    const auto at = work->next++;
    auto& share = work->shares[at];
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(work->until - self_->clock().now());
    if (share.kept) {
      continue;
    } else if (!was_triggered(share.run)) {
      share.problem = "not triggered";
    } else if (share.run.executor_address.empty()) {
      share.problem = "no executor assigned";
    } else if (left.count() <= 0) {
      share.problem = "not requested: other executors did not answer in time";
    } else {
      ++work->under_way;
      ask_share(work, at, std::min(limit_, left));
    }
  }
  if (work->under_way > 0 || work->next < work->shares.size() || !work->tell)
    return;
  std::exchange(work->tell, nullptr)(merged_run{std::move(work->asked), merge_logs(work->shares)});
}

void run_admin_state::ask_share(const std::shared_ptr<merging>& work, std::size_t at, std::chrono::milliseconds limit) {
  link_of(work->shares[at].run, [this, work, at, limit](core::result<protocol::executor_link>&& link) {
    if (!link)
      return share_told(work, at, {}, std::move(link.error().context));
    const auto& run = work->shares[at].run;
    protocol::request(self_, *link, limit, protocol::log_request{run.id, run.trigger_time, 1, run.group})
      .then(
        [this, work, at](protocol::log_reply& reply) {
          share_told(work, at, std::move(reply.content),
                     reply.answered ? std::string{} : "executor did not answer: " + reply.error);
        },
        [this, work, at](const caf::error&) { share_told(work, at, {}, "executor did not answer in time"); });
  });
}

void run_admin_state::share_told(const std::shared_ptr<merging>& work, std::size_t at, std::string content, std::string problem) {
  --work->under_way;
  put(work->shares[at], std::move(content), merged_bytes_max / work->shares.size());
  work->shares[at].problem = std::move(problem);
  ask_next(work);
}

} // namespace ringmaster::actors
