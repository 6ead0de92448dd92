# Rules of `cmake --install`, by component: `server` (the default), the binary without its symbols, a systemd unit, documentation,
# man page and completions; `debug`, the symbols, in the folder that debuggers search; `sdk` (ringmaster_sdk.cmake).
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME server)

# The unit names the prefix of the installation.
install(CODE "
  set(RINGMASTER_BINDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/packaging/ringmaster.service.in\" \"${PROJECT_BINARY_DIR}/ringmaster.service\" @ONLY)")
install(FILES "${PROJECT_BINARY_DIR}/ringmaster.service" DESTINATION lib/systemd/system)
install(FILES packaging/sysusers.conf DESTINATION lib/sysusers.d RENAME ringmaster.conf)
install(FILES packaging/tmpfiles.conf DESTINATION lib/tmpfiles.d RENAME ringmaster.conf)
install(FILES packaging/ringmaster.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES config/ringmaster.example.toml LICENSE README.md ARCHITECTURE.md SECURITY.md CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY packaging/grafana packaging/prometheus DESTINATION ${CMAKE_INSTALL_DATADIR}/ringmaster)

# install_program(TARGET): installs the stripped binary, its symbols in lib/debug by build id, and the completions that it prints.
function(install_program target)
  install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(script "
    set(program \"$<TARGET_FILE:${target}>\")
    set(name ${target})
    set(bindir \"${CMAKE_INSTALL_BINDIR}\")
    set(datadir \"${CMAKE_INSTALL_DATADIR}\")
    set(strip \"${CMAKE_STRIP}\")
    set(objcopy \"${CMAKE_OBJCOPY}\")
    set(readelf \"${CMAKE_READELF}\")")
  install(CODE "${script}
    set(part server)
    include(\"${PROJECT_SOURCE_DIR}/cmake/install_program.cmake\")")
  install(CODE "${script}
    set(part debug)
    include(\"${PROJECT_SOURCE_DIR}/cmake/install_program.cmake\")" COMPONENT debug)
endfunction()
