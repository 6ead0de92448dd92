# Files that `cmake --install` installs for programs that run jobs: headers, libraries and `find_package(ringmaster)`, which has one
# target for them, ringmaster::executor. They contain nothing of the admin. Alone: `cmake --install BUILD --component sdk`.
include(CMakePackageConfigHelpers)

set(sdk_folder "${CMAKE_INSTALL_LIBDIR}/cmake/ringmaster")
install(TARGETS executor actors_executor actors_link core curl_transfer executor_elastic executor_files executor_process http
    notification protocol settings tls transport wire
  EXPORT ringmaster_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/ringmaster COMPONENT sdk)
install(EXPORT ringmaster_targets NAMESPACE ringmaster:: DESTINATION ${sdk_folder} COMPONENT sdk)
install(FILES
  executor/awaiting.hpp executor/command_handler.hpp executor/executor.hpp executor/handler_code.hpp executor/handlers.hpp
  executor/http_handler.hpp executor/job_context.hpp executor/job_log.hpp executor/program_limits.hpp executor/spdlog_sink.hpp
  executor/task.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ringmaster/executor COMPONENT sdk)
install(FILES
  executor/sdk/elastic/dataflow_job.hpp executor/sdk/elastic/elastic_handlers.hpp executor/sdk/elastic/error_handler.hpp
  executor/sdk/elastic/http_type.hpp executor/sdk/elastic/item_context.hpp executor/sdk/elastic/listeners.hpp
  executor/sdk/elastic/pool_type.hpp executor/sdk/elastic/script_type.hpp executor/sdk/elastic/simple_job.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ringmaster/executor/sdk/elastic COMPONENT sdk)
install(FILES core/elastic/elastic_ids.hpp core/elastic/props.hpp core/elastic/run_cause.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ringmaster/core/elastic COMPONENT sdk)
install(FILES core/ids.hpp core/refusal.hpp core/result.hpp core/time.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ringmaster/core COMPONENT sdk)
install(FILES core/job/job.hpp core/job/schedule_options.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ringmaster/core/job COMPONENT sdk)
install(FILES core/run/trigger_request.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ringmaster/core/run COMPONENT sdk)
install(FILES protocol/logger.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ringmaster/protocol COMPONENT sdk)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT sdk)

add_custom_target(sdk DEPENDS executor)

configure_package_config_file(cmake/ringmaster-config.cmake.in "${PROJECT_BINARY_DIR}/ringmaster-config.cmake"
  INSTALL_DESTINATION ${sdk_folder})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ringmaster-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ringmaster-config.cmake" "${PROJECT_BINARY_DIR}/ringmaster-config-version.cmake"
  DESTINATION ${sdk_folder} COMPONENT sdk)
