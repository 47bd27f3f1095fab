/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ISA-L's erasure code as a child of `paritas bench`, which measures its own coders in turns with it.
 *
 *   asked on stdin                          answered on stdout
 *   (nothing)                               isa-l VERSION, with GFNI or without GFNI
 *   stripe K R LENGTH, then K*LENGTH bytes  ok
 *   encode NANOS                            BYTES NANOS CRC...   (of data; taken; CRC-32 of each unit that was made)
 *   decode E NANOS                          the same: data units 0..E-1, of the other ones and the first E parity units
 *
 * Only ec_encode_data is inside the time: its tables are made before, as HDFS's native coder keeps them. The generator is
 * that of HDFS's codec rs. It ends with its input.
 */
#include <isa-l.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Libraries before 2.31 have neither. */
extern void ec_encode_data_avx2_gfni(int, int, int, unsigned char *, unsigned char **, unsigned char **) __attribute__((weak));
extern void ec_encode_data_avx512_gfni(int, int, int, unsigned char *, unsigned char **, unsigned char **)
    __attribute__((weak));

enum { MAX_UNITS = 256, LINE = 64, STAGGER = 5 * LINE };

static int k, r, length;
static unsigned char *memory;
static unsigned char *units[MAX_UNITS];   /* k of data, r of parity */
static unsigned char *outputs[MAX_UNITS]; /* of decoding */
static unsigned char *generator;          /* (k + r) x k, the identity on top */
static unsigned char *tables;
static int table_rows;                    /* 0: the tables are stale; r + 1: of encoding; else of decoding that many */

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void *allocate(size_t size) {
    void *allocated;
    if (posix_memalign(&allocated, 4096, size)) fail("out of memory");
    memset(allocated, 0, size);
    return allocated;
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Units start on cache lines, and at different places of a page, so that they do not fight for the same cache sets. */
static void stripe(void) {
    if (scanf("%d %d %d", &k, &r, &length) != 3 || getchar() != '\n') fail("stripe K R LENGTH");
    if (k < 1 || r < 1 || k + r > MAX_UNITS || length < 1) fail("k, r >= 1, k + r <= 256, LENGTH >= 1");
    size_t stride = ((size_t) length + LINE - 1) / LINE * LINE + STAGGER;
    free(memory);
    free(generator);
    free(tables);
    memory = allocate((k + 2 * r) * stride);
    for (int i = 0; i < k + r; i++) units[i] = memory + i * stride;
    for (int i = 0; i < r; i++) outputs[i] = memory + (k + r + i) * stride;
    for (int i = 0; i < k; i++) {
        if (fread(units[i], 1, length, stdin) != (size_t) length) fail("K * LENGTH bytes after the line");
    }
    generator = allocate((size_t) (k + r) * k);
    tables = allocate((size_t) 32 * k * r);
    gf_gen_cauchy1_matrix(generator, k + r, k);
    ec_init_tables(k, r, generator + k * k, tables);
    ec_encode_data(length, k, r, tables, units, units + k);
    table_rows = 0;
    printf("ok\n");
}

/* Turns until so much time has passed, then tells. */
static void turns(int rows, unsigned char **sources, unsigned char **made, int64_t nanos) {
    int64_t bytes = 0, start, elapsed;
    for (int i = 0; i < rows; i++) memset(made[i], 0, length);
    start = now();
    do {
        ec_encode_data(length, k, rows, tables, sources, made);
        bytes += (int64_t) k * length;
        elapsed = now() - start;
    } while (elapsed < nanos);
    printf("%lld %lld", (long long) bytes, (long long) elapsed);
    for (int i = 0; i < rows; i++) printf(" %u", crc32_gzip_refl(0, made[i], length));
    printf("\n");
}

static void encode(void) {
    long long nanos;
    if (scanf("%lld", &nanos) != 1) fail("encode NANOS");
    if (table_rows != r + 1) {
        ec_init_tables(k, r, generator + k * k, tables);
        table_rows = r + 1;
    }
    turns(r, units, units + k, nanos);
}

/* The rows of the inverse of what is left of the generator, for the lost data units. */
static void decoding_tables(int erased) {
    unsigned char *left = allocate((size_t) k * k), *inverse = allocate((size_t) k * k);
    memcpy(left, generator + erased * k, (size_t) k * k);
    if (gf_invert_matrix(left, inverse, k)) fail("singular");
    ec_init_tables(k, erased, inverse, tables);
    free(left);
    free(inverse);
    table_rows = erased;
}

static void decode(void) {
    int erased;
    long long nanos;
    if (scanf("%d %lld", &erased, &nanos) != 2 || erased < 1 || erased > k || erased > r) fail("decode E NANOS");
    if (table_rows != erased) decoding_tables(erased);
    turns(erased, units + erased, outputs, nanos);
}

/* The library's own choice, by the same features of the processor; that it may use the registers is Linux's matter. */
static int runs_gfni(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("gfni")) return 0;
    return (ec_encode_data_avx512_gfni && __builtin_cpu_supports("avx512bw")) ||
           (ec_encode_data_avx2_gfni && __builtin_cpu_supports("avx2"));
#else
    return 0;
#endif
}

int main(void) {
    char command[8];
    printf("isa-l %d.%d.%d, %s GFNI\n", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION,
           runs_gfni() ? "with" : "without");
    fflush(stdout);
    while (scanf("%7s", command) == 1) {
        if (!strcmp(command, "stripe")) stripe();
        else if (!tables) fail("first a stripe");
        else if (!strcmp(command, "encode")) encode();
        else if (!strcmp(command, "decode")) decode();
        else fail("stripe, encode or decode");
        fflush(stdout);
    }
    return 0;
}
