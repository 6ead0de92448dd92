# What `cmake --install` puts beside the binary: the example configuration, licence, documentation, a dashboard and alert rules, and a
# systemd unit, which names the prefix of the installation.
install(CODE "
  set(RINGMASTER_BINDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/packaging/ringmaster.service.in\" \"${PROJECT_BINARY_DIR}/ringmaster.service\" @ONLY)")
install(FILES "${PROJECT_BINARY_DIR}/ringmaster.service" DESTINATION lib/systemd/system)
install(FILES config/ringmaster.example.toml LICENSE README.md ARCHITECTURE.md SECURITY.md CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY packaging/grafana packaging/prometheus DESTINATION ${CMAKE_INSTALL_DATADIR}/ringmaster)
