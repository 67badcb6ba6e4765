# ZincServer - the HTTP server (server/), a module that zinc_server_start loads: serve.so beside the modules of stores
#
# The files of the viewer, server/page/*, become one C file.  Without libmicrohttpd, or
# in a source package without server/, there is no server.

macro(zinc_find_server)
  option(ZINC_WITH_MICROHTTPD "Build the HTTP server when libmicrohttpd is found" ON)
  if(ZINC_WITH_MICROHTTPD)
    find_path(ZINC_MICROHTTPD_INCLUDE microhttpd.h)
    find_library(ZINC_MICROHTTPD_LIBRARY microhttpd)
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/server AND ZINC_WITH_MICROHTTPD AND ZINC_MICROHTTPD_INCLUDE AND ZINC_MICROHTTPD_LIBRARY)
    set(ZINC_SERVER 1)
    message(STATUS "microhttpd: ${ZINC_MICROHTTPD_LIBRARY}")
  else()
    set(ZINC_SERVER 0)
    message(STATUS "microhttpd: none, built without the HTTP server")
  endif()
  list(APPEND ZINC_DEFINITIONS ZINC_WITH_MICROHTTPD=${ZINC_SERVER})
endmacro()

# After the library is known.
function(zinc_build_server)
  if(NOT ZINC_SERVER)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/server/*.c)
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/server/page/*)
  set(embedded ${PROJECT_BINARY_DIR}/server_page.c)
  add_custom_command(OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -DOUT=${embedded} -DDIR=${PROJECT_SOURCE_DIR}/server/page -P ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
    DEPENDS ${pages} ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake COMMENT "Embedding the viewer")
  # Everything but the module's entry, also for unit tests
  list(FILTER sources EXCLUDE REGEX "/module[.]c$")
  add_library(zinc_server_parts STATIC ${sources} ${embedded})
  add_library(zinc_serve MODULE ${PROJECT_SOURCE_DIR}/server/module.c)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/server/module.c PROPERTIES COMPILE_DEFINITIONS ZINC_BUILD="${ZINC_BUILD_HASH}")
  foreach(part zinc_server_parts zinc_serve)
    target_include_directories(${part} PRIVATE include server ${ZINC_MICROHTTPD_INCLUDE})
    target_compile_definitions(${part} PRIVATE _GNU_SOURCE)
    target_link_libraries(${part} PRIVATE zinc_flags Threads::Threads m)
    set_target_properties(${part} PROPERTIES C_VISIBILITY_PRESET hidden)
  endforeach()
  target_link_libraries(zinc_serve PRIVATE zinc_server_parts zinc_shared ${ZINC_MICROHTTPD_LIBRARY})
  set_target_properties(zinc_serve PROPERTIES PREFIX "" OUTPUT_NAME serve
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/zinc-modules
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/..")
  install(TARGETS zinc_serve LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/zinc)
  add_dependencies(product zinc_serve)
  if(TARGET zinc_command)
    add_dependencies(zinc_command zinc_serve) # a module of another build would be refused
  endif()
endfunction()
