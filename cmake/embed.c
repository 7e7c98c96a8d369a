/* Turns a text file into C: embed INPUT OUTPUT NAME writes "const char NAME[]", with a zero at its end. */
#include <stdio.h>
#include <stdlib.h>

enum { BYTES_A_LINE = 32 };

static int fail(const char *path)
{
    perror(path);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: embed INPUT OUTPUT NAME\n");
        return EXIT_FAILURE;
    }
    FILE *in = fopen(argv[1], "rb");
    if (!in)
        return fail(argv[1]);
    FILE *out = fopen(argv[2], "w");
    if (!out)
        return fail(argv[2]);
    fprintf(out, "extern const char %s[];\nconst char %s[] = {\n", argv[3], argv[3]);
    int byte, count = 0;
    while ((byte = fgetc(in)) != EOF)
        fprintf(out, "%d,%s", byte < 128 ? byte : byte - 256, ++count % BYTES_A_LINE == 0 ? "\n" : "");
    fprintf(out, "0\n};\n");
    if (ferror(in))
        return fail(argv[1]);
    fclose(in);
    return fclose(out) == 0 ? EXIT_SUCCESS : fail(argv[2]);
}
