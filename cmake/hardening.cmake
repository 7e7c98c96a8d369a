# Protection that the compiler and the linker offer, in every build but those with sanitizers: stack canaries, checked string
# functions, read-only relocations, position independence, indirect branch targets. tests/hardening.py checks the program.
option(TENON_HARDEN "Build with the compiler's and linker's protection against memory errors" ON)
if(TENON_HARDEN AND NOT TENON_SANITIZE)
  include(CheckCCompilerFlag)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
    string(MAKE_C_IDENTIFIER "TENON_HAS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      target_compile_options(tenon_flags INTERFACE ${flag})
    endif()
  endforeach()
  string(TOUPPER "CMAKE_C_FLAGS_${CMAKE_BUILD_TYPE}" flags_of_build)
  if("${CMAKE_C_FLAGS} ${${flags_of_build}}" MATCHES "-O[123s]")       # without optimization it only warns
    target_compile_options(tenon_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  endif()
  target_link_options(tenon_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
