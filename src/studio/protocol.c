/* The tables of the protocol, expanded from protocol_list.h. */
#include "protocol.h"
#include <stddef.h>

#define NO_FIELDS NULL
#define FIELDS(...) (const tn_field[]){ __VA_ARGS__, { NULL, NULL, NULL } }
#define EDIT true
#define VIEW false

const tn_record_info tn_protocol_records[] = {
#define TN_RECORD(name, base, fields, meaning) { #name, base, fields, meaning },
#define TN_PUSH(name, base, fields, meaning)
#define TN_VERB(name, place, access, arguments, base, fields, meaning)
#include "protocol_list.h"
#undef TN_RECORD
#undef TN_PUSH
#undef TN_VERB
    { NULL, NULL, NULL, NULL },
};

const tn_record_info tn_protocol_pushes[] = {
#define TN_RECORD(name, base, fields, meaning)
#define TN_PUSH(name, base, fields, meaning) { #name, base, fields, meaning },
#define TN_VERB(name, place, access, arguments, base, fields, meaning)
#include "protocol_list.h"
#undef TN_RECORD
#undef TN_PUSH
#undef TN_VERB
    { NULL, NULL, NULL, NULL },
};

const tn_verb_info tn_protocol_verbs[] = {
#define TN_RECORD(name, base, fields, meaning)
#define TN_PUSH(name, base, fields, meaning)
#define TN_VERB(name, place, access, arguments, base, fields, meaning) \
    { #name, TN_PLACE_##place, access, arguments, { "", base, fields, "" }, meaning },
#include "protocol_list.h"
#undef TN_RECORD
#undef TN_PUSH
#undef TN_VERB
    { NULL, TN_PLACE_NETWORK, false, NULL, { NULL, NULL, NULL, NULL }, NULL },
};
