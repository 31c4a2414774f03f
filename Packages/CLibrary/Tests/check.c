/* SPDX-License-Identifier: Apache-2.0
 * What libevidence.so promises a C program. check KEY.PEM OTHER.PEM [THREAD ROUNDS ABANDONED]: silent where all holds.
 * check token URI PIN KEY.PEM: the same of a key on a token, KEY.PEM being a copy of it. */
#include <dirent.h>
#include <evidence.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n    last error: %s\n", __FILE__, __LINE__, #condition, evidence_last_error()); \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static const uint8_t *bytes_of(const char *text) { return (const uint8_t *)text; }

typedef struct {
    uint8_t *bytes;
    size_t count;
} content;

static content file(const char *path) {
    FILE *stream = fopen(path, "rb");
    CHECK(stream);
    content found = {malloc(1 << 16), 0};
    found.count = fread(found.bytes, 1, 1 << 16, stream);
    fclose(stream);
    return found;
}

static evidence_key *load(const char *kind, content pem) {
    evidence_key *key = NULL;
    CHECK(evidence_key_load(kind, pem.bytes, pem.count, NULL, 0, &key) == EVIDENCE_OK);
    return key;
}

/* All of a part, read in pieces of `room` bytes. */
static content part(evidence_job *job, const char *name, size_t room) {
    content found = {malloc(room), 0};
    size_t got = 0;
    do {
        found.bytes = realloc(found.bytes, found.count + room);
        CHECK(evidence_job_read(job, name, found.bytes + found.count, room, &got) == EVIDENCE_OK);
        found.count += got;
    } while (got > 0);
    return found;
}

static content video_of(size_t count) {
    content video = {malloc(count + 1), count};
    for (size_t i = 0; i < count; i++) video.bytes[i] = (uint8_t)(i * 31 + i / 251);
    return video;
}

static content seal(const evidence_key *key, const char *options, content video) {
    evidence_job *job = NULL;
    const char *report = NULL;
    CHECK(evidence_seal_new(options, &job) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(job, "recipient", key) == EVIDENCE_OK);
    CHECK(evidence_job_append(job, video.bytes, video.count) == EVIDENCE_OK);
    CHECK(evidence_job_finish(job, &report) == EVIDENCE_OK);
    CHECK(strstr(report, "\"schema\":\"evidence-sealing-1\""));
    content payload = part(job, "payload", 1000);
    evidence_job_free(job);
    return payload;
}

/* Opens a payload that is pushed in pieces; returns the last answer, and the video in *opened where there is one. */
static int32_t open_in_pieces(const evidence_key *key, const char *options, content payload, size_t piece, content *opened) {
    evidence_job *job = NULL;
    CHECK(evidence_open_new(options, &job) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
    int32_t answer = EVIDENCE_OK;
    for (size_t at = 0; at < payload.count && answer == EVIDENCE_OK; at += piece) {
        size_t left = payload.count - at;
        answer = evidence_job_append(job, payload.bytes + at, left < piece ? left : piece);
    }
    const char *report = NULL;
    if (answer == EVIDENCE_OK) {
        uint8_t byte;
        size_t got = 1;
        CHECK(evidence_job_read(job, "video", &byte, 1, &got) == EVIDENCE_STATE && got == 0);
        answer = evidence_job_finish(job, &report);
        CHECK((report != NULL) == (answer == EVIDENCE_OK));
    }
    if (answer == EVIDENCE_OK && opened) *opened = part(job, "video", 700);
    evidence_job_free(job);
    return answer;
}

static void opens(const evidence_key *key, const evidence_key *other) {
    static const char *const formats[] = {"{\"order\":\"ord1\"}", "{\"order\":\"ord1\",\"profile\":\"evidence-v1\"}"};
    static const char *const others[] = {"{\"order\":\"ord2\"}", "{\"order\":\"ord2\",\"profile\":\"evidence-v1\"}"};
    static const size_t sizes[] = {0, 1, 16384, 100000};
    static const size_t pieces[] = {1, 7, 4096, 1 << 20};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            content video = video_of(sizes[j]);
            content payload = seal(key, formats[i], video);
            for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
                content opened;
                CHECK(open_in_pieces(key, formats[i], payload, pieces[k], &opened) == EVIDENCE_OK);
                CHECK(opened.count == video.count && memcmp(opened.bytes, video.bytes, video.count) == 0);
                free(opened.bytes);
            }
            CHECK(open_in_pieces(other, formats[i], payload, 4096, NULL) == EVIDENCE_CANNOT_OPEN);
            CHECK(open_in_pieces(key, others[i], payload, 4096, NULL) == EVIDENCE_OTHER_ORDER);
            CHECK(strstr(evidence_last_error(), "\"code\":\"other-order\""));
            payload.bytes[payload.count - 40] = payload.bytes[payload.count - 40] == 'A' ? 'B' : 'A';
            CHECK(open_in_pieces(key, formats[i], payload, 4096, NULL) != EVIDENCE_OK);
            free(video.bytes);
            free(payload.bytes);
        }
    }
}

/* Parts of a video: of a file, and of bytes. */
static void opens_ranges(const evidence_key *key, const evidence_key *other) {
    static const struct { uint64_t from; size_t count; } parts[] = {
        {0, 1}, {0, 50001}, {16383, 2}, {16384, 16384}, {32767, 3}, {50000, 10}, {50001, 1}, {UINT64_MAX, 1}};
    content video = video_of(50001);
    content payload = seal(key, "{\"order\":\"ord1\"}", video);
    FILE *file = tmpfile();
    CHECK(file && fwrite(payload.bytes, 1, payload.count, file) == payload.count && fflush(file) == 0);
    off_t place = lseek(fileno(file), 0, SEEK_CUR);
    uint8_t *buffer = malloc(1 << 17);
    for (int from_file = 0; from_file < 2; from_file++) {
        evidence_job *job = NULL;
        const char *report = NULL;
        size_t got = 1;
        uint64_t size = 1;
        CHECK(evidence_ranges_new("{\"order\":\"ord1\"}", &job) == EVIDENCE_OK);
        CHECK(evidence_job_add_key(job, "video", other) == EVIDENCE_OK);
        CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
        if (from_file) {
            CHECK(evidence_job_use_file(job, fileno(file)) == EVIDENCE_OK);
        } else {
            CHECK(evidence_job_append(job, payload.bytes, 100) == EVIDENCE_OK);
            CHECK(evidence_job_append(job, payload.bytes + 100, payload.count - 100) == EVIDENCE_OK);
        }
        CHECK(evidence_job_seek(job, "video", 0) == EVIDENCE_STATE);
        CHECK(evidence_job_size(job, "video", &size) == EVIDENCE_STATE && size == 0);
        CHECK(evidence_job_finish(job, &report) == EVIDENCE_OK);
        CHECK(strstr(report, "\"schema\":\"evidence-ranges-1\"") && strstr(report, "\"byteCount\":50001"));
        CHECK(evidence_job_size(job, "video", &size) == EVIDENCE_OK && size == video.count);
        CHECK(evidence_job_size(job, "video", NULL) == EVIDENCE_ARGUMENT);
        CHECK(evidence_job_size(job, "photo", &size) == EVIDENCE_ARGUMENT);
        CHECK(evidence_job_seek(job, "photo", 0) == EVIDENCE_ARGUMENT);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            size_t left = parts[i].from < video.count ? video.count - (size_t)parts[i].from : 0;
            size_t wanted = left < parts[i].count ? left : parts[i].count;
            CHECK(evidence_job_seek(job, "video", parts[i].from) == EVIDENCE_OK);
            CHECK(evidence_job_read(job, "video", buffer, parts[i].count, &got) == EVIDENCE_OK && got == wanted);
            CHECK(wanted == 0 || !memcmp(buffer, video.bytes + parts[i].from, wanted));
        }
        evidence_job_free(job);
    }
    CHECK(lseek(fileno(file), 0, SEEK_CUR) == place);

    /* A file that is cut off while it is read: no part of what is gone, and what is there can still be read. */
    evidence_job *job = NULL;
    size_t got = 1;
    CHECK(evidence_ranges_new(NULL, &job) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
    CHECK(evidence_job_use_file(job, fileno(file)) == EVIDENCE_OK);
    CHECK(evidence_job_finish(job, NULL) == EVIDENCE_OK);
    CHECK(ftruncate(fileno(file), (off_t)payload.count / 2) == 0);
    CHECK(evidence_job_read(job, "video", buffer, 100, &got) == EVIDENCE_OK && !memcmp(buffer, video.bytes, 100));
    CHECK(evidence_job_seek(job, "video", 40000) == EVIDENCE_OK);
    CHECK(evidence_job_read(job, "video", buffer, 100, &got) == EVIDENCE_CHANGED_WHILE_READ && got == 0);
    CHECK(evidence_job_seek(job, "video", 7) == EVIDENCE_OK);
    CHECK(evidence_job_read(job, "video", buffer, 100, &got) == EVIDENCE_OK && !memcmp(buffer, video.bytes + 7, 100));
    evidence_job_free(job);

    CHECK(evidence_ranges_new("{\"field\":\"video\"}", &job) == EVIDENCE_OPTIONS && job == NULL);
    CHECK(evidence_ranges_new(NULL, &job) == EVIDENCE_OK);
    CHECK(evidence_job_finish(job, NULL) == EVIDENCE_STATE); /* without a key */
    evidence_job_free(job);
    CHECK(evidence_open_new(NULL, &job) == EVIDENCE_OK);
    CHECK(evidence_job_use_file(job, fileno(file)) == EVIDENCE_ARGUMENT);
    evidence_job_free(job);
    fclose(file);
    free(buffer);
    free(payload.bytes);
    free(video.bytes);
}

