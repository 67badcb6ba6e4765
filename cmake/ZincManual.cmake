# ZincManual - man pages and completion scripts, printed by the command itself from its table of sub-commands
#
# `zinc --man` prints zinc.1, `zinc --man NAME` prints zinc-NAME.1; the command also lists the names.
# Pages written by hand in man/*.[1-8] are installed beside them.

set(ZINC_MAN_DIR ${PROJECT_BINARY_DIR}/man)
file(MAKE_DIRECTORY ${ZINC_MAN_DIR})
add_custom_command(OUTPUT ${ZINC_MAN_DIR}/zinc.1
  COMMAND ${CMAKE_COMMAND} -D "ZINC=$<TARGET_FILE:zinc_command>" -D "EMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}"
    -D "DIR=${ZINC_MAN_DIR}" -P ${PROJECT_SOURCE_DIR}/cmake/PrintManual.cmake
  DEPENDS zinc_command ${PROJECT_SOURCE_DIR}/cmake/PrintManual.cmake COMMENT "Printing man pages" VERBATIM)
add_custom_target(zinc_manual ALL DEPENDS ${ZINC_MAN_DIR}/zinc.1)
install(DIRECTORY ${ZINC_MAN_DIR}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${ZINC_MAN_DIR}/zinc.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME zinc)
install(FILES ${ZINC_MAN_DIR}/zinc.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _zinc)
install(FILES ${ZINC_MAN_DIR}/zinc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

file(GLOB ZINC_MAN_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.[1-8])
foreach(page ${ZINC_MAN_SOURCES})
  string(REGEX MATCH "[1-8]$" section ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
