# The kernel files, each with the flags of its instruction set. Nothing else in the library gets any.
set(kernel_flags -O3 -fno-signed-zeros -ffp-contract=fast -fno-math-errno -fno-trapping-math -Wno-psabi)
if(AMBLE_SANITIZE)
  # All is inlined: instrumented and optimised in full it compiles for many minutes.
  list(APPEND kernel_flags -O1 -fno-sanitize=undefined)
endif()
amble_without_pch(kernels/kernel_baseline.cpp kernels/kernel_avx2.cpp kernels/kernel_avx512.cpp)
set(kernel_sources kernels/select.cpp kernels/kernel_baseline.cpp)
set_source_files_properties(kernels/kernel_baseline.cpp PROPERTIES COMPILE_OPTIONS "${kernel_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND kernel_sources kernels/kernel_avx2.cpp kernels/kernel_avx512.cpp)
  set_source_files_properties(kernels/kernel_avx2.cpp PROPERTIES COMPILE_OPTIONS "${kernel_flags};-mavx2;-mfma")
  set_source_files_properties(kernels/kernel_avx512.cpp PROPERTIES
                              COMPILE_OPTIONS "${kernel_flags};-mavx512f;-mavx512dq;-mavx512vl;-mfma")
endif()
