/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect.product;

import io.paritas.erasure.kernel.KernelChoice;

/** The tiles of this JVM: vectors wherever the erasure codes use them, by the same rule and the same property. */
final class TileChoice {
    private static Tiles current;

    private TileChoice() {}

    static synchronized Tiles current() {
        if (current == null) {
            KernelChoice choice = KernelChoice.current();
            boolean vectors = choice.provider().name().equals("vector");
            if (!vectors) {
                choice.passedOver().ifPresent(advice -> System.getLogger(TileChoice.class.getName())
                        .log(System.Logger.Level.WARNING, advice));
            }
            current = vectors ? new VectorTiles() : new PlainTiles();
            if (vectors) {
                WarmUp.run(current);
            }
        }
        return current;
    }
}
