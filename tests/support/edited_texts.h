/* Texts of edited sessions: what a session holds can be written, and reads back as the same model. */
#ifndef TEST_EDITED_TEXTS_H
#define TEST_EDITED_TEXTS_H

#include "edited.h"
#include <glob.h>
#include "entities.h"
#include "session_impl.h"
#include "tables.h"
#include "tenon/history.h"

typedef struct example {
    machine m;
    char folder[200];
    const char *path, *text;   /* of its main file */
} example;

/* Runs for so long, s; without a session when the file cannot be run by itself. */
static inline example open_example(const char *path, double until)
{
    example e = { .m = { .context = tn_context_create(NULL) }, .path = path };
    snprintf(e.folder, sizeof e.folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (tn_model_read(&e.m.model, e.m.context, path) < 0 || tn_session_open(&e.m.session, e.m.model, NULL) < 0 ||
        tn_session_advance(e.m.session, until) < 0) {
        machine_close(&e.m);
        return (example){ 0 };
    }
    e.text = e.m.model->origin->files[0].text;
    return e;
}

static inline void must_agree(const example *e, const char *text, const char *command)
{
    tn_model *read = NULL;
    const tn_model *model = tn_session_model(e->m.session);
    machine_must(&e->m, tn_model_read_text(&read, e->m.context, text, strlen(text), "text.yaml", e->folder));
    machine_must(&e->m, tn_model_align(read, model));
    machine_must(&e->m, tn_model_set_solve(read, &model->solve));
    if (!tn_model_same(read, model))
        fail_msg("%s: after %s the text is another model:\n%s", e->path, command, text);
    tn_model_destroy(read);
}

#endif
