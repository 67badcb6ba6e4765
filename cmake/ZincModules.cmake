# ZincModules - zinc_module(name NAME header library source...): a store that needs a library which libzinc must not link
#
# Defines the option ZINC_WITH_<NAME> and adds ZINC_WITH_<NAME>=0|1 to ZINC_DEFINITIONS.  The sources are taken out of
# ZINC_SOURCES; where the library is found they become the module store_<name>.so: in the build tree in zinc-modules/,
# installed in zinc/ beside libzinc (src/base/module.c finds both).  The tests link the same sources statically.

set(ZINC_MODULES)          # targets
set(ZINC_MODULE_SOURCES)   # of all modules, built or not
set(ZINC_MODULE_LIBRARIES) # of those that are built
set(ZINC_MODULE_INCLUDES)

macro(zinc_module NAME LIBRARY_NAME HEADER LIBRARY)
  option(ZINC_WITH_${LIBRARY_NAME} "Build the module store_${NAME} when lib${LIBRARY} is found" ON)
  if(ZINC_WITH_${LIBRARY_NAME})
    find_path(ZINC_${LIBRARY_NAME}_INCLUDE ${HEADER})
    find_library(ZINC_${LIBRARY_NAME}_LIBRARY ${LIBRARY})
  endif()
  set(ZINC_SOURCES_${NAME} ${ARGN})
  list(TRANSFORM ZINC_SOURCES_${NAME} PREPEND ${PROJECT_SOURCE_DIR}/src/)
  list(APPEND ZINC_MODULE_SOURCES ${ZINC_SOURCES_${NAME}})
  if(ZINC_WITH_${LIBRARY_NAME} AND ZINC_${LIBRARY_NAME}_INCLUDE AND ZINC_${LIBRARY_NAME}_LIBRARY)
    list(APPEND ZINC_DEFINITIONS ZINC_WITH_${LIBRARY_NAME}=1)
    list(APPEND ZINC_MODULES ${NAME})
    list(APPEND ZINC_MODULE_LIBRARIES ${ZINC_${LIBRARY_NAME}_LIBRARY})
    list(APPEND ZINC_MODULE_INCLUDES ${ZINC_${LIBRARY_NAME}_INCLUDE})
    set(ZINC_LIBRARY_${NAME} ${ZINC_${LIBRARY_NAME}_LIBRARY})
    message(STATUS "${LIBRARY}: ${ZINC_${LIBRARY_NAME}_LIBRARY}")
  else()
    list(APPEND ZINC_DEFINITIONS ZINC_WITH_${LIBRARY_NAME}=0)
    message(STATUS "${LIBRARY}: none, built without the module store_${NAME}")
  endif()
endmacro()

# After the library is known.
function(zinc_build_modules)
  foreach(name ${ZINC_MODULES})
    set(target zinc_store_${name})
    add_library(${target} MODULE ${ZINC_SOURCES_${name}})
    target_include_directories(${target} PRIVATE include src ${ZINC_MODULE_INCLUDES})
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE ZINC_MODULE ${ZINC_DEFINITIONS})
    target_link_libraries(${target} PRIVATE zinc_shared zinc_flags ${ZINC_LIBRARY_${name}} Threads::Threads)
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME store_${name} C_VISIBILITY_PRESET hidden
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/zinc-modules
      BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/..")
    add_dependencies(product ${target})
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/zinc)
  endforeach()
endfunction()
