/* Reads the section groups: sets of bodies that are solved as subsystems. */
#include "groups.h"
#include "reader.h"

void tn_read_group(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS];
    if (!tn_read_keys(r, node, &tn_section_group, values, NULL, 0, NULL))
        return;
    size_t count, kept = 0;
    const tn_node *const *items = tn_read_list(r, &values[GROUP_MEMBERS], "members", &count);
    tn_group_member *members = tn_arena_alloc(r->arena, count, sizeof *members);
    if (!tn_read_ok(r, members != NULL ? TN_OK : TN_ERROR_MEMORY))
        return;
    for (size_t k = 0; k < count && r->stop == TN_OK; k++) {
        members[kept].name = tn_read_text(r, items[k], "members");
        members[kept].span = items[k]->span;
        kept += members[kept].name != NULL;
    }
    if (kept == count)
        tn_read_ok(r, tn_model_add_group_at(r->model, name->as.text, members, count, name->span));
}