/* A document of the program's own, and what its reader does wrong. */
typedef struct {
    content document;
    enum { READS, READS_LITTLE, FAILS, ENDS, READS_TOO_MUCH, CALLS_BACK } manner;
    evidence_job *job;
    int calls;
} own;

static int32_t read_at(void *context, uint64_t offset, uint8_t *buffer, size_t room, size_t *got) {
    own *all = context;
    all->calls++;
    CHECK(room > 0 && offset < all->document.count && room <= all->document.count - offset);
    if (all->manner == CALLS_BACK) {
        const char *report;
        CHECK(evidence_job_finish(all->job, &report) == EVIDENCE_BUSY);
        CHECK(evidence_job_append(all->job, buffer, 0) == EVIDENCE_BUSY);
        evidence_job *another = NULL; /* Others are not in use. */
        CHECK(evidence_inspect_new(NULL, &another) == EVIDENCE_OK);
        evidence_job_free(another);
    }
    if (all->manner == FAILS) return -77;
    *got = all->manner == READS_LITTLE && room > 1000 ? 1000 : room;
    memcpy(buffer, all->document.bytes + offset, *got);
    if (all->manner == ENDS) *got = 0;
    if (all->manner == READS_TOO_MUCH) *got = SIZE_MAX;
    return 0;
}

static void opens_through_a_reader(const evidence_key *key) {
    content video = video_of(50001);
    own all = {seal(key, "{\"order\":\"ord1\"}", video), READS, NULL, 0};
    uint8_t *buffer = malloc(1 << 17);
    size_t got = 1;
    static const int32_t answers[] = {
        EVIDENCE_OK, EVIDENCE_OK, EVIDENCE_CANNOT_READ, EVIDENCE_CHANGED_WHILE_READ, EVIDENCE_CANNOT_READ, EVIDENCE_OK};
    for (int manner = READS; manner <= CALLS_BACK; manner++) {
        all.manner = manner;
        CHECK(evidence_ranges_new("{\"order\":\"ord1\"}", &all.job) == EVIDENCE_OK);
        CHECK(evidence_job_add_key(all.job, "video", key) == EVIDENCE_OK);
        all.calls = 0;
        CHECK(evidence_job_use_reader(all.job, read_at, &all, all.document.count) == EVIDENCE_OK && all.calls == 0);
        CHECK(evidence_job_finish(all.job, NULL) == answers[manner] && all.calls > 0);
        if (manner == FAILS) CHECK(strstr(evidence_last_error(), "-77"));
        if (answers[manner] == EVIDENCE_OK) {
            CHECK(evidence_job_seek(all.job, "video", 16380) == EVIDENCE_OK);
            CHECK(evidence_job_read(all.job, "video", buffer, 20000, &got) == EVIDENCE_OK && got == 20000);
            CHECK(!memcmp(buffer, video.bytes + 16380, got));
            /* What fails later leaves the rest as it was. */
            all.manner = FAILS;
            CHECK(evidence_job_read(all.job, "video", buffer, 100, &got) == EVIDENCE_CANNOT_READ && got == 0);
            all.manner = manner;
            CHECK(evidence_job_read(all.job, "video", buffer, 100, &got) == EVIDENCE_OK && got == 100);
            CHECK(!memcmp(buffer, video.bytes + 36380, got));
        }
        evidence_job_free(all.job);
    }
    all.manner = READS;
    /* A size that is not the document's: it ends before it does. */
    CHECK(evidence_ranges_new(NULL, &all.job) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(all.job, "video", key) == EVIDENCE_OK);
    CHECK(evidence_job_use_reader(all.job, read_at, &all, 1000) == EVIDENCE_OK);
    CHECK(evidence_job_append(all.job, buffer, 1) == EVIDENCE_STATE);
    CHECK(evidence_job_finish(all.job, NULL) == EVIDENCE_STATE);
    evidence_job_free(all.job);
    for (uint64_t size = 0; size < 2; size++) {
        CHECK(evidence_ranges_new(NULL, &all.job) == EVIDENCE_OK);
        CHECK(evidence_job_add_key(all.job, "video", key) == EVIDENCE_OK);
        CHECK(evidence_job_use_reader(all.job, read_at, &all, 1000 * size) == EVIDENCE_OK);
        CHECK(evidence_job_finish(all.job, NULL) == EVIDENCE_INVALID_JSON);
        evidence_job_free(all.job);
    }
    CHECK(evidence_ranges_new(NULL, &all.job) == EVIDENCE_OK);
    CHECK(evidence_job_use_reader(all.job, NULL, &all, 1000) == EVIDENCE_ARGUMENT);
    evidence_job_free(all.job);
    CHECK(evidence_open_new(NULL, &all.job) == EVIDENCE_OK);
    CHECK(evidence_job_use_reader(all.job, read_at, &all, 1000) == EVIDENCE_ARGUMENT);
    evidence_job_free(all.job);
    free(buffer);
    free(all.document.bytes);
    free(video.bytes);
}

