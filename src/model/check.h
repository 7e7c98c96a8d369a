/* Checks of one definition. All mistakes in it are reported, not only the first. */
#ifndef TN_MODEL_CHECK_H
#define TN_MODEL_CHECK_H

#include "draft.h"
#include "entities.h"

typedef struct tn_check {
    const tn_model *model;
    tn_context *context;
    tn_span span;
    const char *what;          /* "body", "joint", ... */
    const char *name;
    int code;                  /* TN_OK while nothing is wrong */
} tn_check;

/* Notes a code without a message; the most severe code is kept. */
void tn_check_note(tn_check *check, int code);
/* Notes the code and adds the diagnostic "what 'name': message". */
void tn_check_fail(tn_check *check, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define tn_complain(check, ...) tn_check_fail(check, TN_ERROR_MODEL, __VA_ARGS__)

/* A legal name: letters, digits, '_', '-'; neither empty nor too long. */
bool tn_check_spelling(tn_check *check);
/* ... that is free for a body, joint, force or contact. */
void tn_check_name(tn_check *check);
/* ... for a frame of that body; the spelling is good. */
void tn_check_frame_name(tn_check *check, tn_id body);
/* Builds an entity from its definition, except its field entity. A body's shapes are copied when nothing is wrong; the
 * data of other entities is in the model's arena. */
int tn_check_body(tn_body *body, tn_check *check, const tn_body_def *def);
int tn_check_joint(tn_joint *joint, tn_check *check, const tn_joint_def *def);
int tn_check_contact(tn_contact *contact, tn_check *check, const tn_contact_def *def);
/* Whether the attributes of a law, each of which is good by itself, go together for the bodies of a contact. */
int tn_check_contact_law(const tn_model *model, uint32_t contact, const tn_contact_def *law, tn_span span);
/* Replaces the laws of materials by a copy in the arena. */
int tn_own_materials(tn_arena *arena, tn_contact_def *def);
void tn_check_trigger(tn_check *check, const tn_joint_type *type, const tn_joint_def *def);
int tn_check_force(tn_force *force, tn_check *check, const tn_force_def *def);
/* False after a complaint: the list is NULL, but its count is not 0. role is the name of the list, for messages. */
bool tn_check_list(tn_check *check, const char *role, const void *items, size_t count);
/* role is the meaning of the numbers, for messages: "velocity". */
bool tn_check_finite(tn_check *check, const char *role, const double *values, size_t count);
/* Also normalizes a quaternion that is nearly of unit length. */
void tn_check_pose(tn_check *check, const char *role, tn_pose *pose, int dimension);
/* True for a living entity of that kind. */
bool tn_check_id(tn_check *check, const char *role, tn_id id, tn_kind kind);
/* Values of declared parameters from settings; NaN where as_built or an expression decides. type is the type's name.
 * Expressions, where allowed, are copied to the place of their parameter in texts. */
void tn_check_settings(tn_check *check, const char *type, const tn_parameter_decl *declared, size_t max_declared,
                       const tn_setting *settings, size_t count, double *values, const tn_expression *expressions,
                       size_t expression_count, const tn_expression **texts);
/* Index of a joint's coordinate by name (NULL: the first), or -1 after a complaint. */
int tn_check_coordinate(tn_check *check, const tn_joint_type *type, const char *name);
/* A deep copy; NULL when out of memory. span.file is not copied. */
const tn_expression *tn_expression_copy(tn_arena *arena, const tn_expression *expression);

/* Dynamics needs masses: reports all bodies without mass or inertia. */
int tn_model_check_masses(const tn_model *model);

#endif
