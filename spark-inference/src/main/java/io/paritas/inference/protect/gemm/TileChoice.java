/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.gemm;

import io.paritas.erasure.kernel.KernelChoice;
import org.slf4j.LoggerFactory;

/** Chooses the tiles of this JVM: vectors if the erasure codes use them, by the same rule and the same property. */
final class TileChoice {
    private static Tiles current;

    private TileChoice() {}

    static synchronized Tiles current() {
        if (current == null) {
            KernelChoice choice = KernelChoice.current();
            boolean vectors = choice.provider().name().equals("vector");
            if (!vectors) {
                choice.passedOver().ifPresent(LoggerFactory.getLogger(TileChoice.class)::warn);
            }
            current = vectors ? new VectorTiles() : new PlainTiles();
            if (vectors) {
                WarmUp.run(current);
            }
        }
        return current;
    }
}