/* Streams a payload that is pushed in pieces; returns the first answer that is not 0, and what came out until then. */
static int32_t stream(const evidence_key *key, const char *options, content payload, size_t piece, content *out,
                      size_t *early) {
    evidence_job *job = NULL;
    const char *report = NULL;
    uint8_t buffer[5000];
    size_t got = 1;
    uint64_t size = 1;
    *out = (content){malloc(payload.count + sizeof buffer), 0};
    CHECK(evidence_stream_new(options, &job) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
    CHECK(evidence_job_read(job, "video", buffer, sizeof buffer, &got) == EVIDENCE_OK && got == 0);
    int32_t answer = EVIDENCE_OK;
    for (size_t at = 0; at <= payload.count && answer == EVIDENCE_OK; at += piece) {
        size_t left = payload.count - at;
        *early = out->count;
        answer = evidence_job_append(job, payload.bytes + at, left < piece ? left : piece);
        if (answer == EVIDENCE_OK && left <= piece) answer = evidence_job_finish(job, &report);
        if (answer != EVIDENCE_OK) break;
        do {
            CHECK(evidence_job_read(job, "video", buffer, sizeof buffer, &got) == EVIDENCE_OK);
            memcpy(out->bytes + out->count, buffer, got);
            out->count += got;
        } while (got > 0);
        if (left <= piece) break;
        CHECK(evidence_job_size(job, "video", &size) == EVIDENCE_STATE);
        CHECK(evidence_job_read(job, "photo", buffer, 1, &got) == EVIDENCE_ARGUMENT);
    }
    if (answer == EVIDENCE_OK) {
        CHECK(strstr(report, "\"schema\":\"evidence-opening-1\"") && strstr(report, "\"tag\":\"order\""));
        CHECK(evidence_job_size(job, "video", &size) == EVIDENCE_OK && size == out->count);
        CHECK(evidence_job_seek(job, "video", 0) == EVIDENCE_ARGUMENT);
    } else {
        CHECK(evidence_job_read(job, "video", buffer, 1, &got) == EVIDENCE_STATE && got == 0 && !report);
        CHECK(evidence_job_append(job, payload.bytes, 1) == EVIDENCE_STATE);
    }
    evidence_job_free(job);
    return answer;
}

static void streams(const evidence_key *key, const evidence_key *other) {
    static const size_t sizes[] = {0, 1, 16384, 100000};
    static const size_t pieces[] = {7, 4096, 1 << 20};
    const char *const ours = "{\"order\":\"ord1\"}";
    content out;
    size_t early;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        content video = video_of(sizes[i]), payload = seal(key, ours, video);
        for (size_t j = 0; j < sizeof pieces / sizeof *pieces; j++) {
            CHECK(stream(key, j ? ours : NULL, payload, pieces[j], &out, &early) == EVIDENCE_OK);
            CHECK(out.count == video.count && !memcmp(out.bytes, video.bytes, video.count));
            /* Whole chunks come out before the rest has come in. */
            CHECK(j == 2 ? early == 0 : sizes[i] < 100000 || early >= 5 * 16384);
            free(out.bytes);
            CHECK(stream(other, ours, payload, pieces[j], &out, &early) == EVIDENCE_CANNOT_OPEN && out.count == 0);
            free(out.bytes);
            CHECK(stream(key, "{\"order\":\"ord2\"}", payload, pieces[j], &out, &early) == EVIDENCE_OTHER_ORDER);
            CHECK(out.count == 0);
            free(out.bytes);
        }
        free(payload.bytes);
        free(video.bytes);
    }
    /* Damage in the fourth chunk, or an end in it: the three before it, at most, and then an error. */
    content video = video_of(100000), payload = seal(key, ours, video);
    size_t place = (size_t)(strstr((char *)payload.bytes, "userVideoString") - (char *)payload.bytes) + 3 * 21868 + 5000;
    payload.bytes[place] = payload.bytes[place] == 'A' ? 'B' : 'A';
    for (size_t j = 0; j < sizeof pieces / sizeof *pieces; j++) {
        CHECK(stream(key, ours, payload, pieces[j], &out, &early) == EVIDENCE_CANNOT_OPEN);
        CHECK(out.count == (j == 2 ? 0 : 3 * 16384) && !memcmp(out.bytes, video.bytes, out.count));
        free(out.bytes);
        content cut = {payload.bytes, place};
        CHECK(stream(key, ours, cut, pieces[j], &out, &early) == EVIDENCE_INVALID_JSON);
        CHECK(out.count == (j == 2 ? 0 : 3 * 16384) && !memcmp(out.bytes, video.bytes, out.count));
        free(out.bytes);
    }
    free(payload.bytes);
    /* One tag for all comes last: nothing of it is a stream. */
    payload = seal(key, "{\"order\":\"ord1\",\"profile\":\"evidence-v1\"}", video);
    CHECK(stream(key, ours, payload, 4096, &out, &early) != EVIDENCE_OK && out.count == 0);
    free(out.bytes);
    free(payload.bytes);
    free(video.bytes);
    evidence_job *job = NULL;
    CHECK(evidence_stream_new("{\"profile\":\"evidence-v1\"}", &job) == EVIDENCE_OPTIONS && job == NULL);
    CHECK(evidence_stream_new(NULL, &job) == EVIDENCE_OK);
    CHECK(evidence_job_append(job, bytes_of("{"), 1) == EVIDENCE_STATE); /* without a key */
    evidence_job_free(job);
}

/* How a job gets its payload. */
enum { APPENDED, IN_A_FILE, READ_BY_US };

static int32_t rewrap(const evidence_key *key, const evidence_key *recipient, const char *options, content payload,
                      int way, content *rewrapped) {
    evidence_job *job = NULL;
    const char *report = NULL;
    own all = {payload, READS, NULL, 0};
    FILE *stream = tmpfile();
    CHECK(stream && fwrite(payload.bytes, 1, payload.count, stream) == payload.count && fflush(stream) == 0);
    CHECK(evidence_rewrap_new(options, &job) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(job, "recipient", recipient) == EVIDENCE_OK);
    CHECK((way == APPENDED    ? evidence_job_append(job, payload.bytes, payload.count)
           : way == IN_A_FILE ? evidence_job_use_file(job, fileno(stream))
                              : evidence_job_use_reader(job, read_at, &all, payload.count)) == EVIDENCE_OK);
    int32_t answer = evidence_job_finish(job, &report);
    if (answer == EVIDENCE_OK) {
        CHECK(strstr(report, "{\"schema\":\"evidence-rewrapping-1\",\"order\":\"ord1\",\"byteCount\":"));
        *rewrapped = part(job, "payload", 1000);
    }
    evidence_job_free(job);
    fclose(stream);
    return answer;
}

static void rewraps(const evidence_key *key, const evidence_key *other) {
    static const char *const ways[] = {"{\"order\":\"ord1\"}", "{\"order\":\"ord1\",\"verify\":true}"};
    content video = video_of(100000), payload = seal(key, ways[0], video), rewrapped, opened;
    for (int i = 0; i < 6; i++) {
        CHECK(rewrap(key, other, ways[i % 2], payload, i / 2, &rewrapped) == EVIDENCE_OK);
        CHECK(open_in_pieces(other, ways[0], rewrapped, 4096, &opened) == EVIDENCE_OK);
        CHECK(opened.count == video.count && !memcmp(opened.bytes, video.bytes, video.count));
        CHECK(open_in_pieces(key, ways[0], rewrapped, 4096, NULL) == EVIDENCE_CANNOT_OPEN);
        free(rewrapped.bytes);
        free(opened.bytes);
        CHECK(rewrap(other, key, ways[i % 2], payload, i / 2, &rewrapped) == EVIDENCE_CANNOT_OPEN);
        CHECK(rewrap(key, other, "{\"order\":\"ord2\"}", payload, i / 2, &rewrapped) == EVIDENCE_OTHER_ORDER);
    }
    /* Damage behind the beginning is found by whoever opens all. */
    payload.bytes[payload.count - 40] = payload.bytes[payload.count - 40] == 'A' ? 'B' : 'A';
    CHECK(rewrap(key, other, ways[1], payload, APPENDED, &rewrapped) != EVIDENCE_OK);
    CHECK(rewrap(key, other, ways[0], payload, APPENDED, &rewrapped) == EVIDENCE_OK);
    CHECK(open_in_pieces(other, ways[0], rewrapped, 4096, NULL) != EVIDENCE_OK);
    free(rewrapped.bytes);

    evidence_job *job = NULL;
    CHECK(evidence_rewrap_new(NULL, &job) == EVIDENCE_OPTIONS && job == NULL);
    for (int i = 0; i < 4; i++) {
        CHECK(evidence_rewrap_new(ways[0], &job) == EVIDENCE_OK);
        if (i != 1) CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
        if (i != 2) CHECK(evidence_job_add_key(job, "recipient", other) == EVIDENCE_OK);
        if (i == 0) CHECK(evidence_job_add_key(job, "recipient", other) == EVIDENCE_ARGUMENT);
        if (i == 3) CHECK(evidence_job_add_key(job, "statement", other) == EVIDENCE_ARGUMENT);
        CHECK(evidence_job_finish(job, NULL) == EVIDENCE_STATE);
        evidence_job_free(job);
    }
    free(payload.bytes);
    free(video.bytes);
}

