// SPDX-License-Identifier: Apache-2.0
// The yardstick: what a C program needs that opens an evidence-v1 or evidence-v2 payload, or seals an evidence-v1 one
// (docs/FORMATS.md), of known form: its fields in our order, no escapes, found by searching for their names. It is not
// a reader for strangers' JSON.
//
//   reference open  [-2] KEY PAYLOAD [OUTPUT]    without OUTPUT the plaintext is thrown away; v2 takes -3, -4 ... too
//   reference seal  [-2] PUBLIC ORDER VIDEO OUTPUT
//   reference kernel
//
// Prints how many seconds it took, the key being in memory, and how many bytes of plaintext there were. To a file it
// takes the steps of the product: a nameless file, sync, a name, sync of the folder. -2: two threads.
#define _GNU_SOURCE
#include "base64.h"
#include "ring.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A piece of text, and a piece of video that, encoded with what comes beside it, is no longer.
enum { TEXT = 256 << 10, READ = (256 << 10) / 4 * 3 - 4096, NONCE = 12, TAG = 16, KEY = 32 };
// Of evidence-v2: its name, a full chunk, salt and commitment, chunks in a block. Blocks begin at the third chunk, where
// a group of four characters does, too; the two chunks before it and the header are a block of their own.
enum { V2 = 12, FULL = 16384, CHUNK = FULL + TAG, SALT = 24, HEADER = SALT + 32, AT_ONCE = 6, FIRST = HEADER + 2 * CHUNK };

static _Noreturn void die(const char *why) {
    fprintf(stderr, "reference: %s%s%s\n", why, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// MARK: - Files

static size_t read_full(int file, uint8_t *bytes, size_t count) {
    size_t got = 0;
    while (got < count) {
        ssize_t n = read(file, bytes + got, count - got);
        if (n < 0) die("read");
        if (n == 0) break;
        got += (size_t)n;
    }
    return got;
}

static void write_full(int file, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t n = write(file, bytes, count);
        if (n < 0) die("write");
        bytes += n;
        count -= (size_t)n;
    }
}

static int open_for_reading(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) die(path);
    return file;
}

// A file that gets its name when it is whole.
struct whole_file { int folder, file; const char *name; };

static struct whole_file begin_file(const char *path, mode_t mode) {
    struct whole_file output = {.name = basename(strdup(path))};
    output.folder = open(dirname(strdup(path)), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    output.file = openat(output.folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
    if (output.file < 0) die(path);
    return output;
}

static void publish(struct whole_file output) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", output.file);
    if (fsync(output.file) != 0 || linkat(AT_FDCWD, link, output.folder, output.name, AT_SYMLINK_FOLLOW) != 0
        || fsync(output.folder) != 0)
        die("publish");
}

// MARK: - What both directions share

static EVP_CIPHER_CTX *cipher(const uint8_t key[KEY], const uint8_t nonce[NONCE], const char *order, int seals) {
    char aad[128];
    int count = snprintf(aad, sizeof aad, "evidence-v1\nuserVideoString\n%s\n", order), written;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!EVP_CipherInit_ex2(context, EVP_aes_256_gcm(), key, nonce, seals, NULL)
        || !EVP_CipherUpdate(context, NULL, &written, (uint8_t *)aad, count))
        die("cipher");
    return context;
}

static EVP_PKEY_CTX *oaep(EVP_PKEY *key, int (*start)(EVP_PKEY_CTX *)) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    if (start(context) != 1 || EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) != 1
        || EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) != 1
        || EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) != 1)
        die("OAEP");
    return context;
}

static EVP_PKEY *read_key(const char *path, int is_private) {
    FILE *file = fopen(path, "r");
    if (!file) die(path);
    EVP_PKEY *key = is_private ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : PEM_read_PUBKEY(file, NULL, NULL, NULL);
    if (!key) die("no key");
    fclose(file);
    return key;
}

// MARK: - Opening

struct opening {
    // Where the text comes from; between reads its first `held` characters wait for more.
    int source;
    uint8_t text[TEXT + BASE64_SLACK];
    size_t held;
    int is_at_end;
    // Decrypting. The last 16 bytes are always kept back: they may be the tag.
    uint8_t key[KEY], tail[TAG];
    int is_v2;
    char order[33];
    EVP_CIPHER_CTX *context;
    // Where the plaintext goes; -1: nowhere.
    int output;
    uint64_t count;
    struct ring ring;
};

