# s390x.cmake - cross-compile for a big-endian machine and run under qemu-user
#
# -DCMAKE_SYSROOT= is the directory where scripts/sysroot_s390x.sh unpacked that machine's libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE s390x-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x)

# Programs name their loader and libraries in full.  qemu's own -L would instead redirect every absolute path that
# exists in the sysroot, "/" among them, and the tests would see another file system.
set(libs ${CMAKE_SYSROOT}/lib/s390x-linux-gnu:${CMAKE_SYSROOT}/usr/lib/s390x-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-Wl,--dynamic-linker=${CMAKE_SYSROOT}/lib/ld64.so.1 -Wl,--disable-new-dtags -Wl,-rpath,${libs}")