/* A key that is found by its URI does what one that was loaded does. */
static void finds(const char *uri, const uint8_t *pin, size_t pin_count, const evidence_key *loaded) {
    evidence_key *key = NULL;
    CHECK(evidence_key_find(uri, pin, pin_count, &key) == EVIDENCE_OK);
    content video = video_of(50000), opened;
    content payload = seal(key, "{\"order\":\"ord1\"}", video), copy = seal(loaded, "{\"order\":\"ord1\"}", video);
    for (int i = 0; i < 2; i++) {
        CHECK(open_in_pieces(i ? loaded : key, NULL, i ? payload : copy, 4096, &opened) == EVIDENCE_OK);
        CHECK(opened.count == video.count && !memcmp(opened.bytes, video.bytes, video.count));
        free(opened.bytes);
    }
    copy.bytes[40] = copy.bytes[40] == 'A' ? 'B' : 'A';
    CHECK(open_in_pieces(key, NULL, copy, 4096, NULL) == open_in_pieces(loaded, NULL, copy, 4096, NULL));
    evidence_key_free(key);
    free(copy.bytes);
    free(payload.bytes);
    free(video.bytes);
}

static void finds_keys(const char *path, const evidence_key *loaded) {
    char uri[4096], *whole = realpath(path, NULL);
    evidence_key *key = NULL;
    snprintf(uri, sizeof uri, "file:%s", whole);
    free(whole);
    finds(uri, NULL, 0, loaded);
    CHECK(evidence_key_find(NULL, NULL, 0, &key) == EVIDENCE_ARGUMENT && !key);
    CHECK(evidence_key_find(uri, NULL, 5, &key) == EVIDENCE_ARGUMENT && !key);
    CHECK(evidence_key_find(uri, NULL, 0, NULL) == EVIDENCE_ARGUMENT);
    CHECK(evidence_key_find("file:/nowhere", NULL, 0, &key) == EVIDENCE_KEY_UNAVAILABLE && !key);
    CHECK(evidence_key_find("pkcs11:object=payload?pin-value=1234", NULL, 0, &key) == EVIDENCE_KEY_UNAVAILABLE && !key);
    CHECK(!strstr(evidence_last_error(), "1234"));
}

static int token(const char *uri, const char *pin, const char *path) {
    content pem = file(path);
    evidence_key *loaded = load("private", pem), *key = NULL;
    /* Before the token was unlocked, which holds for the process. */
    CHECK(evidence_key_find(uri, NULL, 0, &key) == EVIDENCE_PASSPHRASE_NEEDED && !key);
    CHECK(evidence_key_find(uri, bytes_of("99999"), 5, &key) == EVIDENCE_KEY_UNAVAILABLE && !key);
    finds(uri, bytes_of(pin), strlen(pin), loaded);
    evidence_key_free(loaded);
    free(pem.bytes);
    return 0;
}

/* A profile of others, whose answers are an oracle: only by a word of its own. */
static void opens_other_profiles(const evidence_key *key) {
    content video = video_of(1000);
    content payload = seal(key, "{\"order\":\"ord1\",\"profile\":\"java-default\"}", video);
    content opened;
    CHECK(open_in_pieces(key, "{\"profile\":\"java-default\"}", payload, 9, &opened) == EVIDENCE_OK);
    CHECK(opened.count == video.count && memcmp(opened.bytes, video.bytes, video.count) == 0);
    free(opened.bytes);
    CHECK(open_in_pieces(key, NULL, payload, 9, NULL) != EVIDENCE_OK);
    evidence_job *job = NULL;
    CHECK(evidence_open_new("{\"profile\":\"wbface-simple\",\"iv\":\"0123456789abcdef\"}", &job) == EVIDENCE_BAD_PROFILE);
    CHECK(job == NULL);
    const char *const alone = "{\"order\":\"ord1\",\"profile\":\"wbface-simple\",\"iv\":\"0123456789abcdef\","
                              "\"keyHolderAlone\":true}";
    content foreign = seal(key, alone, video);
    CHECK(open_in_pieces(key, alone, foreign, 9, &opened) == EVIDENCE_OK);
    CHECK(opened.count == video.count && memcmp(opened.bytes, video.bytes, video.count) == 0);
    free(opened.bytes);
    free(foreign.bytes);
    free(payload.bytes);
    free(video.bytes);
}

