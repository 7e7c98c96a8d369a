/* The files of the studio's page, built from web/ (see web/README.md), compressed, and turned into this table. */
#ifndef TN_CLI_STUDIO_PAGE_H
#define TN_CLI_STUDIO_PAGE_H

#include "page.h"

/* Ends with path NULL; empty in a build without TENON_WEB. */
extern const tn_page_file tn_studio_page[];

#endif
