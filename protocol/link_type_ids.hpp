#pragma once

// Type ids of the messages of a native link. Frozen: an id is a place in this list, and the bytes have no names. A change of the
// list, or of a struct in it, raises `link_version`; new ids go to the end. A change of a struct that `link_version_min` has
// raises that, too. This block comes first, so that no other block moves it.

#include <caf/type_id.hpp>

namespace ringmaster::protocol {

struct link_hello;
struct link_welcome;
struct link_refusal;
struct link_runs;
struct link_verdicts;
struct link_question;
struct link_answer;
struct link_reports;
struct link_receipt;
struct link_goodbye;
struct link_challenge;
struct link_proof;
struct elastic_hello;
struct elastic_heartbeat;
struct elastic_events;
struct elastic_inventory;
struct elastic_welcome;
struct elastic_ack;
struct elastic_specs;
struct elastic_grants;
struct elastic_orders;
struct elastic_receipt;

} // namespace ringmaster::protocol

CAF_BEGIN_TYPE_ID_BLOCK(ringmaster_net, caf::first_custom_type_id)

  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_hello))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_welcome))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_refusal))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_runs))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_verdicts))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_question))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_answer))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_reports))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_receipt))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_goodbye))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_challenge))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::link_proof))
  // Since version 5.
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::elastic_hello))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::elastic_heartbeat))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::elastic_events))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::elastic_inventory))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::elastic_welcome))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::elastic_ack))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::elastic_specs))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::elastic_grants))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::elastic_orders))
  CAF_ADD_TYPE_ID(ringmaster_net, (ringmaster::protocol::elastic_receipt))

CAF_END_TYPE_ID_BLOCK(ringmaster_net)
