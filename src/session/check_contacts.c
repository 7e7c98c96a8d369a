/* Warns of contacts in which polyhedra stand for round shapes. */
#include "check.h"
#include "diag.h"
#include "session_parts.h"

/* The shape that replaces a kind of shape where it touches tubes and bowls; NULL: the shape itself. */
static const char *stand_in(tn_shape_kind kind)
{
    if (kind == TN_SHAPE_CONE)
        return "its side is 16 flat ones, up to 2 % inside";
    return kind == TN_SHAPE_ELLIPSOID ? "a polyhedron of 86 corners stands for it, up to 7 % inside" : NULL;
}

/* Returns a body of the contact, other than `own`, that has a tube or a bowl; NULL: none. */
static const char *other_body(const tn_model *model, const tn_contact *contact, uint32_t own)
{
    for (size_t k = 0; k < contact->body_count; k++) {
        const tn_body *body = &model->bodies[contact->bodies[k]];
        for (uint32_t i = 0; i < body->shape_count && contact->bodies[k] != own && tn_body_active(model, contact->bodies[k]); i++)
            if ((body->shapes[i].kind == TN_SHAPE_TUBE || body->shapes[i].kind == TN_SHAPE_BOWL) && tn_shape_touches(&body->shapes[i], model->dimension))
                return body->entity.name;
    }
    return NULL;
}

/* Warns of the first round shape of a contact for which a polyhedron stands. */
static void check_contact(const tn_model *model, const tn_contact *contact)
{
    for (size_t k = 0; k < contact->body_count; k++) {
        const tn_body *body = &model->bodies[contact->bodies[k]];
        const char *other = other_body(model, contact, contact->bodies[k]);
        for (uint32_t i = 0; i < body->shape_count && other && tn_body_active(model, contact->bodies[k]); i++) {
            const char *what = stand_in(body->shapes[i].kind);
            if (!what)
                continue;
            tn_warn(model->context, contact->entity.span, "contact '%s': the %s of '%s' does not touch '%s' exactly: %s; "
                    "all but tubes and bowls are touched exactly", contact->entity.name, body->shapes[i].kind == TN_SHAPE_CONE ? "cone" : "ellipsoid",
                    body->entity.name, other, what);
            return;
        }
    }
}

void tn_check_contacts(const tn_model *model)
{
    for (uint32_t c = 0; c < model->contact_count && model->dimension == 3; c++)
        if (tn_contact_active(model, c))
            check_contact(model, &model->contacts[c]);
}
