/* A program of the build: prints the protocol as TypeScript types, as tables for docs/protocol.md, or as JSON.
 *
 *     protocol_tool types | verbs | pushes | records | json */
#include "protocol.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int name_length(const tn_field *field)
{
    size_t length = strlen(field->name);
    return (int)(length - (field->name[length - 1] == '?'));
}

static bool is_open(const tn_field *field)
{
    return strcmp(field->name, "*") == 0;
}

/* ---- TypeScript ---- */

static void print_fields(const tn_field *fields, const char *indent)
{
    for (const tn_field *f = fields; f && f->name; f++) {
        if (f->meaning[0])
            printf("%s/** %s */\n", indent, f->meaning);
        if (is_open(f))
            printf("%s[more: string]: unknown\n", indent);
        else
            printf("%s%s: %s\n", indent, f->name, f->type);
    }
}

static void print_record(const tn_record_info *record)
{
    bool several = strchr(record->base, '&') != NULL;
    printf("\n/** %s */\n", record->meaning);
    if (several)
        printf("export type %s = %s & {\n", record->name, record->base);
    else
        printf("export interface %s %s%s%s{\n", record->name, record->base[0] ? "extends " : "", record->base,
               record->base[0] ? " " : "");
    print_fields(record->fields, "  ");
    printf("}\n");
}

/* A record without a name, as a type. */
static void print_inline(const tn_record_info *record, bool timed, const char *indent)
{
    char deeper[40];
    snprintf(deeper, sizeof deeper, "%s  ", indent);
    printf("%s%s", record->base, record->base[0] && (timed || record->fields) ? " & " : "");
    if (timed || record->fields) {
        printf("{\n");
        if (timed)
            printf("%s/** s, after it was done */\n%stime: number\n", deeper, deeper);
        print_fields(record->fields, deeper);
        printf("%s}", indent);
    } else if (!record->base[0]) {
        printf("object");
    }
    printf("\n");
}

static void print_verb(const tn_verb_info *verb)
{
    tn_record_info arguments = { "", "", verb->arguments, "" };
    printf("  /** %s */\n  %s: {\n    arguments: ", verb->meaning, verb->name);
    print_inline(&arguments, false, "    ");
    printf("    answer: ");
    print_inline(&verb->answer, verb->place == TN_PLACE_SESSION, "    ");
    printf("  }\n");
}

static void print_types(void)
{
    printf("// Messages of the studio: generated from src/studio/protocol_list.h by tests/studio/protocol.py --write.\n"
           "import type { BodyData, ConnectionData, SceneData } from '../scene/data'\n");
    for (const tn_record_info *record = tn_protocol_records; record->name; record++)
        print_record(record);
    printf("\n/** Requests by verb. */\nexport interface Verbs {\n");
    for (const tn_verb_info *verb = tn_protocol_verbs; verb->name; verb++)
        print_verb(verb);
    printf("}\n\n/** Verbs that change the session: not for clients that look on. */\nexport type EditVerb =\n");
    for (const tn_verb_info *verb = tn_protocol_verbs; verb->name; verb++)
        if (verb->edits)
            printf("  | '%s'\n", verb->name);
    printf("\n/** Messages that nobody asked for, by kind. */\nexport interface Pushes {\n");
    for (const tn_record_info *push = tn_protocol_pushes; push->name; push++) {
        printf("  /** %s */\n  %s: ", push->meaning, push->name);
        print_inline(push, false, "  ");
    }
    printf("}\n");
}

/* ---- tables ---- */

/* A bar would end the cell. */
static void print_cell(const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            putchar('\\');
        putchar(*text);
    }
}

static void print_field_cell(const tn_field *fields, const char *separator)
{
    for (const tn_field *f = fields; f && f->name; f++) {
        if (is_open(f))
            continue;
        printf("%s`%s: ", f == fields ? "" : separator, f->name);
        print_cell(f->type);
        printf("`%s%s", f->meaning[0] ? " " : "", f->meaning);
    }
}