static void inspects_and_checks(const evidence_key *key) {
    content video = video_of(100);
    content payload = seal(key, "{\"order\":\"ord1\"}", video);
    evidence_job *job = NULL;
    const char *report = NULL;
    uint8_t byte;
    size_t got;
    CHECK(evidence_inspect_new(NULL, &job) == EVIDENCE_OK);
    CHECK(evidence_job_append(job, payload.bytes, payload.count) == EVIDENCE_OK);
    CHECK(evidence_job_finish(job, &report) == EVIDENCE_OK);
    CHECK(strstr(report, "\"schema\":\"evidence-inspection-1\""));
    CHECK(evidence_job_read(job, "video", &byte, 1, &got) == EVIDENCE_ARGUMENT);
    evidence_job_free(job);

    /* A payload alone is no result: the report says so, and nothing is kept. */
    CHECK(evidence_check_new("{\"order\":\"ord1\",\"keep\":[\"video\"]}", &job) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
    CHECK(evidence_job_append(job, payload.bytes, payload.count) == EVIDENCE_OK);
    CHECK(evidence_job_finish(job, &report) == EVIDENCE_FAILS);
    CHECK(strstr(report, "\"schema\":\"evidence-report-1\""));
    CHECK(evidence_job_read(job, "video", &byte, 1, &got) == EVIDENCE_ARGUMENT);
    evidence_job_free(job);
    free(video.bytes);
    free(payload.bytes);
}

static void signs(void) {
    /* The vendor's published example (docs/SIGN-RECIPES.md). */
    const char *const ticket = "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe";
    const char *const values = "{\"appId\":\"appId001\",\"orderNo\":\"test1480921551481\",\"code\":\"0\"}";
    char sign[41];
    CHECK(evidence_sign("front-end-result", values, bytes_of(ticket), strlen(ticket), sign, sizeof sign) == 0);
    CHECK(strlen(sign) == 40);
    CHECK(evidence_verify("front-end-result", values, bytes_of(ticket), strlen(ticket), sign) == EVIDENCE_OK);
    const uint8_t *const both[] = {bytes_of("new"), bytes_of(ticket)};
    const size_t counts[] = {3, strlen(ticket)};
    CHECK(evidence_verify_any("front-end-result", values, both, counts, 2, sign, NULL) == EVIDENCE_OK);
    CHECK(evidence_verify_any("front-end-result", values, both, counts, 1, sign, NULL) == EVIDENCE_SIGN_DOES_NOT_HOLD);
    CHECK(evidence_verify_any("front-end-result", values, both, counts, 0, sign, NULL) == EVIDENCE_ARGUMENT);
    const char *report = NULL;
    CHECK(evidence_verify_any("front-end-result", values, both, counts, 2, sign, &report) == EVIDENCE_OK);
    CHECK(strstr(report, "\"valid\":true") && strstr(report, "\"ticket\":1,"));
    CHECK(evidence_verify_any("front-end-result", values, both, counts, 1, sign, &report) == EVIDENCE_SIGN_DOES_NOT_HOLD);
    CHECK(strstr(report, "\"valid\":false") && strstr(report, "\"name\":\"mismatch\""));
    /* Of a refusal of the sign and a mistake in what it was compared with, only the one accuses. */
    CHECK(evidence_verify("front-end-result", values, bytes_of(ticket), 64, "abc") == EVIDENCE_NOT_A_SIGN);
    CHECK(evidence_verify("front-end-result", "{\"appId\":\"appId001\"}", bytes_of(ticket), 64, sign) == EVIDENCE_BAD_VALUE);
    /* Order and code are joined: other values have the same sign. */
    const char *const read_once = "{\"appId\":\"appId001\",\"orderNo\":\"0\",\"code\":\"1\"}";
    const char *const read_again = "{\"appId\":\"appId001\",\"orderNo\":\"1\",\"code\":\"0\"}";
    char joined[41];
    CHECK(evidence_sign("front-end-result", read_once, bytes_of(ticket), 64, joined, (size_t)-1) == EVIDENCE_OK);
    CHECK(evidence_verify_any("front-end-result", read_again, both, counts, 2, joined, &report) == EVIDENCE_OK);
    CHECK(strstr(report, "\"name\":\"other-reading\""));
    /* A call without a place for its report leaves the last one. */
    CHECK(evidence_verify_any("front-end-result", values, both, counts, 2, sign, NULL) == EVIDENCE_OK);
    evidence_job *unread = NULL;
    CHECK(evidence_inspect_new(NULL, &unread) == EVIDENCE_OK);
    CHECK(evidence_job_append(unread, bytes_of("{}"), 2) == EVIDENCE_OK);
    evidence_job_finish(unread, NULL);
    evidence_job_free(unread);
    CHECK(strstr(report, "\"name\":\"other-reading\""));
    CHECK(evidence_verify_any("front-end-result", values, NULL, counts, 2, sign, NULL) == EVIDENCE_ARGUMENT);
    CHECK(evidence_verify_any("front-end-result", values, both, NULL, 2, sign, NULL) == EVIDENCE_ARGUMENT);
    sign[0] = sign[0] == '0' ? '1' : '0';
    CHECK(evidence_verify("front-end-result", values, bytes_of(ticket), strlen(ticket), sign) ==
          EVIDENCE_SIGN_DOES_NOT_HOLD);
    CHECK(evidence_sign("front-end-result", values, bytes_of(ticket), strlen(ticket), sign, 40) == EVIDENCE_ARGUMENT);
    /* The caller's own text was not cut off on its way. */
    CHECK(evidence_sign("front-end-result", "{", bytes_of(ticket), strlen(ticket), sign, 41) == EVIDENCE_INVALID_JSON);
    CHECK(strstr(evidence_last_error(), "JSON library") && !strstr(evidence_last_error(), "cut off"));
    CHECK(evidence_sign("no-recipe", values, bytes_of(ticket), strlen(ticket), sign, 41) == EVIDENCE_UNKNOWN_RECIPE);
    CHECK(evidence_sign("front-end-result", "{\"appId\":1}", bytes_of(ticket), strlen(ticket), sign, 41) ==
          EVIDENCE_WRONG_TYPE);
    CHECK(evidence_sign("front-end-result", values, bytes_of("two words"), 9, sign, 41) == EVIDENCE_NOT_A_TICKET);
}

/* What a job is handed and refuses ends it: it would go on without that. */
static void ends_with_a_refusal(evidence_key *key) {
    static const int32_t answers[] = {
        EVIDENCE_ARGUMENT, EVIDENCE_ARGUMENT, EVIDENCE_ARGUMENT, EVIDENCE_ARGUMENT, EVIDENCE_HANDLE, EVIDENCE_HANDLE,
        EVIDENCE_ARGUMENT, EVIDENCE_STATE, EVIDENCE_ARGUMENT, EVIDENCE_NOT_A_TICKET, EVIDENCE_WRONG_KIND_OF_KEY,
        EVIDENCE_CANNOT_READ, EVIDENCE_STATE, EVIDENCE_STATE, EVIDENCE_NO_RANGES, EVIDENCE_NO_RANGES, EVIDENCE_ARGUMENT,
    };
    FILE *regular = tmpfile();
    int pipes[2], zero = open("/dev/zero", O_RDONLY);
    CHECK(regular && zero >= 0 && !pipe(pipes));
    content video = video_of(10);
    content payload = seal(key, "{\"order\":\"ord1\"}", video);
    for (int i = 0; i < (int)(sizeof answers / sizeof *answers); i++) {
        evidence_job *job = NULL;
        const char *report = NULL;
        int32_t answer = i < 8    ? evidence_open_new(NULL, &job)
                         : i < 11 ? evidence_check_new("{\"order\":\"ord1\"}", &job)
                                  : evidence_ranges_new(NULL, &job);
        CHECK(answer == EVIDENCE_OK);
        CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
        if (i == 7 || i == 12) CHECK(evidence_job_append(job, payload.bytes, 1) == EVIDENCE_OK);
        if (i == 13) CHECK(evidence_job_use_file(job, fileno(regular)) == EVIDENCE_OK);
        switch (i) {
        case 0: answer = evidence_job_append(job, NULL, 7); break;
        case 1: answer = evidence_job_append(job, payload.bytes, (size_t)-1); break;
        case 2: answer = evidence_job_add_key(job, NULL, key); break;
        case 3: answer = evidence_job_add_key(job, "audio", key); break;
        case 4: answer = evidence_job_add_key(job, "video", NULL); break;
        case 5: answer = evidence_job_add_key(job, "video", (evidence_key *)job); break;
        case 6: answer = evidence_job_add_ticket(job, bytes_of("ticket"), 6); break;
        case 7: answer = evidence_job_add_key(job, "video", key); break;
        case 8: answer = evidence_job_add_ticket(job, NULL, 5); break;
        case 9: answer = evidence_job_add_ticket(job, bytes_of("two words"), 9); break;
        case 10: answer = evidence_job_add_key(job, "device", key); break;
        case 11: answer = evidence_job_use_file(job, -1); break;
        case 14: answer = evidence_job_use_file(job, pipes[0]); break;
        case 15: answer = evidence_job_use_file(job, zero); break;
        case 16: answer = evidence_job_append(job, payload.bytes, (size_t)1 << 60); break;
        default: answer = evidence_job_use_file(job, fileno(regular)); break;
        }
        CHECK(answer == answers[i]);
        if (i == 12 || i == 13) CHECK(strstr(evidence_last_error(), "already has bytes or a file"));
        if (i == 14 || i == 15) CHECK(strstr(evidence_last_error(), "is not a regular file"));
        CHECK(evidence_job_append(job, payload.bytes, payload.count) == EVIDENCE_STATE);
        CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_STATE);
        CHECK(evidence_job_finish(job, &report) == EVIDENCE_STATE && report == NULL);
        evidence_job_free(job);
    }
    fclose(regular);
    close(zero), close(pipes[0]), close(pipes[1]);
    free(video.bytes);
    free(payload.bytes);
}

