/* In place of the studio in builds without libwebsockets and libzip: it does not open. */
#include "studio.h"

int tn_studio_open(tn_studio **out, const tn_studio_options *options, FILE *errors)
{
    (void)options;
    *out = NULL;
    fputs("error: this build has no studio: build Tenon with libwebsockets and libzip\n", errors);
    return TN_ERROR_ARGUMENT;
}

/* The others are never called without an open studio. */
void tn_studio_serve(tn_studio *studio, bool (*stop)(void))
{
    (void)studio, (void)stop;
}

void tn_studio_close(tn_studio *studio)
{
    (void)studio;
}

const char *tn_studio_url(const tn_studio *studio, bool edits)
{
    (void)studio, (void)edits;
    return "";
}

const char *tn_studio_journal(const tn_studio *studio)
{
    (void)studio;
    return "";
}
