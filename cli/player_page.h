/* The player: one HTML page without its data, built from web/ (see web/README.md) and turned into this array. */
#ifndef TN_CLI_PLAYER_PAGE_H
#define TN_CLI_PLAYER_PAGE_H

/* Ends with zero; empty in a build without TENON_WEB. */
extern const char tn_player_page[];

#endif
