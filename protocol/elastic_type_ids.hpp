#pragma once

// Type ids of the local messages of elastic jobs, of nodes and of hosts. They stay inside the process, so they are not
// serialised. A block of their own: both kinds of actors may run in one process.

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/type_id.hpp>

#include "protocol/executor_type_ids.hpp"

namespace ringmaster::protocol {

struct host_said;
struct host_link_lost;
struct host_message;
struct host_send;
struct host_view;
struct host_events;
struct host_events_done;
struct host_notice;
struct host_epochs;
struct death_report;
struct coordinator_wish;
struct elastic_due;
struct elastic_ops;
struct elastic_stored;
struct elastic_job_change;
struct slot_release_order;
struct link_offer;
struct node_said;
struct node_message;
struct item_event;
struct item_grants;
struct item_order;
struct lease_end;
struct listeners_ended;
struct listener_note;
struct link_subscription;
struct hosts_subscription;
struct error_handled;
struct item_error;

} // namespace ringmaster::protocol

CAF_BEGIN_TYPE_ID_BLOCK(ringmaster_elastic, caf::first_custom_type_id + 700)

  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::host_said))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::host_link_lost))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::host_message))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::host_send))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::host_view))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::host_events))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::host_events_done))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::host_notice))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::host_epochs))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::death_report))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::coordinator_wish))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::elastic_due))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::elastic_ops))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::elastic_stored))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::elastic_job_change))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::slot_release_order))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::link_offer))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::node_said))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::node_message))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::item_event))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::item_grants))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::item_order))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::lease_end))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::link_subscription))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::hosts_subscription))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::error_handled))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::item_error))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::listeners_ended))
  CAF_ADD_TYPE_ID(ringmaster_elastic, (ringmaster::protocol::listener_note))

CAF_END_TYPE_ID_BLOCK(ringmaster_elastic)

static_assert(caf::id_block::ringmaster_executor::end <= caf::id_block::ringmaster_elastic::begin);

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::host_said)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::host_link_lost)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::host_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::host_send)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::host_view)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::host_events)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::host_events_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::host_notice)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::host_epochs)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::death_report)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::coordinator_wish)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::elastic_due)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::elastic_ops)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::elastic_stored)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::elastic_job_change)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::slot_release_order)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::link_offer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::node_said)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::node_message)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::item_event)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::item_grants)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::item_order)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::lease_end)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::link_subscription)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::hosts_subscription)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::error_handled)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::item_error)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::listeners_ended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::listener_note)
