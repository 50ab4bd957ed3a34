# Builds a migrated makefile for the CPU:  MAKEFILES=cpu-build/ascend-cpu.mk make
_cpu_build := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
export PATH := $(_cpu_build):$(PATH)
override ASCEND_HOME_PATH := $(_cpu_build)
export ASCEND_HOME_PATH
export CPLUS_INCLUDE_PATH := $(shell $(_cpu_build)/bisheng --print-include-dir)
