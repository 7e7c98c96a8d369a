/* Sealed bytes: whoever lacks the key, or has that of another component, neither reads nor changes them. */
#include "near.h"
#include <string.h>
#include "net.h"
#include "tenon/context.h"

enum { SIZE = 100 };

typedef struct sealed {
    unsigned char key[TN_SEAL_KEY], plain[SIZE], bytes[SIZE + TN_SEAL_SIZE];
} sealed;

static sealed make_sealed(void)
{
    sealed s;
    for (size_t k = 0; k < sizeof s.key; k++)
        s.key[k] = (unsigned char)(3 * k + 1);
    for (size_t k = 0; k < sizeof s.plain; k++)
        s.plain[k] = (unsigned char)(7 * k);
    assert_int_equal(tn_seal(s.bytes, s.key, s.plain, SIZE), TN_OK);
    return s;
}

static void sealed_bytes_come_back(void **state)
{
    (void)state;
    sealed s = make_sealed(), again = make_sealed();
    unsigned char out[SIZE];
    assert_int_equal(tn_unseal(out, s.key, s.bytes, sizeof s.bytes), TN_OK);
    assert_memory_equal(out, s.plain, SIZE);
    assert_memory_equal(s.bytes, again.bytes, sizeof s.bytes);         /* state hashes depend on it */
}

static void a_change_of_any_byte_is_noticed(void **state)
{
    (void)state;
    sealed s = make_sealed();
    unsigned char out[SIZE];
    for (size_t k = 0; k < sizeof s.bytes; k++) {
        s.bytes[k] ^= 0x10;
        assert_true(tn_unseal(out, s.key, s.bytes, sizeof s.bytes) < 0);
        s.bytes[k] ^= 0x10;
    }
    for (size_t size = 0; size < sizeof s.bytes; size++)
        assert_true(tn_unseal(out, s.key, s.bytes, size) < 0);
}

static void keys_of_names_differ(void **state)
{
    (void)state;
    sealed s = make_sealed();
    unsigned char left[TN_SEAL_KEY], right[TN_SEAL_KEY], out[SIZE];
    assert_int_equal(tn_seal_derive(left, s.key, "left"), TN_OK);
    assert_int_equal(tn_seal_derive(right, s.key, "right"), TN_OK);
    assert_int_equal(tn_seal(s.bytes, left, s.plain, SIZE), TN_OK);
    assert_true(tn_unseal(out, right, s.bytes, sizeof s.bytes) < 0);
    assert_true(tn_unseal(out, s.key, s.bytes, sizeof s.bytes) < 0);
    assert_int_equal(tn_seal_derive(s.key, s.key, "left"), TN_OK);     /* in place */
    assert_int_equal(tn_unseal(out, s.key, s.bytes, sizeof s.bytes), TN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sealed_bytes_come_back),
        cmocka_unit_test(a_change_of_any_byte_is_noticed),
        cmocka_unit_test(keys_of_names_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
