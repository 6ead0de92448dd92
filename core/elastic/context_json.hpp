#pragma once

// Context of one item run, as JSON for scripts and HTTP jobs (EJ §2.2).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::core::elastic {

/// ElasticJob's ShardingContext of one item. Texts are valid UTF-8 and belong to the caller.
struct item_context_fields {
  std::string_view job;
  std::string_view task_id;
  /// Number of items of the job.
  std::int32_t total = 0;
  /// Parameter of the job or of the manual trigger; empty if there is none.
  std::string_view job_param;
  /// 0 to `total` - 1.
  std::int32_t item = 0;
  /// Unset: the item has no parameter.
  std::optional<std::string_view> item_param;
};

/// Returns the context as one line of JSON: fields in ElasticJob's order, without `shardingParameter` if it is unset, texts
/// escaped as in `append_html_json_text`. So it contains no `'`, `<` or line end.
[[nodiscard]] std::string context_json(const item_context_fields& context);

} // namespace ringmaster::core::elastic
