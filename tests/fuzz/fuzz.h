/* A fuzz target: one function that takes bytes and must return, whatever they are. The name is libFuzzer's; AFL++ takes it
 * as well. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
