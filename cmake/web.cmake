# Pages as C source: built from web/ by Node.js, then embedded. Sets PLAYER_PAGE and STUDIO_PAGE to the source files, which
# define tn_player_page (a text) and tn_studio_page (a table of files). npm is asked for the packages once; as long as package-lock.json stays the
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

# What the pages are built from.
file(GLOB_RECURSE scene_sources CONFIGURE_DEPENDS ${web}/src/scene/*)
file(GLOB_RECURSE player_sources CONFIGURE_DEPENDS ${web}/src/player/*)
file(GLOB_RECURSE studio_sources CONFIGURE_DEPENDS ${web}/src/studio/*)
set(page_tools ${web}/build.mjs ${web}/package.json ${web}/node_modules/.installed-lock)

# Runs build.mjs for a page; output is a file that it makes.
function(tenon_build_page name target output)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${NODE_PROGRAM} ${web}/build.mjs ${name} ${target}
    WORKING_DIRECTORY ${web}
    DEPENDS ${scene_sources} ${ARGN} ${page_tools}
    COMMENT "Building the page ${name}" VERBATIM)
endfunction()

# The player: one file, as a text.
set(player_page ${PROJECT_BINARY_DIR}/web/player.html)
set(PLAYER_PAGE ${PROJECT_BINARY_DIR}/web/player_page.c)
# The studio: several files, compressed; those of editor, plots and exporter are loaded when they are first used.
set(studio_folder ${PROJECT_BINARY_DIR}/web/studio)
set(STUDIO_PAGE ${PROJECT_BINARY_DIR}/web/studio_page.c)
if(TENON_WEB)
  tenon_build_page(player ${player_page} ${player_page} ${player_sources})
  tenon_build_page(studio ${studio_folder} ${studio_folder}/manifest.txt ${studio_sources})
else()
  file(WRITE ${player_page} "")
  file(WRITE ${studio_folder}/manifest.txt "")
endif()
add_custom_command(
  OUTPUT ${PLAYER_PAGE}
  COMMAND embed ${player_page} ${PLAYER_PAGE} tn_player_page
  DEPENDS embed ${player_page}
  COMMENT "Embedding the page of the player" VERBATIM)
add_custom_command(
  OUTPUT ${STUDIO_PAGE}
  COMMAND embed --files ${studio_folder}/manifest.txt ${STUDIO_PAGE} tn_studio_page
  DEPENDS embed ${studio_folder}/manifest.txt
  COMMENT "Embedding the page of the studio" VERBATIM)
