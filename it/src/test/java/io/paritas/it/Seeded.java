/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import java.util.Random;

/** Random bytes and offsets that {@code -Dio.paritas.test.seed=N} brings back. */
public final class Seeded {
    private static final String PROPERTY = "io.paritas.test.seed";
    static final long SEED = Long.getLong(PROPERTY, System.nanoTime());

    static {
        System.out.println("Seed of this JVM: -D" + PROPERTY + "=" + SEED);
    }

    private Seeded() {}

    /** A sequence of its own for each purpose, whatever other tests draw. */
    public static Random random(String purpose) {
        return new Random(SEED + purpose.hashCode());
    }

    static byte[] bytes(String purpose, int length) {
        byte[] bytes = new byte[length];
        random(purpose).nextBytes(bytes);
        return bytes;
    }
}
