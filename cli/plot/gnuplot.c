/* Starts gnuplot, and writes the style of all pictures. */
#include "gnuplot.h"
#include "plain_text.h"
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_THERE = 127 };              /* exit status of a program that was not found, as in shells */
enum { MESSAGE_LINES = 5 };            /* of gnuplot's own words */

/* Okabe and Ito's palette without the yellow, which paper swallows. */
static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9" };
/* Their number has no factor in common with that of the colours: a pair returns after 35 lines only. */
static const char *const dashes[] = { "solid", "(16,6)", "(18,5,4,5)", "(4,4)", "(24,5,4,5,4,5)" };
enum { COLOURS = sizeof colours / sizeof colours[0], DASHES = sizeof dashes / sizeof dashes[0] };

/* In the child: the files take the places of standard input, output and error. */
static void become_gnuplot(const char *folder, int script, int out, int messages)
{
    bool placed = dup2(script, STDIN_FILENO) >= 0 && (out < 0 || dup2(out, STDOUT_FILENO) >= 0) &&
                  dup2(messages, STDERR_FILENO) >= 0 && (!folder || chdir(folder) == 0);
    if (placed)
        execlp("gnuplot", "gnuplot", "--default-settings", "-", (char *)NULL);
    _exit(NOT_THERE);
}

/* Exit status of gnuplot; NOT_THERE also when no process could be made. */
static int run_gnuplot(const char *folder, int script, int out, int messages)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(folder, script, out, messages);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return NOT_THERE;
    if (child < 0)
        return NOT_THERE;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* The lines that say something: gnuplot also repeats the command and points at it. */
static void repeat_messages(FILE *messages)
{
    char line[512];
    rewind(messages);
    for (int shown = 0; shown < MESSAGE_LINES && fgets(line, sizeof line, messages);) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t^")] == '\0')
            continue;
        fprintf(stderr, "tenon: gnuplot: %s\n", line);
        shown++;
    }
}

tn_gnuplot_end tn_gnuplot_run(FILE *script, const char *folder, FILE *out)
{
    FILE *messages = tmpfile();
    if (!messages || fflush(script) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0) {
        fprintf(stderr, "tenon: error: no temporary file for gnuplot: %s\n", strerror(errno));
        if (messages)
            fclose(messages);
        return TN_GNUPLOT_FAILED;
    }
    int status = run_gnuplot(folder, fileno(script), out ? fileno(out) : -1, fileno(messages));
    if (status == NOT_THERE)
        fputs("tenon: gnuplot is not installed: apt-get install gnuplot-nox\n", stderr);
    else if (status != 0)
        repeat_messages(messages);
    fclose(messages);
    return status == 0 ? TN_GNUPLOT_DONE : status == NOT_THERE ? TN_GNUPLOT_MISSING : TN_GNUPLOT_FAILED;
}

void tn_gnuplot_style(FILE *script, double scale)
{
    fputs("set encoding utf8\nset minussign\nset datafile missing NaN\n", script);
    fputs("set tics nomirror out scale 0.6\nset format '%h'\n", script);
    fprintf(script, "set border 3 lc rgb '#444444' lw %g\n", scale);
    fprintf(script, "set grid lt 1 lc rgb '#dddddd' lw %g\n", 0.6 * scale);
    for (int k = 0; k < COLOURS * DASHES; k++)
        fprintf(script, "set style line %d lc rgb '%s' dt %s lw %g\n", k + 1, colours[k % COLOURS],
                dashes[k % DASHES], 1.6 * scale);
}

int tn_gnuplot_line_style(size_t series)
{
    return (int)(series % (COLOURS * DASHES)) + 1;
}

/* In single quotes nothing is special but their end. That is given by its code, for a doubled quote, as the manual has
 * it, does not work at the start of a text, and gnuplot's macros do not see where texts with quotes end. */
void tn_gnuplot_quote(FILE *script, const char *text)
{
    char character[TN_PLAIN_SIZE];
    fputc('\'', script);
    for (size_t taken; (taken = tn_plain_next(character, text)) > 0; text += taken)
        fputs(character[0] == '\'' ? "'.\"\\047\".'" : character, script);
    fputc('\'', script);
}

void tn_gnuplot_log_axis(FILE *script, const char *axis)
{
    fprintf(script, "set logscale %s\nset format %s '10^{%%T}'\n", axis, axis);
}
