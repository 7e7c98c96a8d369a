/* Definitions of joints and forces with room for their lists: for code that finds the items one by one. The definition points
 * into the draft, so a draft is not copied. */
#ifndef TN_MODEL_DRAFT_H
#define TN_MODEL_DRAFT_H

#include "tenon/model.h"

/* The most parameters, expressions and ports of one joint, force or component. */
enum { TN_MAX_SETTINGS = 128, TN_MAX_EXPRESSIONS = 64, TN_MAX_PORTS = 8 };

typedef struct tn_joint_draft {
    tn_joint_def def;
    tn_setting settings[TN_MAX_SETTINGS];
    tn_coupling_term terms[TN_MAX_COUPLED];
    tn_joint_start start[TN_MAX_COORDINATES];
    tn_limit limits[TN_MAX_COORDINATES];
} tn_joint_draft;

typedef struct tn_force_draft {
    tn_force_def def;
    tn_setting settings[TN_MAX_SETTINGS];
    tn_expression expressions[TN_MAX_EXPRESSIONS];
    tn_setting start[TN_MAX_STATES];
    tn_expression ports[TN_MAX_PORTS];
} tn_force_draft;

static inline void tn_joint_draft_begin(tn_joint_draft *draft, const char *type)
{
    draft->def = tn_joint_default(type);
    draft->def.settings = draft->settings;
    draft->def.terms = draft->terms;
    draft->def.start = draft->start;
    draft->def.limits = draft->limits;
}

static inline void tn_force_draft_begin(tn_force_draft *draft, const char *type)
{
    draft->def = tn_force_default(type);
    draft->def.settings = draft->settings;
    draft->def.expressions = draft->expressions;
    draft->def.start = draft->start;
    draft->def.ports = draft->ports;
}

static inline void tn_joint_draft_set(tn_joint_draft *draft, const char *name, double value)
{
    draft->settings[draft->def.setting_count++] = (tn_setting){ name, value };
}

static inline void tn_force_draft_set(tn_force_draft *draft, const char *name, double value)
{
    draft->settings[draft->def.setting_count++] = (tn_setting){ name, value };
}

static inline void tn_force_draft_say(tn_force_draft *draft, tn_expression expression)
{
    draft->expressions[draft->def.expression_count++] = expression;
}

static inline void tn_joint_draft_couple(tn_joint_draft *draft, tn_coupling_term term)
{
    draft->terms[draft->def.term_count++] = term;
}

#endif
