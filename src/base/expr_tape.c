/* The tape of an expression: creating nodes, merging equal nodes, dropping unused nodes. */
#include "expr_tape.h"
#include <string.h>

int tn_tape_create(tn_tape **out, tn_context *context)
{
    *out = tn_alloc(context, 1, sizeof **out);
    if (!*out)
        return TN_ERROR_MEMORY;
    (*out)->context = context;
    (*out)->owners = 1;
    return TN_OK;
}

tn_tape *tn_tape_share(tn_tape *tape)
{
    tape->owners++;
    return tape;
}

void tn_tape_destroy(tn_tape *tape)
{
    if (!tape || --tape->owners > 0)
        return;
    tn_free(tape->context, tape->nodes);
    tn_free(tape->context, tape->traits);
    tn_free(tape->context, tape->outputs);
    tn_free(tape->context, tape->chains);
    tn_free(tape->context, tape->curves);
    tn_free(tape->context, tape->functions);
    tn_free(tape->context, tape);
}

int tn_tape_outputs(const tn_tape *tape)
{
    return (int)tape->output_count;
}

bool tn_tape_remembers(const tn_tape *tape)
{
    for (size_t k = 0; k < tape->count; k++)
        if (tape->nodes[k].op == TN_OP_UNWRAP)
            return true;
    return false;
}

bool tn_tape_reads(const tn_tape *tape, int leaf)
{
    for (size_t k = 0; k < tape->count; k++) {
        const tn_op op = (tn_op)tape->nodes[k].op;
        bool reads = op == TN_OP_LEAF || op == TN_OP_LEAF3 || op == TN_OP_RATE_LEAF3 || op == TN_OP_VALUE || op == TN_OP_VALUE3;
        if (reads && tape->nodes[k].index == leaf)
            return true;
    }
    return false;
}

tn_output_info tn_tape_output(const tn_tape *tape, int output)
{
    return tape->outputs[output].info;
}

size_t tn_tape_work(const tn_tape *tape)
{
    return (TN_TAPE_FORWARD + TN_TAPE_REVERSE + TN_TAPE_TANGENT) * tape->count + TN_TAPE_REVERSE;
}

int tn_op_operands(tn_op op)
{
    switch (op) {
    case TN_OP_CONSTANT: case TN_OP_PARAMETER: case TN_OP_TIME: case TN_OP_LEAF: case TN_OP_LEAF3:
    case TN_OP_RATE_LEAF3: case TN_OP_VALUE: case TN_OP_VALUE3:
        return 0;
    case TN_OP_ADD: case TN_OP_ADD3: case TN_OP_SUB: case TN_OP_SUB3: case TN_OP_MUL: case TN_OP_SCALE3:
    case TN_OP_DIV: case TN_OP_DOT: case TN_OP_CROSS: case TN_OP_POWER: case TN_OP_POWER_MOVING: case TN_OP_ATAN2:
    case TN_OP_SURFACE:
    case TN_OP_MOD: case TN_OP_MIN: case TN_OP_MAX:
    case TN_OP_LESS: case TN_OP_LESS_EQUAL: case TN_OP_AND: case TN_OP_OR: case TN_OP_ARGUMENTS:
        return 2;
    case TN_OP_SELECT:
        return 3;
    default:
        return 1;
    }
}

bool tn_op_flat(tn_op op)
{
    return op >= TN_OP_LESS && op <= TN_OP_FLOOR;
}

static bool gives_vector(tn_op op)
{
    return op == TN_OP_LEAF3 || op == TN_OP_RATE_LEAF3 || op == TN_OP_VALUE3 || op == TN_OP_ADD3 || op == TN_OP_SUB3
        || op == TN_OP_NEG3 || op == TN_OP_SCALE3 || op == TN_OP_CROSS || op == TN_OP_VEL3;
}

static tn_node_traits own_traits(tn_op op)
{
    bool rateless = op == TN_OP_VALUE || op == TN_OP_VALUE3;   /* leaves */
    return (tn_node_traits){
        .vector = gives_vector(op),
        .velocity = op == TN_OP_RATE_LEAF3 || op == TN_OP_VEL || op == TN_OP_VEL3,
        .timed = op == TN_OP_TIME,
        .moving = op == TN_OP_LEAF || op == TN_OP_LEAF3 || op == TN_OP_RATE_LEAF3 || rateless,
        .rateless = rateless || op == TN_OP_CALL,
        .rated = op == TN_OP_TIME || op == TN_OP_LEAF || op == TN_OP_LEAF3 || op == TN_OP_RATE_LEAF3
    };
}

