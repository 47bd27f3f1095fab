/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.nn;

import io.paritas.gpu.Gpu;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** The kernels of products: each precision, scheme and tile. */
final class Tiles {
    private static final int NARROW = 30;

    private Tiles() {}

    static Stream<Arguments> kernels() {
        return GemmTest.schemes().flatMap(arguments -> Arrays.stream(Tile.values())
                .filter(tile -> tile.supports(
                        (Precision) arguments.get()[0], (Scheme) arguments.get()[1]))
                .filter(tile -> !tile.usesWgmma() || Gpu.get().hasWgmma())
                .map(tile -> Arguments.of(arguments.get()[0], arguments.get()[1], tile)));
    }

    /** The same, with numbers of slices of the depth. */
    static Stream<Arguments> slices(Arguments kernel) {
        Object[] known = kernel.get();
        return (known[2] == Tile.SQUARE ? Stream.of(1, 2) : Stream.of(1))
                .map(slices -> Arguments.of(known[0], known[1], known[2], slices));
    }

    /** So many columns of C, or as many as the tile can have. */
    static int columns(Tile tile, int columns) {
        return tile == Tile.NARROW ? Math.min(columns, NARROW) : columns;
    }
}