/* Whatever is wrong with a call has an answer. */
static void answers_misuse(evidence_key *key, content pem) {
    evidence_job *job = NULL, *second = NULL;
    evidence_key *none = NULL;
    const char *report = NULL;
    uint8_t bytes[8];
    size_t got = 7;
    CHECK(evidence_abi() == EVIDENCE_ABI);
    CHECK(strstr(evidence_version(), "\"openSSL\":\"3."));
    CHECK(!strcmp(evidence_name(0), "ok") && !strcmp(evidence_name(12345), "unknown"));
    CHECK(!strcmp(evidence_name(EVIDENCE_BUSY), "busy") && !strcmp(evidence_name(EVIDENCE_CANNOT_OPEN), "cannot-open"));

    CHECK(evidence_key_load(NULL, pem.bytes, pem.count, NULL, 0, &none) == EVIDENCE_ARGUMENT && !none);
    CHECK(evidence_key_load("secret", pem.bytes, pem.count, NULL, 0, &none) == EVIDENCE_ARGUMENT && !none);
    CHECK(evidence_key_load("\xff", pem.bytes, pem.count, NULL, 0, &none) == EVIDENCE_ARGUMENT && !none);
    CHECK(evidence_key_load("private", NULL, 5, NULL, 0, &none) == EVIDENCE_ARGUMENT && !none);
    CHECK(evidence_key_load("private", pem.bytes, (size_t)-1, NULL, 0, &none) == EVIDENCE_ARGUMENT && !none);
    CHECK(evidence_key_load("private", pem.bytes, pem.count, NULL, 5, &none) == EVIDENCE_ARGUMENT && !none);
    CHECK(evidence_key_load("private", pem.bytes, pem.count, NULL, 0, NULL) == EVIDENCE_ARGUMENT);
    CHECK(evidence_key_load("private", NULL, 0, NULL, 0, &none) == EVIDENCE_UNREADABLE_KEY && !none);
    CHECK(evidence_key_load("public", pem.bytes, pem.count, bytes_of("x"), 1, &none) == EVIDENCE_ARGUMENT && !none);
    CHECK(evidence_key_load("public", pem.bytes, pem.count, NULL, 0, &none) == EVIDENCE_WRONG_KIND_OF_KEY && !none);

    static const char *const wrong_options[] = {
        "", "null", "[]", "{", "{\"order\":1}", "{\"orders\":\"ord1\"}", "{\"order\":\"a\",\"order\":\"b\"}", "\xff",
        "{\"field\":\"audio\"}", "{\"order\":\"not an order\"}", "{\"iv\":\"hex:zz\"}",
        "{\"field\":\"photo\",\"profile\":\"java-default\"}",
    };
    for (size_t i = 0; i < sizeof wrong_options / sizeof *wrong_options; i++) {
        CHECK(evidence_open_new(wrong_options[i], &job) < 0 && job == NULL);
        CHECK(!strstr(evidence_last_error(), "cut off"));
    }
    static const char *const wrong_profiles[] = {
        "{\"iv\":\"0123456789abcdef\"}", "{\"profile\":\"java-default\",\"iv\":\"0123456789abcdef\"}",
        "{\"profile\":\"wbface-simple\",\"iv\":\"short\",\"keyHolderAlone\":true}", "{\"profile\":\"java-defualt\"}",
    };
    for (size_t i = 0; i < sizeof wrong_profiles / sizeof *wrong_profiles; i++) {
        CHECK(evidence_open_new(wrong_profiles[i], &job) == EVIDENCE_BAD_PROFILE && job == NULL);
    }
    CHECK(strstr(evidence_last_error(), "java-default"));
    CHECK(evidence_open_new(NULL, NULL) == EVIDENCE_ARGUMENT);
    CHECK(evidence_check_new(NULL, &job) == EVIDENCE_OPTIONS && job == NULL);
    CHECK(evidence_check_new("{\"order\":\"ord1\",\"keep\":[\"report\"]}", &job) == EVIDENCE_OPTIONS && job == NULL);
    CHECK(evidence_seal_new(NULL, &job) == EVIDENCE_OPTIONS && job == NULL);

    CHECK(evidence_open_new(NULL, &job) == EVIDENCE_OK);
    CHECK(evidence_job_append(job, bytes, 0) == EVIDENCE_STATE); /* without a key */
    CHECK(evidence_job_finish(job, &report) == EVIDENCE_STATE && report == NULL);
    evidence_job_free(job);
    CHECK(evidence_open_new(NULL, &job) == EVIDENCE_OK);
    CHECK(evidence_job_add_key((evidence_job *)key, "video", key) == EVIDENCE_HANDLE);
    CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
    CHECK(evidence_job_append(job, NULL, 0) == EVIDENCE_OK);
    CHECK(evidence_job_read(job, "video", bytes, 8, &got) == EVIDENCE_STATE && got == 0);
    CHECK(evidence_job_append(job, bytes_of("no JSON"), 7) == EVIDENCE_INVALID_JSON);
    CHECK(evidence_job_append(job, bytes_of("{}"), 2) == EVIDENCE_STATE);
    CHECK(evidence_job_finish(job, &report) == EVIDENCE_STATE && report == NULL);
    CHECK(evidence_job_read(job, "video", bytes, 8, &got) == EVIDENCE_STATE && got == 0);
    evidence_job_free(job);
    evidence_job_free(job);
    CHECK(evidence_job_append(job, bytes, 1) == EVIDENCE_HANDLE);
    CHECK(evidence_job_finish(job, &report) == EVIDENCE_HANDLE);
    CHECK(evidence_job_read(job, "video", bytes, 8, &got) == EVIDENCE_HANDLE);
    CHECK(evidence_job_append(NULL, bytes, 1) == EVIDENCE_HANDLE);
    CHECK(evidence_job_append((evidence_job *)bytes, bytes, 1) == EVIDENCE_HANDLE);
    evidence_job_free((evidence_job *)key);
    evidence_job_free((evidence_job *)bytes);
    evidence_job_free(NULL);
    evidence_key_free((evidence_key *)job);
    evidence_key_free(NULL);

    content video = video_of(10);
    content payload = seal(key, "{\"order\":\"ord1\"}", video);
    CHECK(evidence_open_new(NULL, &second) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(second, "video", key) == EVIDENCE_OK);
    CHECK(evidence_job_append(second, payload.bytes, payload.count) == EVIDENCE_OK);
    CHECK(evidence_job_finish(second, NULL) == EVIDENCE_OK);
    CHECK(evidence_job_finish(second, NULL) == EVIDENCE_STATE);
    CHECK(evidence_job_append(second, bytes, 1) == EVIDENCE_STATE);
    CHECK(evidence_job_read(second, NULL, bytes, 8, &got) == EVIDENCE_ARGUMENT);
    CHECK(evidence_job_read(second, "photo", bytes, 8, &got) == EVIDENCE_ARGUMENT);
    CHECK(evidence_job_read(second, "video", NULL, 8, &got) == EVIDENCE_ARGUMENT);
    CHECK(evidence_job_read(second, "video", bytes, 0, &got) == EVIDENCE_ARGUMENT);
    CHECK(evidence_job_read(second, "video", bytes, 8, NULL) == EVIDENCE_ARGUMENT);
    CHECK(evidence_job_read(second, "video", bytes, 8, &got) == EVIDENCE_OK && got == 8);
    CHECK(!memcmp(bytes, video.bytes, 8));
    evidence_job_free(second);
    free(video.bytes);
    free(payload.bytes);
}

/* Counts and offsets that nobody can mean are refused before anything is read or computed. */
static void answers_any_count(evidence_key *key, content pem) {
    static const size_t counts[] = {((size_t)1 << 20) + 1, (size_t)1 << 60, (size_t)1 << 62, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX};
    const char *const values = "{\"appId\":\"appId001\",\"orderNo\":\"o1\",\"code\":\"0\"}";
    const char *const sign = "0123456789012345678901234567890123456789", *const recipe = "front-end-result";
    const uint8_t *const tickets[] = {bytes_of("abc"), NULL};
    const size_t lengths[] = {3, 0};
    char digits[41];
    evidence_key *none = NULL;
    evidence_job *job = NULL;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        CHECK(evidence_key_load("private", pem.bytes, counts[i], NULL, 0, &none) == EVIDENCE_ARGUMENT && !none);
        CHECK(evidence_key_load("private", pem.bytes, pem.count, bytes_of("x"), counts[i], &none) == EVIDENCE_ARGUMENT);
        CHECK(evidence_key_load("private", pem.bytes, pem.count, NULL, counts[i], &none) == EVIDENCE_ARGUMENT && !none);
        CHECK(evidence_sign(recipe, values, tickets[0], counts[i], digits, 41) == EVIDENCE_ARGUMENT);
        CHECK(evidence_verify(recipe, values, tickets[0], counts[i], sign) == EVIDENCE_ARGUMENT);
        CHECK(evidence_verify_any(recipe, values, tickets, lengths, counts[i], sign, NULL) == EVIDENCE_ARGUMENT);
        CHECK(evidence_verify_any(recipe, values, tickets, &counts[i], 1, sign, NULL) == EVIDENCE_ARGUMENT);
        CHECK(evidence_check_new("{\"order\":\"ord1\"}", &job) == EVIDENCE_OK);
        CHECK(evidence_job_add_ticket(job, tickets[0], counts[i]) == EVIDENCE_ARGUMENT);
        evidence_job_free(job);
    }
    CHECK(evidence_verify(recipe, values, NULL, 0, sign) == EVIDENCE_NOT_A_TICKET);
    CHECK(evidence_verify_any(recipe, values, NULL, NULL, 0, sign, NULL) == EVIDENCE_ARGUMENT);
    CHECK(evidence_verify_any(recipe, values, tickets, lengths, 2, sign, NULL) == EVIDENCE_NOT_A_TICKET);

    /* Ages at the ends of what 64 bits hold. */
    static const char *const ages[] = {"9223372036854775807", "-9223372036854775808", "99999999999999999999", "-1", "0", "1e30"};
    static const char *const moments[] = {"9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z", "2026-11-21T08:30:00.000Z"};
    for (size_t i = 0; i < 2 * 6 * 3; i++) {
        char options[200];
        snprintf(options, sizeof options, "{\"order\":\"ord1\",\"%s\":%s,\"at\":\"%s\",\"app\":\"appId001\"}",
                 i % 2 ? "maxAge" : "deviceMaxAge", ages[i / 2 % 6], moments[i / 12]);
        int32_t answer = evidence_check_new(options, &job);
        CHECK(answer == EVIDENCE_OK || answer == EVIDENCE_OPTIONS);
        if (answer != EVIDENCE_OK) continue;
        const char *const result = "{\"isSuccess\":true,\"orderNo\":\"ord1\",\"simpleModeResult\":{}}";
        CHECK(evidence_job_add_key(job, i % 2 ? "statement" : "video", key) == EVIDENCE_OK);
        answer = evidence_job_append(job, bytes_of(result), strlen(result));
        /* Without a device's key, nothing shows the age of its signature. */
        CHECK(answer == (i % 2 ? EVIDENCE_OK : EVIDENCE_STATE));
        if (answer != EVIDENCE_OK) {
            evidence_job_free(job);
            continue;
        }
        answer = evidence_job_finish(job, NULL);
        CHECK(answer == EVIDENCE_FAILS || answer == EVIDENCE_UNCHECKED);
        evidence_job_free(job);
    }

    /* Offsets beyond the end of what is held. */
    static const uint64_t offsets[] = {9, 10, 11, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX};
    content video = video_of(10), payload = seal(key, "{\"order\":\"ord1\"}", video);
    uint8_t byte;
    size_t got;
    CHECK(evidence_open_new(NULL, &job) == EVIDENCE_OK && evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
    CHECK(evidence_job_append(job, payload.bytes, payload.count) == EVIDENCE_OK);
    CHECK(evidence_job_finish(job, NULL) == EVIDENCE_OK);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        CHECK(evidence_job_seek(job, "video", offsets[i]) == EVIDENCE_OK);
        CHECK(evidence_job_read(job, "video", &byte, 1, &got) == EVIDENCE_OK && got == (offsets[i] < 10));
    }
    evidence_job_free(job);
    free(video.bytes);
    free(payload.bytes);
}

