# ZincModules - zinc_module(name NAME header library [ALSO NAME header library] source...): a store whose library libzinc
# must not link
#
# Defines the option ZINC_WITH_<NAME> and adds ZINC_WITH_<NAME>=0|1 to ZINC_DEFINITIONS.  The sources are taken out of
# ZINC_SOURCES; if the library is found, they become the module store_<name>.so: in the build tree in zinc-modules/,
# installed in zinc/ beside libzinc (src/base/module.c finds both).  For programs with libzinc.a, which loads no modules,
# the same sources are the archive libzinc_<name>.a.
#
# Library, modules and archives work together only if ZINC_BUILD, a hash of all headers, is equal.

set(ZINC_MODULES)          # targets
set(ZINC_MODULE_SOURCES)   # of all modules, built or not
set(ZINC_MODULE_LIBRARIES) # of those that are built
set(ZINC_MODULE_INCLUDES)
set(ZINC_LOADER ${PROJECT_SOURCE_DIR}/src/base/module.c)

# Look for one library of a module; ZINC_HAS_<NAME> says whether it can be used.
macro(zinc_module_library NAME LIBRARY_NAME HEADER LIBRARY)
  option(ZINC_WITH_${LIBRARY_NAME} "Build the module store_${NAME} when lib${LIBRARY} is found" ON)
  if(ZINC_WITH_${LIBRARY_NAME})
    find_path(ZINC_${LIBRARY_NAME}_INCLUDE ${HEADER} PATH_SUFFIXES postgresql libmongoc-1.0 libbson-1.0)
    find_library(ZINC_${LIBRARY_NAME}_LIBRARY ${LIBRARY})
  endif()
  if(ZINC_WITH_${LIBRARY_NAME} AND ZINC_${LIBRARY_NAME}_INCLUDE AND ZINC_${LIBRARY_NAME}_LIBRARY)
    list(APPEND ZINC_DEFINITIONS ZINC_WITH_${LIBRARY_NAME}=1)
    list(APPEND ZINC_MODULE_LIBRARIES ${ZINC_${LIBRARY_NAME}_LIBRARY})
    list(APPEND ZINC_MODULE_INCLUDES ${ZINC_${LIBRARY_NAME}_INCLUDE})
    list(APPEND ZINC_LIBRARY_${NAME} ${ZINC_${LIBRARY_NAME}_LIBRARY})
    list(APPEND ZINC_LIBRARY_NAME_${NAME} ${LIBRARY})
    message(STATUS "${LIBRARY}: ${ZINC_${LIBRARY_NAME}_LIBRARY}")
  else()
    list(APPEND ZINC_DEFINITIONS ZINC_WITH_${LIBRARY_NAME}=0)
    set(ZINC_LACKS_${NAME} ${LIBRARY})
    message(STATUS "${LIBRARY}: none, built without the module store_${NAME}")
  endif()
  list(REMOVE_DUPLICATES ZINC_DEFINITIONS)
  list(REMOVE_DUPLICATES ZINC_MODULE_LIBRARIES)
  list(REMOVE_DUPLICATES ZINC_MODULE_INCLUDES)
endmacro()

macro(zinc_module NAME LIBRARY_NAME HEADER LIBRARY)
  set(ZINC_SOURCES_${NAME} ${ARGN})
  set(ZINC_LIBRARY_${NAME})
  set(ZINC_LIBRARY_NAME_${NAME})
  set(ZINC_LACKS_${NAME})
  zinc_module_library(${NAME} ${LIBRARY_NAME} ${HEADER} ${LIBRARY})
  list(GET ZINC_SOURCES_${NAME} 0 ZINC_FIRST)
  if(ZINC_FIRST STREQUAL "ALSO")
    list(SUBLIST ZINC_SOURCES_${NAME} 1 3 ZINC_ALSO)
    list(SUBLIST ZINC_SOURCES_${NAME} 4 -1 ZINC_SOURCES_${NAME})
    zinc_module_library(${NAME} ${ZINC_ALSO})
  endif()
  list(TRANSFORM ZINC_SOURCES_${NAME} PREPEND ${PROJECT_SOURCE_DIR}/src/)
  list(APPEND ZINC_MODULE_SOURCES ${ZINC_SOURCES_${NAME}})
  if(NOT ZINC_LACKS_${NAME})
    list(APPEND ZINC_MODULES ${NAME})
  endif()
endmacro()

# ZINC_BUILD, for the files that compare it; a changed header causes a new configuration.
function(zinc_hash_headers)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.h ${PROJECT_SOURCE_DIR}/include/*.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  set(all)
  foreach(header ${headers})
    file(SHA256 ${header} hash)
    string(APPEND all "${hash}\n")
  endforeach()
  string(SHA256 hash "${all}")
  set(ZINC_BUILD_HASH ${hash} CACHE INTERNAL "for modules of others, and of tests")
  set_source_files_properties(${ZINC_LOADER} ${ZINC_MODULE_SOURCES} PROPERTIES COMPILE_DEFINITIONS ZINC_BUILD="${hash}")
endfunction()

# After the library is known.
function(zinc_build_modules)
  zinc_hash_headers()
  foreach(name ${ZINC_MODULES})
    set(target zinc_store_${name})
    add_library(${target} MODULE ${ZINC_SOURCES_${name}})
    target_compile_definitions(${target} PRIVATE ZINC_MODULE)
    target_link_libraries(${target} PRIVATE zinc_shared zinc_flags ${ZINC_LIBRARY_${name}} Threads::Threads)
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME store_${name}
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/zinc-modules
      BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/..")
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/zinc)

    set(archive zinc_${name}_static)
    add_library(${archive} STATIC ${ZINC_SOURCES_${name}})
    target_link_libraries(${archive} PUBLIC zinc_static PRIVATE $<BUILD_INTERFACE:zinc_flags>
      "$<BUILD_INTERFACE:${ZINC_LIBRARY_${name}}>" "$<INSTALL_INTERFACE:${ZINC_LIBRARY_NAME_${name}}>" Threads::Threads)
    set_target_properties(${archive} PROPERTIES OUTPUT_NAME zinc_${name})
    install(TARGETS ${archive} EXPORT zincTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set(ZINC_PC_NAME ${name})
    list(JOIN ZINC_LIBRARY_NAME_${name} " -l" ZINC_PC_LIBRARY)
    configure_file(cmake/zinc-module.pc.in zinc-${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/zinc-${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

    if(TARGET zinc_command)
      add_dependencies(zinc_command ${target}) # a module of another build would be refused
    endif()
    foreach(part ${target} ${archive})
      target_include_directories(${part} PRIVATE include src ${ZINC_MODULE_INCLUDES})
      target_compile_definitions(${part} PRIVATE _GNU_SOURCE ${ZINC_DEFINITIONS})
      set_target_properties(${part} PROPERTIES C_VISIBILITY_PRESET hidden)
      add_dependencies(product ${part})
    endforeach()
  endforeach()
endfunction()
