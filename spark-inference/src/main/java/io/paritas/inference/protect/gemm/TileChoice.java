/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import io.paritas.erasure.kernel.KernelChoice;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/**
 * Chooses the tiles of this JVM: vectors, unless it has none, erasure codes run in plain Java by request, or vectors are slow here:
 * without FMA, the sums of products are computed by BigDecimal.
 */
final class TileChoice {
    private static final Duration WARM_UP = Duration.ofSeconds(10);

    /** Without FMA vectors take 65,000 times as long as plain Java; those that a busy machine has not compiled yet, some hundred times. */
    private static final double SLOW = 1_000;

    private static Tiles current;

    private TileChoice() {}

    static synchronized Tiles current() {
        if (current == null) {
            KernelChoice choice = KernelChoice.current();
            boolean isPlain = choice.provider().name().equals("plain");
            boolean isAskedFor = isPlain && choice.passedOver().isEmpty();
            Optional<String> refusal = isAskedFor ? Optional.empty() : KernelChoice.vectorsUnavailable();
            boolean vectors = !isPlain && refusal.isEmpty();
            refusal.ifPresent(LoggerFactory.getLogger(TileChoice.class)::warn);
            Tiles plain = new PlainTiles();
            current = vectors ? faster(new VectorTiles(), plain, WARM_UP) : plain;
        }
        return current;
    }

    /** How products are added in this JVM. */
    static String name() {
        return current() instanceof PlainTiles ? "plain Java" : "vectors";
    }

    /**
     * Vectors, once they are warm; plain tiles only if vectors do not become fast in that time, and never will: others add up in another
     * order, and equal processors have to compute equal bits.
     */
    static Tiles faster(Tiles vectors, Tiles plain, Duration longest) {
        if (WarmUp.run(vectors, longest)) {
            return vectors;
        }
        WarmUp.run(plain, WARM_UP); // interpreted, they may take a hundred times as long
        double ratio = WarmUp.nanosPerValue(vectors) / WarmUp.nanosPerValue(plain);
        if (ratio < SLOW) {
            return vectors;
        }
        LoggerFactory.getLogger(TileChoice.class)
                .warn(
                        "Paritas: vectors take {} times as long as plain Java on this processor, so protected models are"
                                + " computed in plain Java: give virtual machines a type of CPU with FMA",
                        Math.round(ratio));
        return plain;
    }
}
