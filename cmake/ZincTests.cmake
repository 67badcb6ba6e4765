# ZincTests - everything ctest runs.  A new file in one of these places is a new test:
#
#   tests/unit/test_*.c    cmocka programs, linked with the static library (hidden symbols visible)
#   fuzz/fuzz_*.c          replayed over fuzz/corpus/<name>/; also libFuzzer targets with ZINC_FUZZ
#   tests/module/*.c       a store as an external module, with a program that loads it
#   tests/live/*.c         programs that test any store, by URL (scripts/stores.sh); no tests by themselves
#   examples/*.c           public headers and shared library only; each must exit 0 in an empty directory
#   tests/cxx/*.cpp        the same in C++17
#   tests/programs/*.c     one such program that calls every public function, as C11 and as C++17
#   tests/cli/*.sh         the command, named by $ZINC, in an empty directory
#   include/*.h            each compiles alone, as C11 and as C++17
#   tests/scripts/*        the project's own scripts and checks (label "check")
#
# Labels: unit fuzz example cli header check.

include(CheckLanguage)
if(NOT CMAKE_CROSSCOMPILING) # the host's C++ would be found, and its library paths
  if(NOT CMAKE_CXX_COMPILER)
    unset(CMAKE_CXX_COMPILER CACHE) # it may have been installed in the meantime
  endif()
  check_language(CXX)
endif()
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
endif()

set(ZINC_IN_EMPTY_DIR ${PROJECT_SOURCE_DIR}/scripts/in_empty_dir.sh)
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " launch)
set(ZINC_RUN ${PROJECT_BINARY_DIR}/zinc) # the command as scripts call it
if(CMAKE_CROSSCOMPILING_EMULATOR)      # qemu-user, valgrind
  set(ZINC_RUN ${PROJECT_BINARY_DIR}/zinc-run)
  file(WRITE ${ZINC_RUN} "#!/bin/sh\nexec ${launch} ${PROJECT_BINARY_DIR}/zinc \"$@\"\n")
  file(CHMOD ${ZINC_RUN} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endif()
set(ZINC_TEST_ENV "ZINC=${ZINC_RUN};ZINC_RULE_STORES=${launch} ${PROJECT_BINARY_DIR}/tests/rule_stores;ZINC_SOURCE_DIR=${PROJECT_SOURCE_DIR};ZINC_BUILD_DIR=${PROJECT_BINARY_DIR}"
  "ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1"
  "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan.supp:print_suppressions=0" "UBSAN_OPTIONS=print_stacktrace=1"
  "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:atexit_sleep_ms=100:report_thread_leaks=0:die_after_fork=0:suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp") # a forked child only seems to have its parent's threads

if(CMAKE_CROSSCOMPILING)
  list(APPEND ZINC_TEST_ENV "ZINC_EMULATED=1") # qemu-user cannot start threads after fork()
endif()

# zinc_test(name label command...): run in its own empty directory; exit 77 is "skipped"
function(zinc_test name label)
  add_test(NAME ${name} COMMAND ${ZINC_IN_EMPTY_DIR} ${PROJECT_BINARY_DIR}/run/${name} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${ZINC_TEST_GUARD} ENVIRONMENT "${ZINC_TEST_ENV}"
    SKIP_RETURN_CODE 77)
  if(name MATCHES "sweep|oracle|concurrent|plain_build|cli_(erase|names|numpy|put|cat|convert_matrix|terminal)")
    set_tests_properties(${name} PROPERTIES COST 100) # the longest start first
  endif()
endfunction()

# Test programs are compiled for a fast build: the code under test is in the library, which has the build type's flags.
set(ZINC_TEST_FLAGS -O1 -g1)
if(NOT CMAKE_CROSSCOMPILING)
  find_program(ZINC_LINKER NAMES ld.mold ld.lld ld.gold) # several hundred programs are linked
  if(ZINC_LINKER)
    get_filename_component(linker ${ZINC_LINKER} NAME)
    string(REPLACE "ld." "-fuse-ld=" ZINC_TEST_LINK ${linker})
  endif()
endif()

function(zinc_program name)
  add_executable(${name} ${ARGN})
  target_compile_options(${name} PRIVATE ${ZINC_TEST_FLAGS})
  target_link_libraries(${name} PRIVATE zinc_flags)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()

# Tests of the server, by their names, are linked with its parts too.  Without libmicrohttpd there are none.
set(ZINC_SERVER_TESTS "^(test_server|test_face|fuzz_query|fuzz_range|fuzz_host|fuzz_face|replay_query|replay_range|replay_host|replay_face)")
function(zinc_with_server name)
  if(name MATCHES "${ZINC_SERVER_TESTS}")
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/server)
    target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
    target_link_libraries(${name} PRIVATE zinc_server_parts ${ZINC_MICROHTTPD_LIBRARY})
  endif()