// The value of a field in the text that was read so far.
static const char *field(struct opening *o, const char *name, size_t *count) {
    char start[64];
    snprintf(start, sizeof start, "\"%s\":\"", name);
    char *value = memmem(o->text, o->held, start, strlen(start));
    if (!value) die("a field is missing, or not in our order");
    value += strlen(start);
    char *end = memchr(value, '"', o->held - (size_t)(value - (char *)o->text));
    *count = end ? (size_t)(end - value) : 0;
    return value;
}

// Reads as far as the video, unwraps its key.
static void begin(struct opening *o, EVP_PKEY *key) {
    o->held = read_full(o->source, o->text, TEXT);
    size_t count;
    const char *order = field(o, "orderNo", &count);
    if (count > 32) die("orderNo is too long");
    memcpy(o->order, order, count);

    const uint8_t *text = (const uint8_t *)field(o, "videoEncryptAESKey", &count);
    uint8_t wrapped[2048 + BASE64_SLACK], unwrapped[1024];
    if (count % 4 != 0 || count < 4 || count > 2048 || !base64_decode(text, count - 4, wrapped)) die("wrapped key");
    int last = base64_decode_last(text + count - 4, wrapped + (count - 4) / 4 * 3);
    if (last < 0) die("wrapped key");
    EVP_PKEY_CTX *context = oaep(key, EVP_PKEY_decrypt_init);
    size_t size = sizeof unwrapped;
    if (EVP_PKEY_decrypt(context, unwrapped, &size, wrapped, (count - 4) / 4 * 3 + (size_t)last) != 1 || (size != KEY && (size != V2 + KEY || memcmp(unwrapped, "evidence-v2\n", V2) != 0)))
        die("cannot open");
    EVP_PKEY_CTX_free(context);
    o->is_v2 = size != KEY;
    memcpy(o->key, unwrapped + size - KEY, KEY);

    const uint8_t *video = (const uint8_t *)field(o, "userVideoString", &count);
    o->held -= (size_t)(video - o->text);
    memmove(o->text, video, o->held);
}

// The next bytes that the text stands for; none at the end of the string.
static void read_and_decode(struct opening *o, struct slot *slot) {
    slot->start = slot->bytes + SLOT_FRONT;
    slot->count = 0;
    if (o->is_at_end) return;
    size_t count = o->held + read_full(o->source, o->text + o->held, TEXT - o->held);
    const uint8_t *end = memchr(o->text, '"', count);
    if (!end && count < TEXT) die("the string does not end");
    size_t characters = end ? (size_t)(end - o->text) : count;
    if (end && (characters % 4 != 0 || characters < 4)) die("base64");
    // The last group may be padded, and whether it is the last shows only when the quotation mark is there.
    size_t whole = (characters - 4) & ~(size_t)3;
    if (!base64_decode(o->text, whole, slot->start)) die("base64");
    slot->count = whole / 4 * 3;
    if (end) {
        int last = base64_decode_last(o->text + whole, slot->start + slot->count);
        if (last < 0) die("base64");
        slot->count += (size_t)last;
        o->is_at_end = 1;
    } else {
        o->held = count - whole;
        memmove(o->text, o->text + whole, o->held);
    }
}

static void decrypt(struct opening *o, struct slot *slot) {
    if (slot->count == 0) return;
    if (!o->context) {
        if (slot->count < NONCE + TAG) die("too short");
        o->context = cipher(o->key, slot->start, o->order, 0);
        slot->start += NONCE;
        slot->count -= NONCE;
    } else {
        slot->start -= TAG;
        slot->count += TAG;
        memcpy(slot->start, o->tail, TAG);
    }
    slot->count -= TAG;
    memcpy(o->tail, slot->start + slot->count, TAG);
    int written;
    if (!EVP_DecryptUpdate(o->context, slot->start, &written, slot->start, (int)slot->count)) die("cipher");
    o->count += slot->count;
}

static void write_out(struct opening *o, struct slot *slot) {
    if (o->output >= 0) write_full(o->output, slot->start, slot->count);
}

// The first of two threads. Writing to a file costs more than decrypting, so there the second has it to itself.
static void *produce(void *argument) {
    struct opening *o = argument;
    int is_last;
    do {
        struct slot *slot = ring_take_empty(&o->ring);
        read_and_decode(o, slot);
        slot->is_last = is_last = o->is_at_end;
        if (o->output >= 0) decrypt(o, slot);
        ring_put_filled(&o->ring);
    } while (!is_last);
    return NULL;
}

