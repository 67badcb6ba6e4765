# PrintManual - cmake -D ZINC=command -D DIR=directory -P PrintManual.cmake
#
# Writes zinc.1, a page per sub-command, and the completion scripts of shells.  zinc.1 is written last, because the
# build depends on it.

function(print page)
  execute_process(COMMAND ${EMULATOR} ${ZINC} ${ARGN} OUTPUT_FILE ${DIR}/${page}.new RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "zinc ${ARGN}: ${status}")
  endif()
  file(RENAME ${DIR}/${page}.new ${DIR}/${page})
endfunction()

file(GLOB old ${DIR}/*.1)
if(old)
  file(REMOVE ${old})
endif()
execute_process(COMMAND ${EMULATOR} ${ZINC} --complete "" OUTPUT_VARIABLE lines RESULT_VARIABLE status)
string(REGEX MATCHALL "(^|\n)[a-z]+" names "${lines}")
foreach(name ${names})
  string(STRIP ${name} name)
  print(zinc-${name}.1 --man ${name})
endforeach()
foreach(shell bash zsh fish)
  print(zinc.${shell} completion ${shell})
endforeach()
print(zinc.1 --man)
