# Pages as C source: built from web/ by Node.js, then embedded. Sets PLAYER_PAGE and STUDIO_PAGE to the source files, which
# define tn_player_page and tn_studio_page. npm is asked for the packages once; as long as package-lock.json stays the
# same, later builds need no network.
option(TENON_WEB "Build the pages of 'tenon animate' and 'tenon studio' (needs Node.js 18 or later and npm)" ON)

add_executable(embed ${PROJECT_SOURCE_DIR}/cmake/embed.c)
set(web ${PROJECT_SOURCE_DIR}/web)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/web)

if(TENON_WEB)
  find_program(NODE_PROGRAM NAMES node nodejs)
  find_program(NPM_PROGRAM npm)
  if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
    message(FATAL_ERROR "Node.js and npm are needed for the pages of 'tenon animate' and 'tenon studio': install them "
                        "(tools/setup.sh does), or do without with -DTENON_WEB=OFF")
  endif()
  add_custom_command(
    OUTPUT ${web}/node_modules/.installed-lock
    COMMAND ${web}/install.sh
    DEPENDS ${web}/package-lock.json ${web}/install.sh
    COMMENT "Fetching the packages of the pages" VERBATIM)
endif()

# The page web/src/NAME as C source; VARIABLE is set to its file.
function(tenon_page name variable)
  set(page ${PROJECT_BINARY_DIR}/web/${name}.html)
  set(source ${PROJECT_BINARY_DIR}/web/${name}_page.c)
  if(TENON_WEB)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/scene/* ${web}/src/${name}/*)
    add_custom_command(
      OUTPUT ${page}
      COMMAND ${NODE_PROGRAM} ${web}/build.mjs ${name} ${page}
      WORKING_DIRECTORY ${web}
      DEPENDS ${sources} ${web}/build.mjs ${web}/package.json ${web}/node_modules/.installed-lock
      COMMENT "Building the page of the ${name}" VERBATIM)
  else()
    file(WRITE ${page} "")
  endif()
  add_custom_command(
    OUTPUT ${source}
    COMMAND embed ${page} ${source} tn_${name}_page
    DEPENDS embed ${page}
    COMMENT "Embedding the page of the ${name}" VERBATIM)
  set(${variable} ${source} PARENT_SCOPE)
endfunction()

tenon_page(player PLAYER_PAGE)
tenon_page(studio STUDIO_PAGE)