static void print_verb_table(void)
{
    static const char *const places[] = { [TN_PLACE_NETWORK] = "network", [TN_PLACE_WORKER] = "worker",
                                          [TN_PLACE_SESSION] = "session" };
    printf("| verb | runs in | arguments | answer | does |\n| --- | --- | --- | --- | --- |\n");
    for (const tn_verb_info *verb = tn_protocol_verbs; verb->name; verb++) {
        printf("| `%s`%s | %s | ", verb->name, verb->edits ? "*" : "", places[verb->place]);
        print_field_cell(verb->arguments, ", ");
        printf(" | ");
        if (verb->answer.base[0])
            printf("[`%s`](#records)%s", verb->answer.base, verb->answer.fields ? ", " : "");
        print_field_cell(verb->answer.fields, ", ");
        printf(" | ");
        print_cell(verb->meaning);
        printf(" |\n");
    }
}

static void print_push_table(void)
{
    printf("| push | has | is sent |\n| --- | --- | --- |\n");
    for (const tn_record_info *push = tn_protocol_pushes; push->name; push++) {
        printf("| `%s` | ", push->name);
        if (push->base[0])
            printf("[`%s`](#records)", push->base);
        print_field_cell(push->fields, ", ");
        printf(" | %s |\n", push->meaning);
    }
}

static void print_record_table(void)
{
    printf("| record | has | is |\n| --- | --- | --- |\n");
    for (const tn_record_info *record = tn_protocol_records; record->name; record++) {
        printf("| `%s` | ", record->name);
        if (record->base[0])
            printf("fields of `%s`; ", record->base);
        print_field_cell(record->fields, ", ");
        printf(" | %s |\n", record->meaning);
    }
}

/* ---- JSON; no text has quotes or backslashes that would need more than this ---- */

static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void print_json_fields(const tn_field *fields)
{
    printf("[");
    for (const tn_field *f = fields; f && f->name; f++) {
        bool optional = !is_open(f) && f->name[name_length(f)] == '?';
        printf("%s{\"name\":\"%.*s\",\"optional\":%s,\"type\":", f == fields ? "" : ",", name_length(f), f->name,
               optional ? "true" : "false");
        print_text(f->type);
        printf("}");
    }
    printf("]");
}

static void print_json_record(const tn_record_info *record)
{
    printf("{\"base\":\"%s\",\"fields\":", record->base);
    print_json_fields(record->fields);
    printf("}");
}

static void print_json_records(const char *title, const tn_record_info *records)
{
    printf("\"%s\":{", title);
    for (const tn_record_info *r = records; r->name; r++) {
        printf("%s\"%s\":", r == records ? "" : ",", r->name);
        print_json_record(r);
    }
    printf("}");
}

static void print_json(void)
{
    printf("{");
    print_json_records("records", tn_protocol_records);
    printf(",");
    print_json_records("pushes", tn_protocol_pushes);
    printf(",\"verbs\":{");
    for (const tn_verb_info *verb = tn_protocol_verbs; verb->name; verb++) {
        printf("%s\"%s\":{\"session\":%s,\"edits\":%s,\"arguments\":", verb == tn_protocol_verbs ? "" : ",", verb->name,
               verb->place == TN_PLACE_SESSION ? "true" : "false", verb->edits ? "true" : "false");
        print_json_fields(verb->arguments);
        printf(",\"answer\":");
        print_json_record(&verb->answer);
        printf("}");
    }
    printf("}}\n");
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*print)(void); } outputs[] = {
        { "types", print_types }, { "verbs", print_verb_table }, { "pushes", print_push_table },
        { "records", print_record_table }, { "json", print_json },
    };
    for (size_t k = 0; argc == 2 && k < sizeof outputs / sizeof outputs[0]; k++)
        if (strcmp(argv[1], outputs[k].name) == 0) {
            outputs[k].print();
            return EXIT_SUCCESS;
        }
    fprintf(stderr, "usage: protocol_tool types|verbs|pushes|records|json\n");
    return EXIT_FAILURE;
}
