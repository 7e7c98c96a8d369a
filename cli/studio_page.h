/* The page of the studio, built from web/ (see web/README.md) and turned into this array. */
#ifndef TN_CLI_STUDIO_PAGE_H
#define TN_CLI_STUDIO_PAGE_H

/* Ends with zero; empty in a build without TENON_WEB. */
extern const char tn_studio_page[];

#endif
