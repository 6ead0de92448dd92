#include "core/elastic/context_json.hpp"

#include "core/elastic/json_text.hpp"

namespace ringmaster::core::elastic {

std::string context_json(const item_context_fields& context) {
  std::string json = R"({"jobName":)";
  append_html_json_text(json, context.job);
  json += R"(,"taskId":)";
  append_html_json_text(json, context.task_id);
  json += R"(,"shardingTotalCount":)" + std::to_string(context.total) + R"(,"jobParameter":)";
  append_html_json_text(json, context.job_param);
  json += R"(,"shardingItem":)" + std::to_string(context.item);
  if (context.item_param) {
    json += R"(,"shardingParameter":)";
    append_html_json_text(json, *context.item_param);
  }
  return json + '}';
}

} // namespace ringmaster::core::elastic