endfunction()

# ---- unit tests and replays: hidden symbols, support code ----

file(GLOB SUPPORT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.c)
set(RULE_STORES ${PROJECT_SOURCE_DIR}/tests/support/rule_stores.c)
list(REMOVE_ITEM SUPPORT_SOURCES ${PROJECT_SOURCE_DIR}/tests/support/replay.c ${RULE_STORES})
find_path(CMOCKA_INCLUDE cmocka.h)
find_library(CMOCKA_LIBRARY cmocka)

add_library(zinc_internal INTERFACE) # access to the internals of the library
target_include_directories(zinc_internal INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
  ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/tests/support)
target_compile_definitions(zinc_internal INTERFACE _GNU_SOURCE ${ZINC_DEFINITIONS}
  ZINC_TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(zinc_internal INTERFACE zinc_flags zinc_static)

# The sources of modules, linked statically together with the internals of the library.
add_library(zinc_module_parts STATIC ${ZINC_MODULE_SOURCES})
target_include_directories(zinc_module_parts PUBLIC ${ZINC_MODULE_INCLUDES})
target_link_libraries(zinc_module_parts PUBLIC zinc_internal ${ZINC_MODULE_LIBRARIES})

if(CMOCKA_INCLUDE AND CMOCKA_LIBRARY)
  target_include_directories(zinc_internal INTERFACE ${CMOCKA_INCLUDE})
  if(SUPPORT_SOURCES)
    add_library(zinc_support STATIC ${SUPPORT_SOURCES})
    target_compile_options(zinc_support PRIVATE ${ZINC_TEST_FLAGS})
    target_link_libraries(zinc_support PUBLIC zinc_module_parts ${CMOCKA_LIBRARY})
  else()
    add_library(zinc_support INTERFACE)
    target_link_libraries(zinc_support INTERFACE zinc_module_parts ${CMOCKA_LIBRARY})
  endif()
  file(GLOB UNIT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/test_*.c)
  foreach(source ${UNIT_SOURCES})
    get_filename_component(name ${source} NAME_WE)
    if(NOT ZINC_SERVER AND name MATCHES "${ZINC_SERVER_TESTS}")
      continue()
    endif()
    zinc_program(${name} ${source})
    zinc_with_server(${name})
    target_link_libraries(${name} PRIVATE zinc_support)
    target_link_options(${name} PRIVATE ${ZINC_TEST_LINK})
    zinc_test(${name} unit ${CMAKE_CROSSCOMPILING_EMULATOR} ${PROJECT_BINARY_DIR}/tests/${name})
  endforeach()
  zinc_program(rule_stores ${RULE_STORES}) # for tests of the command
  target_link_libraries(rule_stores PRIVATE zinc_support)
  target_link_options(test_copy_hops PRIVATE -Wl,--wrap=zinc__json_parse,--wrap=zinc_json_print) # it counts calls
else()
  message(WARNING "cmocka not found: no unit tests")
endif()

zinc_program(sign_do ${PROJECT_SOURCE_DIR}/tests/live/sign_do.c) # for tests/interop/sigv4_peer.py
target_link_libraries(sign_do PRIVATE zinc_module_parts)
zinc_program(az_sign_do ${PROJECT_SOURCE_DIR}/tests/live/az_sign_do.c) # for tests/interop/azure_peer.py
target_link_libraries(az_sign_do PRIVATE zinc_module_parts)

file(GLOB FUZZ_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c)
foreach(source ${FUZZ_SOURCES})
  get_filename_component(target ${source} NAME_WE)
  string(REPLACE fuzz_ "" name ${target})
  if(NOT ZINC_SERVER AND target MATCHES "${ZINC_SERVER_TESTS}")
    continue()
  endif()
  zinc_program(replay_${name} ${source} ${PROJECT_SOURCE_DIR}/tests/support/replay.c)
  zinc_with_server(replay_${name})
  target_link_libraries(replay_${name} PRIVATE zinc_module_parts)
  target_link_options(replay_${name} PRIVATE ${ZINC_TEST_LINK})
  zinc_test(replay_${name} fuzz ${CMAKE_CROSSCOMPILING_EMULATOR} ${PROJECT_BINARY_DIR}/tests/replay_${name} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
  if(ZINC_FUZZ)
    zinc_program(${target} ${source})
    zinc_with_server(${target})
    target_link_libraries(${target} PRIVATE zinc_module_parts -fsanitize=fuzzer)
  endif()
endforeach()

# ---- a module outside of src/, and a program with the shared library that loads it by its scheme ----

if(CMOCKA_INCLUDE AND CMOCKA_LIBRARY)
  add_library(store_tiny MODULE ${PROJECT_SOURCE_DIR}/tests/module/store_tiny.c)
  target_compile_definitions(store_tiny PRIVATE _GNU_SOURCE ${ZINC_DEFINITIONS} ZINC_MODULE ZINC_BUILD="${ZINC_BUILD_HASH}")
  target_include_directories(store_tiny PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(store_tiny PRIVATE zinc_shared zinc_flags)
  set_target_properties(store_tiny PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/zinc-modules
    C_VISIBILITY_PRESET hidden)
  set(suite conform_store conform_read conform_write conform_list gets errors forks)
  list(TRANSFORM suite REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/tests/support/\\1.c")
  foreach(program module/test_store_module live/store_live) # the second is for scripts/stores.sh
    get_filename_component(name ${program} NAME)
    zinc_program(${name} ${PROJECT_SOURCE_DIR}/tests/${program}.c ${suite})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
      ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/tests/support ${CMOCKA_INCLUDE})
    target_compile_definitions(${name} PRIVATE _GNU_SOURCE ${ZINC_DEFINITIONS})
    target_link_libraries(${name} PRIVATE zinc_shared ${CMOCKA_LIBRARY} Threads::Threads)
  endforeach()
  add_dependencies(test_store_module store_tiny)
  zinc_test(test_store_module unit ${CMAKE_CROSSCOMPILING_EMULATOR} ${PROJECT_BINARY_DIR}/tests/test_store_module)
endif()

# ---- external programs: public headers, shared library ----

foreach(program store_race store_do store_storm) # for tests/scripts/test_lost_updates.sh and test_faults.py
  zinc_program(${program} ${PROJECT_SOURCE_DIR}/tests/live/${program}.c)
  target_link_libraries(${program} PRIVATE zinc_shared Threads::Threads)
endforeach()

file(GLOB EXAMPLE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
if(CMAKE_CXX_COMPILER)
  file(GLOB CXX_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp ${PROJECT_SOURCE_DIR}/tests/cxx/*.cpp)
endif()
foreach(source ${EXAMPLE_SOURCES} ${CXX_SOURCES})
  get_filename_component(stem ${source} NAME_WE)
  zinc_program(example_${stem} ${source})
  target_link_libraries(example_${stem} PRIVATE zinc_shared m Threads::Threads)
  set_target_properties(example_${stem} PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  set(expect)
  if(source MATCHES "/examples/")
    set(expect ${PROJECT_SOURCE_DIR}/scripts/expect_output.sh ${PROJECT_SOURCE_DIR}/tests/examples/${stem}.out)
  endif()
  zinc_test(example_${stem} example ${expect} ${CMAKE_CROSSCOMPILING_EMULATOR} ${PROJECT_BINARY_DIR}/tests/example_${stem})
endforeach()

file(GLOB PROGRAM_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/programs/*.c)
zinc_program(every_call_c ${PROGRAM_SOURCES})
set(EVERY_CALL every_call_c)
if(CMAKE_CXX_COMPILER)
  foreach(source ${PROGRAM_SOURCES})
    get_filename_component(stem ${source} NAME_WE)
    set(twin ${PROJECT_BINARY_DIR}/programs/${stem}.cpp)
    file(CONFIGURE OUTPUT ${twin} CONTENT "#include \"${source}\"\n")
    list(APPEND PROGRAM_TWINS ${twin})
  endforeach()
  zinc_program(every_call_cxx ${PROGRAM_TWINS})
  list(APPEND EVERY_CALL every_call_cxx)
endif()
foreach(name ${EVERY_CALL})
  target_link_libraries(${name} PRIVATE zinc_shared m)
  target_link_options(${name} PRIVATE -Wl,-z,lazy) # so that the loader can report what is called
  set_target_properties(${name} PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  zinc_test(${name} example bash ${PROJECT_SOURCE_DIR}/tests/programs/run.sh ${CMAKE_CROSSCOMPILING_EMULATOR}
    ${PROJECT_BINARY_DIR}/tests/${name})
  list(APPEND EVERY_CALL_PROGRAMS ${PROJECT_BINARY_DIR}/tests/${name})
endforeach()
add_custom_target(programs DEPENDS ${EVERY_CALL} product)

file(GLOB CLI_TESTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cli/*.sh)
if(TARGET zinc_command)
  foreach(source ${CLI_TESTS})
    get_filename_component(name ${source} NAME_WE)
    zinc_test(cli_${name} cli bash ${source})
  endforeach()
endif()

# ---- headers alone ----

file(GLOB_RECURSE HEADERS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/*.h)
set(STRICT -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror -I${PROJECT_SOURCE_DIR}/include)
foreach(header ${HEADERS})
  string(REGEX REPLACE "[/.]" "_" name ${header})
  add_test(NAME header_${name}_c COMMAND ${CMAKE_C_COMPILER} -x c -std=c11 -Wstrict-prototypes ${STRICT}
    ${PROJECT_SOURCE_DIR}/include/${header})
  set_tests_properties(header_${name}_c PROPERTIES LABELS header)
  if(CMAKE_CXX_COMPILER)
    add_test(NAME header_${name}_cxx COMMAND ${CMAKE_CXX_COMPILER} -x c++ -std=c++17 ${STRICT}
      ${PROJECT_SOURCE_DIR}/include/${header})
    set_tests_properties(header_${name}_cxx PROPERTIES LABELS header)
  endif()
endforeach()

# ---- the project's own checks ----

file(GLOB CHECK_TESTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/scripts/test_*)
foreach(source ${CHECK_TESTS})
  get_filename_component(name ${source} NAME_WE)
  zinc_test(scripts_${name} check ${source})
endforeach()
zinc_test(check_layers check ${PROJECT_SOURCE_DIR}/scripts/check_layers.py)
zinc_test(check_abi check ${PROJECT_SOURCE_DIR}/scripts/check_abi.py)
zinc_test(check_symbols check ${PROJECT_SOURCE_DIR}/scripts/check_symbols.py ${PROJECT_BINARY_DIR}/libzinc.so.0)
zinc_test(check_calls check ${PROJECT_SOURCE_DIR}/scripts/check_calls.py ${EVERY_CALL_PROGRAMS})
zinc_test(check_style check ${PROJECT_SOURCE_DIR}/scripts/check_style.py --build ${PROJECT_BINARY_DIR})
zinc_test(check_mutants check ${PROJECT_SOURCE_DIR}/scripts/mutants.py --stale)
zinc_test(check_plain_build check ${PROJECT_SOURCE_DIR}/scripts/check_plain_build.sh)
zinc_test(check_no_drafts check ${PROJECT_SOURCE_DIR}/scripts/check_no_drafts.sh)
zinc_test(check_readme check ${PROJECT_SOURCE_DIR}/scripts/check_readme.sh)
zinc_test(check_docs check ${PROJECT_SOURCE_DIR}/scripts/check_readme.sh --docs)
zinc_test(check_links check ${PROJECT_SOURCE_DIR}/scripts/check_links.py)