/* Also marks in node the operands that get an adjoint. A condition selects a branch, but has no derivative. */
static tn_node_traits traits_of(const tn_tape *tape, tn_node *node)
{
    tn_op op = (tn_op)node->op;
    tn_node_traits t = own_traits(op);
    int count = tn_op_operands(op), smooth = tn_op_flat(op) ? 0 : op == TN_OP_SELECT ? 2 : count;
    for (int i = 0; i < count; i++) {
        const tn_node_traits *o = &tape->traits[tn_node_operand(node, i)];
        t.velocity = t.velocity || o->velocity;
        t.timed = t.timed || o->timed;
        t.moving = t.moving || o->moving;
        t.rateless = t.rateless || (i < smooth && o->rateless);
        t.rated = t.rated || (i < smooth && o->rated);
    }
    bool differentiates = op == TN_OP_VEL || op == TN_OP_VEL3;
    node->passes = 0;
    for (int i = 0; i < smooth; i++) {
        const tn_node_traits *o = &tape->traits[tn_node_operand(node, i)];
        if (o->moving && (o->velocity == t.velocity || differentiates))
            node->passes |= (uint8_t)(1 << i);
    }
    return t;
}

static bool same_node(const tn_node *n, const tn_node *m)
{
    return n->op == m->op && n->a == m->a && n->b == m->b && n->index == m->index
        && memcmp(&n->value, &m->value, sizeof n->value) == 0;
}

int tn_tape_node(tn_tape *tape, tn_node node, int *out)
{
    tn_node_traits traits = traits_of(tape, &node);
    for (size_t i = 0; i < tape->count; i++)
        if (same_node(&tape->nodes[i], &node)) {
            *out = (int)i;
            return TN_OK;
        }
    if (tape->count >= TN_TAPE_NODES)
        return TN_ERROR_MODEL;
    TN_TRY(tn_grow(tape->context, &tape->nodes, &tape->node_capacity, tape->count + 1, sizeof *tape->nodes));
    TN_TRY(tn_grow(tape->context, &tape->traits, &tape->traits_capacity, tape->count + 1, sizeof *tape->traits));
    tape->nodes[tape->count] = node;
    tape->traits[tape->count] = traits;
    tape->complex = tape->complex || !tn_op_plain((tn_op)node.op);
    *out = (int)tape->count++;
    return TN_OK;
}

/* which: one bit for each operand */
static void mark_operands(tn_tape *tape, size_t i, unsigned which)
{
    const tn_node *n = &tape->nodes[i];
    int count = tn_op_operands((tn_op)n->op);
    for (int k = 0; k < count; k++)
        if (which & 1u << k)
            tape->traits[tn_node_operand(n, k)].needed = true;
}

static void unmark(tn_tape *tape, int last)
{
    for (size_t i = 0; i < tape->count; i++)
        tape->traits[i].needed = false;
    tape->traits[last].needed = true;
}

/* Drops the nodes from first on that last does not need; returns where last is now. */
static int drop_unneeded(tn_tape *tape, int last, size_t first)
{
    unmark(tape, last);
    for (size_t i = tape->count; i-- > first;)
        if (tape->traits[i].needed)
            mark_operands(tape, i, ~0u);
    size_t kept = first;
    for (size_t i = 0; i < tape->count; i++) {
        if (i < first) {
            tape->traits[i].place = (uint16_t)i;
        } else if (tape->traits[i].needed) {
            tn_node node = tape->nodes[i];
            int operands = tn_op_operands(node.op);
            node.a = operands > 0 ? tape->traits[node.a].place : 0;
            node.b = operands > 1 ? tape->traits[node.b].place : 0;
            if (operands > 2)
                node.index = tape->traits[node.index].place;
            tape->nodes[kept] = node;
            uint16_t place = tape->traits[kept].place;   /* of the node that was here: still looked up */
            tape->traits[kept] = tape->traits[i];
            tape->traits[kept].place = place;
            tape->traits[i].place = (uint16_t)kept++;
        }
    }
    int place = tape->traits[last].place;
    tape->count = kept;
    return place;
}

int tn_tape_finish(tn_tape *tape, int node, size_t first, tn_output_info info)
{
    TN_TRY(tn_grow(tape->context, &tape->outputs, &tape->output_capacity, tape->output_count + 1,
                   sizeof *tape->outputs));
    TN_TRY(tn_grow(tape->context, &tape->chains, &tape->chain_capacity, tape->chain_count + tape->count,
                   sizeof *tape->chains));
    int last = drop_unneeded(tape, node, first);
    tn_tape_result result = { .node = (uint16_t)last, .info = info, .begin = tape->chain_count };
    unmark(tape, last);
    for (int i = last; i >= 0; i--)
        if (tape->traits[i].needed && tape->traits[i].moving) {
            tape->chains[tape->chain_count++] = (uint16_t)i;
            mark_operands(tape, (size_t)i, tape->nodes[i].passes);
        }
    result.end = tape->chain_count;
    tape->outputs[tape->output_count++] = result;
    return TN_OK;
}

double tn_tape_value(const tn_tape *tape, const double *work, int output, int component, int derivative)
{
    const tn_tape_result *r = &tape->outputs[output];
    if (component > 0 && !r->info.vector)
        return 0;
    return work[TN_TAPE_FORWARD * r->node + 3 * derivative + component];
}
