/* The optional parts of the library and the program that this build has. */
#include "build_features.h"
#include "mpi_team.h"
#include "player_page.h"

#ifdef TENON_HAS_STUDIO
enum { HAS_STUDIO = true };
#else
enum { HAS_STUDIO = false };
#endif

enum { OWN = 3 };

/* Features of the library, then features of the program. */
tn_feature tn_program_feature_at(size_t index)
{
    const tn_feature own[OWN] = {
        { "MPI", "runs shared by processes", tn_mpi_built() },
        { "studio", "tenon studio, by libwebsockets and libzip", HAS_STUDIO },
        { "pages", "the pages of tenon studio and tenon animate", tn_player_page[0] != '\0' },
    };
    size_t count = tn_feature_count();
    return index < count ? tn_feature_at(index) : own[index - count];
}

size_t tn_program_feature_count(void)
{
    return tn_feature_count() + OWN;
}
