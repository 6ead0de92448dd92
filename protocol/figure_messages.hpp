#pragma once

// Payloads of figure_keeper. None leaves the process.

#include <memory>

#include "core/cluster/live_figures.hpp"

namespace ringmaster::protocol {

/// Asks for the figures of this moment.
struct figures_query {};

/// Figures that are at most a second old, shared by all who ask.
struct figures_told {
  std::shared_ptr<const core::live_figures> figures;
};

} // namespace ringmaster::protocol