// MARK: - Opening evidence-v2

struct chunks {
    int source, output;
    // Where the characters begin, and how many sealed bytes they stand for.
    uint64_t start, sealed;
    uint64_t blocks;
    atomic_ulong next, written;
    uint8_t okm[KEY + NONCE + 32];
};

static void derive(struct chunks *c, const uint8_t key[KEY], const uint8_t header[HEADER], const char *order) {
    static const char name[] = "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM";
    uint8_t info[256];
    memcpy(info, name, sizeof name);
    memcpy(info + sizeof name, header, SALT);
    int context = snprintf(
        (char *)info + sizeof name + SALT, sizeof info - sizeof name - SALT, "evidence-v2\nuserVideoString\n%s\n", order);
    int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA512", 0),
        OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, KEY),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info, sizeof name + SALT + (size_t)context),
        OSSL_PARAM_construct_end()};
    EVP_KDF *hkdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *derivation = EVP_KDF_CTX_new(hkdf);
    if (EVP_KDF_derive(derivation, c->okm, sizeof c->okm, parameters) != 1) die("HKDF");
    EVP_KDF_CTX_free(derivation);
    EVP_KDF_free(hkdf);
    if (CRYPTO_memcmp(c->okm + KEY + NONCE, header + SALT, 32) != 0) die("cannot open");
}

static EVP_CIPHER_CTX *chunk_cipher(const struct chunks *c) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, c->okm, c->okm + KEY)) die("cipher");
    return context;
}

static uint64_t block_start(const struct chunks *c, uint64_t block) {
    uint64_t start = block == 0 ? 0 : FIRST + (block - 1) * AT_ONCE * CHUNK;
    return start < c->sealed ? start : c->sealed;
}

static void pread_full(int file, uint8_t *bytes, size_t count, uint64_t offset) {
    while (count > 0) {
        ssize_t n = pread(file, bytes, count, (off_t)offset);
        if (n <= 0) die("pread");
        bytes += n;
        count -= (size_t)n;
        offset += (uint64_t)n;
    }
}

// Opens a block: its text to its sealed bytes to its content, whose length is returned.
static size_t open_block(
    const struct chunks *c, EVP_CIPHER_CTX *context, uint64_t block, uint8_t *text, uint8_t *sealed, uint8_t *content) {
    uint64_t start = block_start(c, block), end = block_start(c, block + 1);
    int is_last = block + 1 == c->blocks;
    size_t characters = (size_t)((end + 2) / 3 * 4 - start / 3 * 4);
    pread_full(c->source, text, characters, c->start + start / 3 * 4);
    size_t whole = is_last ? characters - 4 : characters;
    if (!base64_decode(text, whole, sealed)) die("base64");
    if (is_last && base64_decode_last(text + whole, sealed + whole / 4 * 3) < 0) die("base64");
    size_t count = (size_t)(end - start), written = 0, place = block == 0 ? HEADER : 0;
    uint64_t number = block == 0 ? 0 : 2 + (block - 1) * AT_ONCE;
    for (; place < count; number++) {
        size_t left = count - place, chunk = left < CHUNK ? left : CHUNK;
        if (chunk < TAG) die("too short");
        uint8_t nonce[NONCE];
        memcpy(nonce, c->okm + KEY, NONCE);
        for (int i = 0; i < 8; i++) nonce[4 + i] ^= (uint8_t)(number >> 8 * (7 - i));
        int done, rest;
        if (!EVP_DecryptInit_ex(context, NULL, NULL, NULL, nonce)
            || !EVP_DecryptUpdate(context, content + written, &done, sealed + place, (int)(chunk - TAG))
            || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, sealed + place + chunk - TAG) != 1
            || EVP_DecryptFinal_ex(context, content + written, &rest) != 1)
            die("cannot open");
        written += (size_t)done;
        place += chunk;
    }
    return written;
}

