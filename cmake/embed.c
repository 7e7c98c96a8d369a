/* Turns files into C.
 *
 *     embed INPUT OUTPUT NAME             writes "const char NAME[]" with the text of a file and a zero at its end
 *     embed --files MANIFEST OUTPUT NAME  writes "const tn_page_file NAME[]" (page.h) with the files of a manifest, whose
 *                                         lines are: path, content type, "gzip" or "plain", file; separated by tabs */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_A_LINE = 32, LINE_SIZE = 8192, FILE_LIMIT = 1000 };

static int fail(const char *path)
{
    perror(path);
    return EXIT_FAILURE;
}

/* The bytes of a file as numbers. False: it cannot be read. */
static int write_bytes(FILE *out, const char *path, int is_signed)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return 0;
    int byte, count = 0;
    while ((byte = fgetc(in)) != EOF)
        fprintf(out, "%d,%s", !is_signed || byte < 128 ? byte : byte - 256, ++count % BYTES_A_LINE == 0 ? "\n" : "");
    int good = !ferror(in);
    fclose(in);
    return good;
}

static int embed_text(const char *input, FILE *out, const char *name)
{
    fprintf(out, "extern const char %s[];\nconst char %s[] = {\n", name, name);
    if (!write_bytes(out, input, 1))
        return fail(input);
    fprintf(out, "0\n};\n");
    return EXIT_SUCCESS;
}

/* One array for each file, then the table of them. */
static int embed_files(const char *manifest, FILE *out, const char *name)
{
    static char rows[FILE_LIMIT][LINE_SIZE];
    char line[LINE_SIZE];
    int count = 0;
    FILE *in = fopen(manifest, "r");
    if (!in)
        return fail(manifest);
    fprintf(out, "#include \"page.h\"\n\nextern const tn_page_file %s[];\n", name);
    while (count < FILE_LIMIT && fgets(line, sizeof line, in)) {
        char *path = strtok(line, "\t\n"), *type = strtok(NULL, "\t\n"), *packing = strtok(NULL, "\t\n");
        char *file = strtok(NULL, "\t\n");
        if (!file)
            continue;
        fprintf(out, "static const unsigned char file_%d[] = {\n", count);
        if (!write_bytes(out, file, 0))
            return fail(file);
        fprintf(out, "};\n");
        snprintf(rows[count], LINE_SIZE, "    { \"%.1000s\", \"%.100s\", %d, file_%d, sizeof file_%d },\n", path, type,
                 strcmp(packing, "gzip") == 0, count, count);
        count++;
    }
    fclose(in);
    fprintf(out, "const tn_page_file %s[] = {\n", name);
    for (int k = 0; k < count; k++)
        fputs(rows[k], out);
    fprintf(out, "    { 0, 0, 0, 0, 0 },\n};\n");
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int files = argc == 5 && strcmp(argv[1], "--files") == 0;
    if (argc != 4 && !files) {
        fprintf(stderr, "usage: embed [--files] INPUT OUTPUT NAME\n");
        return EXIT_FAILURE;
    }
    argv += files;
    FILE *out = fopen(argv[2], "w");
    if (!out)
        return fail(argv[2]);
    int status = files ? embed_files(argv[1], out, argv[3]) : embed_text(argv[1], out, argv[3]);
    return fclose(out) == 0 ? status : fail(argv[2]);
}
