/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import io.paritas.erasure.kernel.KernelChoice;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/** Chooses the tiles of this JVM: vectors, unless it has none or erasure codes run in plain Java by request. */
final class TileChoice {
    private static Tiles current;

    private TileChoice() {}

    static synchronized Tiles current() {
        if (current == null) {
            KernelChoice choice = KernelChoice.current();
            boolean isPlain = choice.provider().name().equals("plain");
            Optional<String> refusal = isPlain ? choice.passedOver() : KernelChoice.vectorsUnavailable();
            boolean vectors = !isPlain && refusal.isEmpty();
            refusal.ifPresent(LoggerFactory.getLogger(TileChoice.class)::warn);
            current = vectors ? new VectorTiles() : new PlainTiles();
            if (vectors) {
                WarmUp.run(current);
            }
        }
        return current;
    }
}