// One of the threads: takes the next block, opens it, and writes it when its turn has come.
static void *open_blocks(void *argument) {
    struct chunks *c = argument;
    EVP_CIPHER_CTX *context = chunk_cipher(c);
    enum { SEALED = AT_ONCE * CHUNK + BASE64_SLACK };
    uint8_t *text = malloc(SEALED / 3 * 4 + 256), *sealed = malloc(SEALED), *content = malloc(SEALED);
    if (!text || !sealed || !content) die("memory");
    for (uint64_t block; (block = atomic_fetch_add(&c->next, 1)) < c->blocks;) {
        size_t count = open_block(c, context, block, text, sealed, content);
        if (c->output < 0) continue;
        while (atomic_load_explicit(&c->written, memory_order_acquire) != block) sched_yield();
        write_full(c->output, content, count);
        atomic_store_explicit(&c->written, block + 1, memory_order_release);
    }
    EVP_CIPHER_CTX_free(context);
    free(text);
    free(sealed);
    free(content);
    return NULL;
}

// Where the text ends, as we write a document: `"}` and a line feed.
static struct chunks begin_chunks(struct opening *o) {
    struct chunks c = {.source = o->source, .output = o->output};
    struct stat status;
    uint8_t end[5];
    if (fstat(o->source, &status) != 0) die("stat");
    uint64_t size = (uint64_t)status.st_size;
    c.start = (uint64_t)lseek(o->source, 0, SEEK_CUR) - o->held;
    pread_full(o->source, end, 5, size - 5);
    if (memcmp(end + 2, "\"}\n", 3) != 0 || (size - 3 - c.start) % 4 != 0) die("not in our form");
    c.sealed = (size - 3 - c.start) / 4 * 3 - (end[1] == '=') - (end[0] == '=');
    if (c.sealed < HEADER + TAG || (c.sealed - HEADER) % CHUNK < TAG) die("cannot open");
    c.blocks = c.sealed <= FIRST ? 1 : 1 + (c.sealed - FIRST + AT_ONCE * CHUNK - 1) / (AT_ONCE * CHUNK);
    uint8_t header[HEADER + 1 + BASE64_SLACK];
    if (o->held < 76 || !base64_decode(o->text, 76, header)) die("base64");
    derive(&c, o->key, header, o->order);
    return c;
}

static void open_chunks(struct opening *o, int threads) {
    struct chunks c = begin_chunks(o);
    pthread_t others[64];
    for (int i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, open_blocks, &c) != 0) die("thread");
    open_blocks(&c);
    for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);
    o->count = c.sealed - HEADER - TAG * ((c.sealed - HEADER) / CHUNK + 1);
}

static void open_payload(EVP_PKEY *key, const char *payload, const char *path, int threads) {
    struct opening *o = aligned_alloc(64, (sizeof *o + 63) / 64 * 64);
    memset(o, 0, sizeof *o);
    double start = now();
    o->source = open_for_reading(payload);
    struct whole_file file = {0};
    o->output = -1;
    if (path) {
        file = begin_file(path, 0600);
        o->output = file.file;
    }
    begin(o, key);
    if (o->is_v2) {
        open_chunks(o, threads);
    } else if (threads == 1) {
        struct slot *slot = &o->ring.slots[0];
        while (!o->is_at_end) {
            read_and_decode(o, slot);
            decrypt(o, slot);
            write_out(o, slot);
        }
    } else {
        pthread_t producer;
        if (pthread_create(&producer, NULL, produce, o) != 0) die("thread");
        int is_last;
        do {
            struct slot *slot = ring_take_filled(&o->ring);
            is_last = slot->is_last;
            if (o->output < 0) decrypt(o, slot);
            write_out(o, slot);
            ring_put_empty(&o->ring);
        } while (!is_last);
        pthread_join(producer, NULL);
    }
    int written;
    if (!o->is_v2 && (!o->context || EVP_CIPHER_CTX_ctrl(o->context, EVP_CTRL_AEAD_SET_TAG, TAG, o->tail) != 1
        || EVP_DecryptFinal_ex(o->context, o->tail, &written) != 1))
        die("cannot open");
    if (path) publish(file);
    printf("seconds\t%.6f\nbytes\t%llu\n", now() - start, (unsigned long long)o->count);
}

// MARK: - Sealing

struct sealing {
    int source, output;
    EVP_CIPHER_CTX *context;
    uint8_t plain[READ];
    // What is left over from the groups of three; the nonce at first.
    uint8_t rest[NONCE];
    size_t rest_count;
    uint64_t count;
    uint8_t text[TEXT + BASE64_SLACK];
    struct ring ring;
};

