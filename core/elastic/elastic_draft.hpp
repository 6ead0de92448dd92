#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/elastic/elastic_definition.hpp"
#include "core/elastic/props.hpp"
#include "core/result.hpp"

namespace ringmaster::core::elastic {

/// Properties that a user enters. A name without a value keeps the stored value: values of secrets are never shown.
using entered_props = std::map<std::string, std::optional<std::string>, std::less<>>;

/// A definition as a user enters it.
struct elastic_draft {
  /// Without properties.
  elastic_definition what;
  /// Unset: the stored properties stay.
  std::optional<entered_props> props = std::nullopt;
};

/// Returns the definition with its properties, and with the handler of its type if that has one and none was entered. `stored`:
/// those of the stored job in the canonical form; empty for a new job. A `masked_value` without a stored value stays, and `check`
/// refuses it. Errors: `invalid_argument` that begins with `props`, for a name without a value that is not stored.
[[nodiscard]] result<elastic_definition> completed(elastic_draft draft, std::string_view stored);

/// Returns the properties as users see them: secrets and unknown names have no value. Of a text in another form: none.
[[nodiscard]] entered_props shown_props(std::string_view stored);

} // namespace ringmaster::core::elastic