/* Calls in any order, with anything that is not a pointer to bytes that are not there: each answer has a name, and what is right
 * goes on to work. */
static void answers_any_sequence(evidence_key *key, int count) {
    static const char *const options[] = {NULL, "{}", "{\"order\":\"ord1\"}", "{\"order\":\"ord1\",\"keep\":[\"video\"]}",
                                          "{\"field\":\"photo\"}", "{\"order\":\"ord1\",\"profile\":\"java-default\"}", "\xff"};
    static const char *const words[] = {NULL, "video", "photo", "statement", "device", "recipient", "payload", "result", ""};
    content video = video_of(3000);
    content payload = seal(key, "{\"order\":\"ord1\"}", video);
    evidence_job *jobs[5] = {NULL};
    uint8_t buffer[100];
    uint32_t seed = 1;
    for (int i = 0; i < count; i++) {
        seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
        uint32_t chosen = seed >> 4;
        evidence_job **job = &jobs[chosen % 5];
        const char *word = words[chosen / 5 % 9], *option = options[chosen / 45 % 7];
        const char *report;
        size_t got, some = chosen % 4 ? payload.count : chosen % 200;
        int32_t answer = EVIDENCE_OK;
        switch (seed & 15) {
        case 0: evidence_job_free(*job); answer = evidence_open_new(option, job); break;
        case 1: evidence_job_free(*job); answer = evidence_check_new(option, job); break;
        case 2: evidence_job_free(*job); answer = evidence_seal_new(option, job); break;
        case 3:
            evidence_job_free(*job);
            answer = chosen % 3 == 0   ? evidence_inspect_new(option, job)
                     : chosen % 3 == 1 ? evidence_stream_new(option, job)
                                       : evidence_rewrap_new(option, job);
            break;
        case 4: answer = evidence_job_add_ticket(*job, chosen % 3 ? bytes_of("ticket") : NULL, chosen % 7); break;
        case 5: evidence_job_free(*job); if (chosen % 2) answer = evidence_ranges_new(option, job); break;
        case 6: case 7: case 8: answer = evidence_job_add_key(*job, chosen % 7 ? "video" : word, chosen % 5 ? key : (evidence_key *)*job); break;
        case 9: case 10: case 11: answer = evidence_job_append(*job, payload.bytes, some); break;
        case 12: answer = evidence_job_finish(*job, &report); break;
        case 13: answer = chosen % 3 ? evidence_job_finish(*job, &report) : evidence_job_seek(*job, word, chosen % 5000); break;
        default: answer = evidence_job_read(*job, word, chosen % 9 ? buffer : NULL, chosen % 101, &got);
        }
        CHECK(strcmp(evidence_name(answer), "unknown"));
        if (i % 1000 == 0) CHECK(open_in_pieces(key, NULL, payload, 999, NULL) == EVIDENCE_OK);
    }
    for (int i = 0; i < 5; i++) evidence_job_free(jobs[i]);
    free(payload.bytes);
    free(video.bytes);
}

/* A child after fork: keys go on, jobs of the parent do not. */
static void forks(const evidence_key *key) {
    content video = video_of(100000);
    content payload = seal(key, "{\"order\":\"ord1\"}", video);
    evidence_job *job = NULL, *done = NULL;
    const char *report = NULL;
    uint8_t byte;
    size_t got;
    CHECK(evidence_open_new(NULL, &job) == EVIDENCE_OK && evidence_open_new(NULL, &done) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK && evidence_job_add_key(done, "video", key) == EVIDENCE_OK);
    CHECK(evidence_job_append(job, payload.bytes, payload.count) == EVIDENCE_OK);
    CHECK(evidence_job_append(done, payload.bytes, payload.count) == EVIDENCE_OK);
    CHECK(evidence_job_finish(done, NULL) == EVIDENCE_OK);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(evidence_job_append(job, payload.bytes, 1) == EVIDENCE_STATE);
        CHECK(evidence_job_finish(job, &report) == EVIDENCE_STATE && report == NULL);
        CHECK(evidence_job_read(done, "video", &byte, 1, &got) == EVIDENCE_STATE);
        evidence_job_free(job);
        evidence_job_free(done);
        CHECK(open_in_pieces(key, NULL, payload, 999, NULL) == EVIDENCE_OK);
        _exit(0);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(evidence_job_finish(job, &report) == EVIDENCE_OK && report != NULL);
    evidence_job_free(job);
    evidence_job_free(done);
    free(payload.bytes);
    free(video.bytes);
}

/* Without standard input, no file of the library's takes its place. */
static void runs_without_standard_input(const evidence_key *key) {
    content video = video_of(9000000);
    int input = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    evidence_job *job = NULL;
    CHECK(evidence_seal_new("{\"order\":\"ord1\"}", &job) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(job, "recipient", key) == EVIDENCE_OK);
    CHECK(evidence_job_append(job, video.bytes, video.count) == EVIDENCE_OK);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) == -1);
    CHECK(evidence_job_finish(job, NULL) == EVIDENCE_OK);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) == -1);
    content payload = part(job, "payload", 1 << 20);
    evidence_job_free(job);
    CHECK(open_in_pieces(key, NULL, payload, 1 << 20, NULL) == EVIDENCE_OK);
    if (input >= 0) {
        dup2(input, STDIN_FILENO);
        close(input);
    }
    free(payload.bytes);
    free(video.bytes);
}

/* Threads: one key for all, payloads good and bad; and a job that all of them fight for. */

typedef struct {
    const evidence_key *key, *other;
    content payload, video;
    evidence_job *contended;
    int rounds;
} shared;

static void *work(void *argument) {
    const shared *all = argument;
    for (int i = 0; i < all->rounds; i++) {
        content opened;
        CHECK(open_in_pieces(all->key, "{\"order\":\"ord1\"}", all->payload, 997, &opened) == EVIDENCE_OK);
        CHECK(opened.count == all->video.count && !memcmp(opened.bytes, all->video.bytes, opened.count));
        free(opened.bytes);
        CHECK(open_in_pieces(all->other, NULL, all->payload, 997, NULL) == EVIDENCE_CANNOT_OPEN);
        CHECK(strstr(evidence_last_error(), "cannot-open"));
        CHECK(open_in_pieces(all->key, "{\"order\":\"ord2\"}", all->payload, 997, NULL) == EVIDENCE_OTHER_ORDER);
        CHECK(strstr(evidence_last_error(), "other-order"));
        signs();
    }
    return NULL;
}

