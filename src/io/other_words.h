/* Words that other programs use for the keys of model files. */
#ifndef TN_IO_OTHER_WORDS_H
#define TN_IO_OTHER_WORDS_H

typedef struct tn_other_word {
    const char *section;       /* name of the section where it was written */
    const char *words;         /* words of other programs, with a space around each */
    const char *key;           /* the key of that section with this meaning; NULL: there is none */
    const char *hint;          /* where key is NULL: what to write instead */
} tn_other_word;

/* Ends with section NULL. */
extern const tn_other_word tn_other_words[];

#endif
