# ZincManual - man pages, printed by the command itself out of its table of sub-commands
#
# `zinc --man` prints zinc.1.  Pages written by hand in man/*.[1-8] are installed beside it.

set(ZINC_MAN_PAGE ${PROJECT_BINARY_DIR}/man/zinc.1)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man)
add_custom_command(OUTPUT ${ZINC_MAN_PAGE}
  COMMAND zinc_command --man > ${ZINC_MAN_PAGE}.new
  COMMAND ${CMAKE_COMMAND} -E rename ${ZINC_MAN_PAGE}.new ${ZINC_MAN_PAGE}
  DEPENDS zinc_command COMMENT "Printing man/zinc.1" VERBATIM)
add_custom_target(zinc_manual ALL DEPENDS ${ZINC_MAN_PAGE})
install(FILES ${ZINC_MAN_PAGE} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

file(GLOB ZINC_MAN_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.[1-8])
foreach(page ${ZINC_MAN_SOURCES})
  string(REGEX MATCH "[1-8]$" section ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