static void read_and_encrypt(struct sealing *s, struct slot *slot) {
    size_t got = read_full(s->source, s->plain, READ);
    slot->start = slot->bytes;
    memcpy(slot->start, s->rest, s->rest_count);
    slot->count = s->rest_count;
    int written;
    if (!EVP_EncryptUpdate(s->context, slot->start + slot->count, &written, s->plain, (int)got)) die("cipher");
    slot->count += got;
    s->count += got;
    slot->is_last = got < READ;
    if (slot->is_last) {
        if (!EVP_EncryptFinal_ex(s->context, NULL, &written)
            || EVP_CIPHER_CTX_ctrl(s->context, EVP_CTRL_AEAD_GET_TAG, TAG, slot->start + slot->count) != 1)
            die("cipher");
        slot->count += TAG;
    } else {
        s->rest_count = slot->count % 3;
        slot->count -= s->rest_count;
        memcpy(s->rest, slot->start + slot->count, s->rest_count);
    }
}

static void encode_and_write(struct sealing *s, struct slot *slot) {
    write_full(s->output, s->text, base64_encode(slot->start, slot->count, s->text));
}

static void *produce_sealed(void *argument) {
    struct sealing *s = argument;
    int is_last;
    do {
        struct slot *slot = ring_take_empty(&s->ring);
        read_and_encrypt(s, slot);
        is_last = slot->is_last;
        ring_put_filled(&s->ring);
    } while (!is_last);
    return NULL;
}

static void seal_video(EVP_PKEY *recipient, const char *order, const char *video, const char *path, int threads) {
    struct sealing *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    memset(s, 0, sizeof *s);
    double start = now();
    s->source = open_for_reading(video);
    struct whole_file file = begin_file(path, 0644);
    s->output = file.file;

    uint8_t key[KEY], wrapped[1024 + BASE64_SLACK], wrapped_text[2048];
    size_t wrapped_count = 1024;
    if (RAND_priv_bytes(key, KEY) != 1 || RAND_bytes(s->rest, NONCE) != 1) die("random");
    EVP_PKEY_CTX *wrapping = oaep(recipient, EVP_PKEY_encrypt_init);
    if (EVP_PKEY_encrypt(wrapping, wrapped, &wrapped_count, key, KEY) != 1) die("wrap");
    wrapped_text[base64_encode(wrapped, wrapped_count, wrapped_text)] = 0;
    int head = snprintf(
        (char *)s->text, TEXT, "{\"orderNo\":\"%s\",\"videoEncryptAESKey\":\"%s\",\"userVideoString\":\"", order,
        wrapped_text);
    write_full(s->output, s->text, (size_t)head);

    s->context = cipher(key, s->rest, order, 1);
    s->rest_count = NONCE;
    if (threads == 1) {
        struct slot *slot = &s->ring.slots[0];
        do {
            read_and_encrypt(s, slot);
            encode_and_write(s, slot);
        } while (!slot->is_last);
    } else {
        pthread_t producer;
        if (pthread_create(&producer, NULL, produce_sealed, s) != 0) die("thread");
        int is_last;
        do {
            struct slot *slot = ring_take_filled(&s->ring);
            is_last = slot->is_last;
            encode_and_write(s, slot);
            ring_put_empty(&s->ring);
        } while (!is_last);
        pthread_join(producer, NULL);
    }
    write_full(s->output, (const uint8_t *)"\"}\n", 3);
    publish(file);
    printf("seconds\t%.6f\nbytes\t%llu\n", now() - start, (unsigned long long)s->count);
}

int main(int count, char **arguments) {
    const char *verb = count > 1 ? arguments[1] : "";
    int is_told = count > 2 && arguments[2][0] == '-' && arguments[2][1] != 0;
    int threads = is_told ? atoi(arguments[2] + 1) : 1;
    if (threads < 1 || threads > 64) die("threads: 1 to 64");
    char **rest = arguments + 2 + is_told;
    int rest_count = count - 2 - is_told;
    if (strcmp(verb, "open") == 0 && (rest_count == 2 || rest_count == 3))
        open_payload(read_key(rest[0], 1), rest[1], rest_count == 3 ? rest[2] : NULL, threads);
    else if (strcmp(verb, "seal") == 0 && rest_count == 4)
        seal_video(read_key(rest[0], 0), rest[1], rest[2], rest[3], threads);
    else if (strcmp(verb, "kernel") == 0)
        puts(base64_kernel());
    else
        die("open [-N] KEY PAYLOAD [OUTPUT] | seal [-2] PUBLIC ORDER VIDEO OUTPUT | kernel");
    return 0;
}
