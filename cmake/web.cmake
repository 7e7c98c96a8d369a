# The player page as C source: built from web/ by Node.js, then embedded. Sets PLAYER_PAGE to the source file.
# npm is asked for the packages once; as long as package-lock.json stays the same, later builds need no network.
option(TENON_WEB "Build the web page of 'tenon animate' (needs Node.js 18 or later and npm)" ON)

add_executable(embed ${PROJECT_SOURCE_DIR}/cmake/embed.c)
set(web ${PROJECT_SOURCE_DIR}/web)
set(page ${PROJECT_BINARY_DIR}/web/player.html)
set(PLAYER_PAGE ${PROJECT_BINARY_DIR}/web/player_page.c)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/web)

if(TENON_WEB)
  find_program(NODE_PROGRAM NAMES node nodejs)
  find_program(NPM_PROGRAM npm)
  if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
    message(FATAL_ERROR "Node.js and npm are needed for the web page of 'tenon animate': install them (tools/setup.sh "
                        "does), or do without with -DTENON_WEB=OFF")
  endif()
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/*)
  add_custom_command(
    OUTPUT ${web}/node_modules/.installed-lock
    COMMAND ${web}/install.sh
    DEPENDS ${web}/package-lock.json ${web}/install.sh
    COMMENT "Fetching the packages of the player page" VERBATIM)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${NODE_PROGRAM} ${web}/build.mjs ${page}
    WORKING_DIRECTORY ${web}
    DEPENDS ${web_sources} ${web}/build.mjs ${web}/package.json ${web}/node_modules/.installed-lock
    COMMENT "Building the player page" VERBATIM)
else()
  file(WRITE ${page} "")
endif()
add_custom_command(
  OUTPUT ${PLAYER_PAGE}
  COMMAND embed ${page} ${PLAYER_PAGE} tn_player_page
  DEPENDS embed ${page}
  COMMENT "Embedding the player page" VERBATIM)
