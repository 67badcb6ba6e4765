# ZincFlags - the target zinc_flags has the options that every C file is compiled with

add_library(zinc_flags INTERFACE)
target_compile_options(zinc_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wvla
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<BOOL:${ZINC_WERROR}>:-Werror>)

# All linked code must be instrumented in the same way, so these are global.
if(ZINC_SANITIZE STREQUAL "address")
  set(ZINC_INSTRUMENT -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(ZINC_SANITIZE STREQUAL "memory")
  set(ZINC_INSTRUMENT -fsanitize=memory -fsanitize-memory-track-origins -fno-omit-frame-pointer)
elseif(ZINC_SANITIZE STREQUAL "thread")
  set(ZINC_INSTRUMENT -fsanitize=thread -fno-omit-frame-pointer)
elseif(ZINC_SANITIZE)
  message(FATAL_ERROR "ZINC_SANITIZE is address, thread or memory, not '${ZINC_SANITIZE}'")
endif()
if(ZINC_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "ZINC_FUZZ needs clang: CC=clang cmake ...")
  endif()
  list(APPEND ZINC_INSTRUMENT -fsanitize=fuzzer-no-link)
endif()
if(ZINC_COVERAGE)
  list(APPEND ZINC_INSTRUMENT --coverage)
endif()
add_compile_options(${ZINC_INSTRUMENT})
add_link_options(${ZINC_INSTRUMENT})
