/* Sealed bytes: AES-256-GCM. Layout: 12 bytes nonce, 16 bytes tag, the encrypted bytes. The nonce is a keyed hash of the bytes,
 * so that equal bytes have equal seals: state hashes and replays stay the same. */
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <string.h>
#include "net.h"
#include "tenon/context.h"

enum { NONCE = 12, TAG = 16 };

int tn_seal_key(unsigned char key[TN_SEAL_KEY])
{
    return RAND_bytes(key, TN_SEAL_KEY) == 1 ? TN_OK : TN_ERROR_FILE;
}

int tn_seal_derive(unsigned char out[TN_SEAL_KEY], const unsigned char key[TN_SEAL_KEY], const char *name)
{
    unsigned char hash[EVP_MAX_MD_SIZE];
    if (!HMAC(EVP_sha256(), key, TN_SEAL_KEY, (const unsigned char *)name, strlen(name), hash, NULL))
        return TN_ERROR_FILE;
    memcpy(out, hash, TN_SEAL_KEY);
    return TN_OK;
}

int tn_seal(unsigned char *out, const unsigned char key[TN_SEAL_KEY], const void *bytes, size_t size)
{
    int length, rest;
    unsigned char hash[EVP_MAX_MD_SIZE];
    EVP_CIPHER_CTX *c = size <= INT_MAX ? EVP_CIPHER_CTX_new() : NULL;
    bool hashed = c && HMAC(EVP_sha256(), key, TN_SEAL_KEY, bytes, size, hash, NULL);
    if (hashed)
        memcpy(out, hash, NONCE);
    bool good = hashed && EVP_EncryptInit_ex(c, EVP_aes_256_gcm(), NULL, key, out) == 1 &&
                EVP_EncryptUpdate(c, out + NONCE + TAG, &length, bytes, (int)size) == 1 &&
                EVP_EncryptFinal_ex(c, out + NONCE + TAG + length, &rest) == 1 &&
                EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, TAG, out + NONCE) == 1;
    EVP_CIPHER_CTX_free(c);
    return good ? TN_OK : TN_ERROR_ARGUMENT;
}

int tn_unseal(void *out, const unsigned char key[TN_SEAL_KEY], const unsigned char *sealed, size_t size)
{
    int length, rest;
    if (size < NONCE + TAG || size > INT_MAX)
        return TN_ERROR_ARGUMENT;
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    bool good = c && EVP_DecryptInit_ex(c, EVP_aes_256_gcm(), NULL, key, sealed) == 1 &&
                EVP_DecryptUpdate(c, out, &length, sealed + NONCE + TAG, (int)(size - NONCE - TAG)) == 1 &&
                EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_TAG, TAG, (void *)(sealed + NONCE)) == 1 &&
                EVP_DecryptFinal_ex(c, (unsigned char *)out + length, &rest) == 1;
    EVP_CIPHER_CTX_free(c);
    return good ? TN_OK : TN_ERROR_ARGUMENT;
}
