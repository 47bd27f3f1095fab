/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/**
 * A window that moves over regions tile by tile. It shows each tile as a range of a {@code byte[]}: in place if the region is
 * in an array, else in a small copy that stays in the first-level cache.
 *
 * <p>Absolute {@code ByteBuffer} access copies with the platform's {@code memcpy} and moves no position, so threads may
 * share the buffers.
 */
final class Window {
    private final Regions regions;
    /** The array that shows each region: its own, or a copy of one tile. */
    final byte[][] arrays;
    /** Where the current tile starts in each array. */
    final int[] offsets;

    private int start;
    private int size;

    Window(Regions regions, int tile) {
        this.regions = regions;
        arrays = new byte[regions.count()][];
        offsets = new int[arrays.length];
        for (int i = 0; i < arrays.length; i++) {
            arrays[i] = inPlace(i) ? regions.array(i) : new byte[Math.min(tile, regions.length())];
        }
    }

    private boolean inPlace(int region) {
        return regions.array(region) != null;
    }

    void moveTo(int tileStart, int tileSize) {
        start = tileStart;
        size = tileSize;
        for (int i = 0; i < arrays.length; i++) {
            offsets[i] = inPlace(i) ? regions.offset(i) + start : 0;
        }
    }

    /** Copies in the parts of the current tile that are not shown in place. */
    void load() {
        for (int i = 0; i < arrays.length; i++) {
            if (!inPlace(i)) {
                regions.read(i, start, arrays[i], size);
            }
        }
    }

    /** Copies back the parts of the current tile that are not shown in place. */
    void store() {
        for (int i = 0; i < arrays.length; i++) {
            if (!inPlace(i)) {
                regions.write(i, start, arrays[i], size);
            }
        }
    }
}
