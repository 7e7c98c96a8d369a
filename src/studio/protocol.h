/* The protocol as data: verbs with arguments and answers, pushes, and the records they use (protocol_list.h). */
#ifndef TN_STUDIO_PROTOCOL_H
#define TN_STUDIO_PROTOCOL_H

#include <stdbool.h>

/* Where a verb is carried out. */
typedef enum tn_verb_place {
    TN_PLACE_NETWORK,          /* at once, in the network thread: it never takes long */
    TN_PLACE_WORKER,           /* in the worker thread; session is NULL */
    TN_PLACE_SESSION           /* in the runner's thread, between two steps */
} tn_verb_place;

typedef struct tn_field {
    const char *name;          /* ends with '?' where the field may be absent; "*": further fields are allowed */
    const char *type;          /* as in TypeScript */
    const char *meaning;       /* may be empty */
} tn_field;

typedef struct tn_record_info {
    const char *name, *base;   /* base: "" or the records it extends, joined by " & " */
    const tn_field *fields;    /* ends with name NULL; NULL: none */
    const char *meaning;
} tn_record_info;

typedef struct tn_verb_info {
    const char *name;
    tn_verb_place place;
    bool edits;                /* refused with the token for looking on */
    const tn_field *arguments;
    tn_record_info answer;     /* name "" */
    const char *meaning;
} tn_verb_info;

/* Each table ends with name NULL. */
extern const tn_record_info tn_protocol_records[], tn_protocol_pushes[];
extern const tn_verb_info tn_protocol_verbs[];

/* One number for each verb, in the order of the table. */
typedef enum tn_verb_number {
#define TN_RECORD(name, base, fields, meaning)
#define TN_PUSH(name, base, fields, meaning)
#define TN_VERB(name, place, access, arguments, base, fields, meaning) TN_VERB_##name,
#include "protocol_list.h"
#undef TN_RECORD
#undef TN_PUSH
#undef TN_VERB
    TN_VERB_COUNT
} tn_verb_number;

#endif
