/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class IntegerGemmTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_122L);
    private static final List<Scheme> SCHEMES = List.of(Scheme.NONE, Scheme.GLOBAL, Scheme.THREAD, Scheme.TWO_SIDED);

    @Test
    void isExactAndNeverFiresOnCleanProducts() {
        Random random = new Random(SEED);
        for (Tiles tiles : List.of(new PlainTiles(), TileChoice.current())) {
            for (int turn = 0; turn < 60; turn++) {
                int m = 1 + random.nextInt(turn % 9 == 0 ? 120 : 15);
                int n = 1 + random.nextInt(80);
                int k = 1 + random.nextInt(turn % 5 == 0 ? 900 : 60);
                byte[] a = bytes(random, m * k, turn % 3 == 0);
                byte[] b = bytes(random, k * n, turn % 3 == 0);
                int[] c = new int[m * n];
                IntegerGemm gemm = new IntegerGemm(tiles, b, k, n);
                for (Scheme scheme : SCHEMES) {
                    Arrays.fill(c, -1);
                    assertThat(gemm.run(a, m, c, scheme).faults())
                            .as("%s, %d x %d x %d, seed %d", scheme, m, n, k, SEED)
                            .isZero();
                    assertThat(c).containsExactly(exact(a, b, m, n, k));
                }
            }
        }
    }

    /** Now of all sizes, now all the largest, whose sums are. */
    private static byte[] bytes(Random random, int count, boolean largest) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        if (largest) {
            Arrays.fill(bytes, Byte.MIN_VALUE);
        }
        return bytes;
    }

    private static int[] exact(byte[] a, byte[] b, int m, int n, int k) {
        int[] c = new int[m * n];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                for (int l = 0; l < k; l++) {
                    c[i * n + j] += a[i * k + l] * b[l * n + j];
                }
            }
        }
        return c;
    }

    @Test
    void everyFlippedBitIsFound() {
        Random random = new Random(SEED);
        int m = 101;
        int n = 37;
        int k = 70;
        byte[] a = bytes(random, m * k, false);
        IntegerGemm gemm = new IntegerGemm(bytes(random, k * n, false), k, n);
        int[] c = new int[m * n];
        for (Scheme scheme : SCHEMES.subList(1, SCHEMES.size())) {
            for (int bit = 0; bit < 32; bit++) {
                int at = random.nextInt(c.length);
                int flipped = 1 << bit;
                assertThat(gemm.run(a, m, c, scheme, values -> values[at] ^= flipped)
                                .faults())
                        .as("%s, bit %d at %d, seed %d", scheme, bit, at, SEED)
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void refusesWhatIsNotExact() {
        assertThatThrownBy(() -> new IntegerGemm(new byte[5], 2, 3))
                .hasMessage("a matrix of bytes needs K x N of them with K at most 65536, or sums would not fit an int;"
                        + " got 2 x 3 and 5 bytes");
        IntegerGemm gemm = new IntegerGemm(new byte[6], 2, 3);
        assertThatThrownBy(() -> gemm.run(new byte[2], 1, new int[3], Scheme.REPLICATION))
                .hasMessage("products of bytes are checked by global, thread or two-sided, which are exact;"
                        + " got replication");
    }
}
