# ZincOptional - zinc_optional(NAME header library): use a library if it is enabled and found
#
# Defines the option ZINC_WITH_<NAME>, adds ZINC_WITH_<NAME>=0|1 to ZINC_DEFINITIONS and, if
# found, the library to ZINC_LIBRARIES, ZINC_INSTALL_LIBS and ZINC_INCLUDES.

macro(zinc_optional NAME HEADER LIBRARY)
  option(ZINC_WITH_${NAME} "Use lib${LIBRARY} when it is found" ON)
  if(ZINC_WITH_${NAME})
    find_path(ZINC_${NAME}_INCLUDE ${HEADER})
    find_library(ZINC_${NAME}_LIBRARY ${LIBRARY})
  endif()
  if(ZINC_WITH_${NAME} AND ZINC_${NAME}_INCLUDE AND ZINC_${NAME}_LIBRARY)
    list(APPEND ZINC_DEFINITIONS ZINC_WITH_${NAME}=1)
    list(APPEND ZINC_LIBRARIES ${ZINC_${NAME}_LIBRARY})
    list(APPEND ZINC_INSTALL_LIBS ${LIBRARY})
    list(APPEND ZINC_INCLUDES ${ZINC_${NAME}_INCLUDE})
    message(STATUS "${LIBRARY}: ${ZINC_${NAME}_LIBRARY}")
  else()
    list(APPEND ZINC_DEFINITIONS ZINC_WITH_${NAME}=0)
    message(STATUS "${LIBRARY}: none, built without")
  endif()
endmacro()
