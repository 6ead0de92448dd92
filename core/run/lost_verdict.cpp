#include "core/run/lost_verdict.hpp"

namespace ringmaster::core {

// "Idle" counts only from an executor whose `/log` answers as Java's and Ringmaster's do: others answer with constants.
lost_verdict judge(const lost_evidence& evidence) noexcept {
  if (!evidence.reached)
    return evidence.old && evidence.once_registered && !evidence.listed ? lost_verdict::lost : lost_verdict::leave;
  if (evidence.idle_code != idle_reply)
    return lost_verdict::leave;
  switch (evidence.log) {
  case unknown_verdict::not_received:
    // Several processes may share an address that was never registered, and another one may answer.
    if (!evidence.once_registered && !evidence.old)
      return lost_verdict::leave;
    return evidence.denied_since && *evidence.denied_since >= denial_confirmed_after ? lost_verdict::lost : lost_verdict::denied;
  case unknown_verdict::known:
    return evidence.idle_since && *evidence.idle_since >= idle_confirmed_after ? lost_verdict::lost : lost_verdict::idle;
  case unknown_verdict::busy:
  case unknown_verdict::cannot_tell: break;
  }
  return lost_verdict::leave;
}

} // namespace ringmaster::core
