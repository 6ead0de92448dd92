#pragma once

#include <cstdint>

// Forward declarations of every type that a message may carry.

namespace ringmaster::storage {

class store;

} // namespace ringmaster::storage

namespace ringmaster::core {

enum class errc : std::uint8_t;
struct node_incarnation;
struct claim_outcome;
struct record_outcome;
struct deploy_report;
struct intent;
struct job_edit;

} // namespace ringmaster::core

namespace ringmaster::protocol {

struct tick_atom;
struct firing_batch;
struct claim_request;
struct claim_reply;
struct trigger_results;
struct callback_batch;
struct callbacks_stored;
struct claims_opened;
struct intent_batch;
struct store_task;
struct store_listener;
struct runs_ended;
struct incarnation_change;
struct slot_change;
struct edit_hint;
struct reserved_backlog_query;
struct reserved_backlog;
struct route_request;
struct routed_batch;
struct slot_release;
struct registry_beat;
struct registry_removal;
struct registry_hint;
struct address_claim;
struct claim_verdict;
struct registry_change;
struct sent_runs;
struct ending_run;
struct unknown_batch;
struct link_query;
struct link_handle;
struct native_link_update;
struct native_link_lost;
struct send_batch;
struct returned_runs;
struct send_results;
struct probe_request;
struct probe_reply;
struct kill_request;
struct log_request;
struct log_reply;
struct drain_inbox;
struct apply_declared;
struct apply_files;
struct files_applied;
struct export_query;
struct exported_file;
struct start_job;
struct stop_job;
struct trigger_job;
struct remove_job;
struct http_exchange;
struct status_query;
struct node_status;
struct nodes_query;
struct node_list;
struct stop_request;
struct finish_reserved;
struct handles_query;
struct node_handles;
struct registry_subscription;
struct executor_update;
struct update_subscription;
struct stray_claims;
struct peer_fenced;
struct trigger_partners;
struct notice_done;
struct check_password;
struct password_verdict;
struct hash_password;
struct hashed_password;
struct sign_in;
struct signed_in;
struct sign_out;
struct identify;
struct identified;
struct user_query;
struct user_by_id;
struct session_query;
struct session_page;
struct end_session;
struct user_found;
struct user_page;
struct save_user;
struct saved_user;
struct remove_user;
struct change_password;
struct audit_query;
struct changes_query;
struct audit_list;
struct identify_key;
struct add_key;
struct added_key;
struct remove_key;
struct key_query;
struct key_list;
struct executors_query;
struct executor_list;
struct alarm_rules_query;
struct alarm_rules;
struct channels_query;
struct channel_list;
struct test_channel;
struct channel_tested;
struct add_job;
struct added_job;
struct update_job;
struct save_source;
struct job_query;
struct job_found;
struct job_page_query;
struct job_page;
struct source_query;
struct source_list;
struct forecast_query;
struct forecast_found;
struct object_query;
struct objects_found;
struct timeline_query;
struct timeline_found;
struct intent_query;
struct intent_found;
struct save_group;
struct saved_group;
struct remove_group;
struct group_query;
struct group_page_query;
struct visible_groups_query;
struct group_page;
struct run_query;
struct run_found;
struct related_query;
struct related_found;
struct run_page_query;
struct run_page;
struct run_log_query;
struct run_log;
struct follow_log;
struct spool_read;
struct spool_open;
struct spool_search;
struct run_search_query;
struct log_matches;
struct spool_fill;
struct run_file_query;
struct run_file;
struct spool_arrival;
struct kill_run;
struct run_killed;
struct clear_runs;
struct runs_cleared;
struct report_query;
struct day_reports;
struct figures_query;
struct figures_told;
struct doctor_query;
struct start_doctor;
struct doctor_report;
struct doctor_progress;
struct declared_query;
struct declared_sources;
struct drift_query;
struct declaration_query;
struct begin_task;
struct task_begun;
struct task_query;
struct abort_task;
struct task_found;
struct counts_query;
struct counts_found;

} // namespace ringmaster::protocol