static void *fight(void *argument) {
    shared *all = argument;
    for (int i = 0; i < 100 * all->rounds; i++) {
        int32_t answer = evidence_job_append(all->contended, bytes_of(" "), 1);
        CHECK(answer == EVIDENCE_OK || answer == EVIDENCE_BUSY || answer == EVIDENCE_HANDLE);
        if (i == 50 * all->rounds) evidence_job_free(all->contended);
    }
    return NULL;
}

/* A job that is freed while it is being finished: the answer is one of the two, and the report can be read. */
static void *finish(void *argument) {
    shared *all = argument;
    const char *report = NULL;
    int32_t answer = evidence_job_finish(all->contended, &report);
    CHECK(answer == EVIDENCE_HANDLE || (answer == EVIDENCE_OK && strstr(report, "\"schema\":\"evidence-sealing-1\"")));
    return NULL;
}

static void frees_while_it_is_finished(const evidence_key *key, int rounds) {
    for (int i = 0; i < 10 * rounds; i++) {
        shared all = {key, NULL, {NULL, 0}, video_of(200000), NULL, 0};
        CHECK(evidence_seal_new("{\"order\":\"ord1\"}", &all.contended) == EVIDENCE_OK);
        CHECK(evidence_job_add_key(all.contended, "recipient", key) == EVIDENCE_OK);
        CHECK(evidence_job_append(all.contended, all.video.bytes, all.video.count) == EVIDENCE_OK);
        pthread_t thread;
        CHECK(!pthread_create(&thread, NULL, finish, &all));
        usleep((useconds_t)(i * 37 % 1000));
        evidence_job_free(all.contended);
        CHECK(!pthread_join(thread, NULL));
        free(all.video.bytes);
    }
}

static void run(void *(*body)(void *), shared *all) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) CHECK(!pthread_create(&threads[i], NULL, body, all));
    for (int i = 0; i < 8; i++) CHECK(!pthread_join(threads[i], NULL));
}

static void threads(const evidence_key *key, const evidence_key *other, int rounds) {
    shared all = {key, other, {NULL, 0}, video_of(50000), NULL, rounds};
    all.payload = seal(key, "{\"order\":\"ord1\"}", all.video);
    run(work, &all);
    CHECK(evidence_open_new(NULL, &all.contended) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(all.contended, "video", key) == EVIDENCE_OK);
    run(fight, &all);
    CHECK(evidence_job_append(all.contended, bytes_of(" "), 1) == EVIDENCE_HANDLE);
    frees_while_it_is_finished(key, rounds);
    free(all.payload.bytes);
    free(all.video.bytes);
}

/* Handles that are given up at every state leave no memory and no descriptor. */

static long resident_kib(void) {
    long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    CHECK(statm && fscanf(statm, "%*d %ld", &pages) == 1);
    fclose(statm);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    CHECK(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

static void abandon_some(evidence_key *key, content pem, content payload, int count) {
    for (int i = 0; i < count; i++) {
        evidence_job *job = NULL;
        int state = i % 10;
        if (state == 9) {
            CHECK(evidence_check_new("{\"order\":\"ord1\",\"keep\":[\"video\",\"photo\"]}", &job) == EVIDENCE_OK);
        } else {
            CHECK(evidence_open_new("{\"order\":\"ord1\"}", &job) == EVIDENCE_OK);
        }
        if (state > 0) CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
        /* The private key is asked in few of them: it is what costs. */
        size_t some = state == 5 && i % 100 == 5 ? payload.count - 3 : state > 1 ? 60 : 0;
        if (some) CHECK(evidence_job_append(job, payload.bytes, some) == EVIDENCE_OK);
        if (state == 3) CHECK(evidence_job_append(job, bytes_of("\x01"), 1) != EVIDENCE_OK);
        if (state == 7) CHECK(evidence_job_finish(job, NULL) != EVIDENCE_OK);
        evidence_job_free(job);
        if (i % 500 == 0) evidence_key_free(load("private", pem));
    }
}

/* What a stream released and nobody reads is bounded in memory, too, and comes out whole. */
static void releases_little(const evidence_key *key) {
    content video = video_of(30000000);
    content payload = seal(key, "{\"order\":\"ord1\"}", video);
    evidence_job *job = NULL;
    uint8_t *piece = malloc(1 << 18);
    size_t got = 1, count = 0;
    long memory = resident_kib();
    CHECK(evidence_stream_new(NULL, &job) == EVIDENCE_OK);
    CHECK(evidence_job_add_key(job, "video", key) == EVIDENCE_OK);
    CHECK(evidence_job_append(job, payload.bytes, payload.count) == EVIDENCE_OK);
    long grown = resident_kib() - memory;
    if (grown > 10240) fprintf(stderr, "a stream of 40 MB holds %ld KiB\n", grown);
    CHECK(grown <= 10240);
    for (int i = 0; i < 2; i++) {
        do {
            CHECK(evidence_job_read(job, "video", piece, 1 << 18, &got) == EVIDENCE_OK);
            CHECK(got <= video.count - count && !memcmp(piece, video.bytes + count, got));
            count += got;
        } while (got > 0);
        if (i == 0) CHECK(evidence_job_finish(job, NULL) == EVIDENCE_OK);
    }
    CHECK(count == video.count);
    evidence_job_free(job);
    free(piece);
    free(payload.bytes);
    free(video.bytes);
}

/* What waits for its key is bounded in memory, in whatever pieces it comes. */
static void holds_little(const evidence_key *key) {
    content video = video_of(30000000);
    content payload = seal(key, "{\"order\":\"ord1\"}", video);
    long memory = resident_kib();
    evidence_job *jobs[3];
    for (int i = 0; i < 3; i++) {
        CHECK(evidence_open_new(NULL, &jobs[i]) == EVIDENCE_OK);
        CHECK(evidence_job_add_key(jobs[i], "video", key) == EVIDENCE_OK);
        CHECK(evidence_job_append(jobs[i], payload.bytes, payload.count) == EVIDENCE_OK);
    }
    long grown = resident_kib() - memory;
    if (grown > 3 * 10240) fprintf(stderr, "three jobs of 40 MB hold %ld KiB\n", grown);
    CHECK(grown <= 3 * 10240);
    for (int i = 0; i < 3; i++) evidence_job_free(jobs[i]);
    free(payload.bytes);
    free(video.bytes);
}

static void abandons(evidence_key *key, content pem, int count) {
    content video = video_of(40000);
    content payload = seal(key, "{\"order\":\"ord1\"}", video);
    abandon_some(key, pem, payload, count / 4);
    long memory = resident_kib();
    int open_before = descriptors();
    abandon_some(key, pem, payload, count);
    CHECK(descriptors() == open_before);
    /* What an allocator keeps is bounded, and no multiple of the handles: a byte for each would be more. */
    long grown = resident_kib() - memory;
    if (grown > count / 1024 && grown > 64) fprintf(stderr, "%d handles left %ld KiB\n", count, grown);
    CHECK(grown <= 64 + count / 1024);
    free(video.bytes);
    free(payload.bytes);
}

int main(int count, char **arguments) {
    CHECK(count >= 3);
    if (count == 5 && !strcmp(arguments[1], "token")) return token(arguments[2], arguments[3], arguments[4]);
    content pem = file(arguments[1]), other_pem = file(arguments[2]);
    evidence_key *key = load("private", pem), *other = load("private", other_pem);
    opens(key, other);
    opens_ranges(key, other);
    opens_through_a_reader(key);
    streams(key, other);
    rewraps(key, other);
    finds_keys(arguments[1], key);
    opens_other_profiles(key);
    inspects_and_checks(key);
    signs();
    ends_with_a_refusal(key);
    answers_misuse(key, pem);
    answers_any_count(key, pem);
    answers_any_sequence(key, 20000);
    forks(key);
    runs_without_standard_input(key);
    threads(key, other, count > 3 ? atoi(arguments[3]) : 2);
    if (count > 4) holds_little(key);
    if (count > 4) releases_little(key);
    if (count > 4 && atoi(arguments[4]) > 0) abandons(key, pem, atoi(arguments[4]));
    evidence_key_free(key);
    evidence_key_free(key);
    evidence_key_free(other);
    free(pem.bytes);
    free(other_pem.bytes);
    return 0;
}
