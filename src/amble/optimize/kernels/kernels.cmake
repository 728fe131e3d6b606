# The kernel files, each with the flags of its instruction set. Nothing else in the folder gets any.
set(dense_flags -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math -Wno-psabi)
amble_without_pch(kernels/dense_baseline.cpp kernels/dense_avx2.cpp kernels/dense_avx512.cpp)
set(dense_sources kernels/dense.cpp kernels/dense_baseline.cpp)
set_source_files_properties(kernels/dense_baseline.cpp PROPERTIES COMPILE_OPTIONS "${dense_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND dense_sources kernels/dense_avx2.cpp kernels/dense_avx512.cpp)
  set_source_files_properties(kernels/dense_avx2.cpp PROPERTIES COMPILE_OPTIONS "${dense_flags};-mavx2;-mfma")
  set_source_files_properties(kernels/dense_avx512.cpp PROPERTIES
                              COMPILE_OPTIONS "${dense_flags};-mavx512f;-mavx512dq;-mavx512vl;-mfma")
endif()
