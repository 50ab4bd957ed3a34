# Stands for the vendor's package ASC where there is none: Ascend C is built for the CPU.
# Give -DASC_DIR=<this folder> to cmake.
set(ASC_FOUND TRUE)
list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
set(CMAKE_ASC_COMPILER "${CMAKE_CURRENT_LIST_DIR}/bisheng" CACHE FILEPATH "Ascend C for the CPU")
execute_process(
  COMMAND "${CMAKE_ASC_COMPILER}" --print-include-dir
  OUTPUT_VARIABLE _asc_include OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _asc_failed)
if(_asc_failed)
  message(FATAL_ERROR "cudamigrate does not run: set CUDAMIGRATE_PYTHON to the Python that it is installed for")
endif()
include_directories(SYSTEM "${_asc_include}")
link_directories("${CMAKE_CURRENT_LIST_DIR}/lib64")
