#pragma once

// Lines of an `[[elastic_job]]`. Internal to config and the importer.

#include <string_view>

#include "config/declared/table_text.hpp"
#include "core/elastic/elastic_fields.hpp"

namespace ringmaster::config {

/// Adds the schedule, unless the job has none.
void write_elastic_schedule(table_text& out, const core::elastic::elastic_options& options);

/// Adds an option that is not its default.
void write_elastic_option(table_text& out, const core::elastic::elastic_field& field, const core::option_value& value);

/// Adds the table `props`, unless there are none. A text in another form than the canonical one is added unchanged.
void write_props(table_text& out, std::string_view text);

} // namespace ringmaster::config
