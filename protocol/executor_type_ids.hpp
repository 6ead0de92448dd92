#pragma once

// Type ids of an executor's messages. They stay inside its process, so they are not serialised; except trigger_reply and
// log_lines, which are part of link messages. A separate block after the admin's: both may run in one process.

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/type_id.hpp>

#include "protocol/type_ids.hpp"

namespace ringmaster::core {

struct trigger_reply;
struct log_lines;

} // namespace ringmaster::core

namespace ringmaster::protocol {

struct run_reports;
struct flush_reports;
struct trigger_batch;
struct trigger_replies;
struct job_trigger;
struct stop_worker;
struct job_thread_query;
struct job_thread_state;
struct body_ended;
struct job_quiet;
struct kill_job;
struct idle_query;
struct taken_query;
struct log_query;
struct drain_request;
struct executor_state_query;
struct executor_state;
struct admin_registration;
struct report_batch;
struct admin_answer;
struct admin_replied;
struct end_registration;
struct work_done;
struct link_dialled;
struct link_heard;
struct callback_partners;

} // namespace ringmaster::protocol

CAF_BEGIN_TYPE_ID_BLOCK(ringmaster_executor, caf::first_custom_type_id + 500)

  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::core::trigger_reply))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::core::log_lines))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::run_reports))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::flush_reports))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::trigger_batch))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::trigger_replies))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::job_trigger))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::stop_worker))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::job_thread_query))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::job_thread_state))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::body_ended))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::job_quiet))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::kill_job))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::idle_query))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::taken_query))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::log_query))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::drain_request))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::executor_state_query))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::executor_state))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::admin_registration))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::report_batch))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::admin_answer))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::admin_replied))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::end_registration))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::work_done))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::link_dialled))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::link_heard))
  CAF_ADD_TYPE_ID(ringmaster_executor, (ringmaster::protocol::callback_partners))

CAF_END_TYPE_ID_BLOCK(ringmaster_executor)

static_assert(caf::id_block::ringmaster_local::end <= caf::id_block::ringmaster_executor::begin);

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::run_reports)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::flush_reports)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::trigger_batch)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::trigger_replies)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::job_trigger)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::stop_worker)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::job_thread_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::job_thread_state)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::body_ended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::job_quiet)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::kill_job)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::idle_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::taken_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::log_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::drain_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::executor_state_query)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::executor_state)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::admin_registration)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::report_batch)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::admin_answer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::admin_replied)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::end_registration)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::work_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::link_dialled)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::link_heard)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(ringmaster::protocol::callback_partners)
