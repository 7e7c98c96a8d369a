/* Invariants: conditions that hold unless the code is wrong, such as an index within its array. Never for what a user,
 * a file or a full memory can cause: those are error codes.
 *
 * On in debug and sanitizer builds (TENON_ASSERTIONS), where a broken one ends the program with its place. Otherwise it
 * costs nothing and is not evaluated. The name is not assert.h, which is the C library's. */
#ifndef TN_BASE_TN_ASSERT_H
#define TN_BASE_TN_ASSERT_H

#ifdef TENON_ASSERTIONS
_Noreturn void tn_assert_failed(const char *condition, const char *file, int line);
#define TN_ASSERT(condition) ((condition) ? (void)0 : tn_assert_failed(#condition, __FILE__, __LINE__))
#else
#define TN_ASSERT(condition) ((void)(0 && (condition)))
#endif
/* 0 <= index < count, of any integer types. */
#define TN_ASSERT_INDEX(index, count) TN_ASSERT((index) >= 0 && (size_t)(index) < (size_t)(count))

#endif
