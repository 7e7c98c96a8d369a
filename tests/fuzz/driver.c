/* Runs a fuzz target without a fuzzer: all files of its corpus, then inputs made of them by chance, always the same ones. A
 * short trial for every build; libFuzzer and AFL++ take the same targets further (tools/fuzz.sh).
 *
 *     fuzz_NAME CORPUS [COUNT [SEED]]
 *
 * An input that ends the program, or takes longer than a minute, is left in the present folder as failed-input. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"

enum { MOST_SEEDS = 64, MOST_BYTES = 1 << 16, LONGEST = 60 /* s */ };

typedef struct seed {
    unsigned char *bytes;
    size_t size;
} seed;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static seed read_seed(const char *folder, const char *name)
{
    char path[4096];
    seed s = { malloc(MOST_BYTES), 0 };
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    if (!in || !s.bytes) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    s.size = fread(s.bytes, 1, MOST_BYTES, in);
    fclose(in);
    return s;
}

/* In the order of their names, so that every run is the same. */
static int read_corpus(seed seeds[MOST_SEEDS], const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort), used = 0;
    for (int k = 0; k < count; k++) {
        if (entries[k]->d_name[0] != '.' && used < MOST_SEEDS)
            seeds[used++] = read_seed(folder, entries[k]->d_name);
        free(entries[k]);
    }
    free(entries);
    return used;
}

/* Replaces a piece of out by a piece of another seed. */
static size_t splice(unsigned char *out, size_t size, const seed *other, uint32_t *random)
{
    size_t at = size ? next_random(random) % size : 0, from = other->size ? next_random(random) % other->size : 0;
    size_t cut = next_random(random) % 32, take = next_random(random) % 48;
    cut = cut > size - at ? size - at : cut;
    take = take > other->size - from ? other->size - from : take;
    if (size - cut + take > MOST_BYTES)
        return size;
    memmove(out + at + take, out + at + cut, size - at - cut);
    memcpy(out + at, other->bytes + from, take);
    return size - cut + take;
}

static size_t mutate(unsigned char *out, const seed *seeds, int count, uint32_t *random)
{
    static const char interesting[] = "0-1e999{}[]:,\"'#&*|>\n \t\x7f\xff\x80";
    const seed *from = &seeds[next_random(random) % (uint32_t)count];
    size_t size = from->size;
    memcpy(out, from->bytes, size);
    for (uint32_t k = next_random(random) % 6 + 1; k > 0; k--) {
        size_t at = size ? next_random(random) % size : 0;
        switch (next_random(random) % 4) {
        case 0:
            if (size)
                out[at] ^= (unsigned char)(1u << next_random(random) % 8);
            break;
        case 1:
            if (size)
                out[at] = (unsigned char)interesting[next_random(random) % (sizeof interesting - 1)];
            break;
        case 2:
            size = at;
            break;
        default:
            size = splice(out, size, &seeds[next_random(random) % (uint32_t)count], random);
        }
    }
    return size;
}

/* The input that is tried. Static, because a handler of signals has no other way to it. */
static struct {
    const unsigned char *bytes;
    size_t size;
} tried;

static void keep_input(int number)
{
    int file = open("failed-input", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0 && write(file, tried.bytes, tried.size) == (ssize_t)tried.size)
        close(file);
    signal(number, SIG_DFL);
    raise(number);
}

static void try_input(const unsigned char *bytes, size_t size)
{
    tried.bytes = bytes;
    tried.size = size;
    alarm(LONGEST);
    LLVMFuzzerTestOneInput(bytes, size);
    alarm(0);
}

int main(int argc, char **argv)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM };
    static seed seeds[MOST_SEEDS];
    static unsigned char input[MOST_BYTES];
    uint32_t random = 1;
    if (argc < 2)
        return 2;
    int count = read_corpus(seeds, argv[1]);
    long trials = argc > 2 ? strtol(argv[2], NULL, 10) : 500;
    random = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : random;
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++)
        signal(signals[k], keep_input);
    if (count == 0) {
        fprintf(stderr, "%s: there is nothing\n", argv[1]);
        return 1;
    }
    for (int k = 0; k < count; k++)
        try_input(seeds[k].bytes, seeds[k].size);
    for (long k = 0; k < trials; k++) {
        size_t size = mutate(input, seeds, count, &random);
        unsigned char *exact = malloc(size + 1);       /* sanitizers see a byte too many */
        if (!exact)
            return 1;
        memcpy(exact, input, size);
        try_input(exact, size);
        free(exact);
    }
    printf("%d files, %ld inputs made of them\n", count, trials);
    for (int k = 0; k < count; k++)
        free(seeds[k].bytes);
    return 0;
}
