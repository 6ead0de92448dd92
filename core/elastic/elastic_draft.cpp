#include "core/elastic/elastic_draft.hpp"

#include <utility>

#include "core/elastic/job_types.hpp"
#include "core/elastic/prop_fields.hpp"

namespace ringmaster::core::elastic {

result<elastic_definition> completed(elastic_draft draft, std::string_view stored) {
  if (draft.what.handler.empty())
    draft.what.handler = handler_of_type(draft.what.kind);
  if (!draft.props) {
    draft.what.props = stored;
    return std::move(draft.what);
  }
  const auto known = parse_props(stored).value_or(job_props{});
  job_props props;
  for (auto& [name, value] : *draft.props) {
    if (const auto kept = known.find(name); !value && kept != known.end())
      value = kept->second;
    if (!value)
      return fail(errc::invalid_argument, "props." + name + ": has no value");
    props.emplace(name, std::move(*value));
  }
  draft.what.props = props_text(with_kept_values(std::move(props), known));
  return std::move(draft.what);
}

entered_props shown_props(std::string_view stored) {
  entered_props out;
  const auto props = parse_props(stored);
  if (!props)
    return out;
  for (const auto& [name, value] : *props) {
    const auto* field = find_prop(name);
    out.emplace(name, field && !field->is_secret ? std::optional{value} : std::nullopt);
  }
  return out;
}

} // namespace ringmaster::core::elastic
