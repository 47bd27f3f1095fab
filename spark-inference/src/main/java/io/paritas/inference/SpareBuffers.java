/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.nio.FloatBuffer;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;

/**
 * Direct buffers of one purpose that are used again, a few at most. Java gives memory beside the heap back when a garbage collection
 * finds it unused: who takes new memory for each of many predictions, and makes little other garbage, pays with full collections.
 * Those that are kept stay as large as they were needed once, until there is no memory for a new one. Thread-safe.
 */
public final class SpareBuffers {
    /* As many as there are usually in use at once. */
    private static final int MOST = 4;

    /* The last one that was used is the first that is used again. */
    private final BlockingDeque<FloatBuffer> spare = new LinkedBlockingDeque<>(MOST);

    /** No buffers: the first are new ones. */
    public SpareBuffers() {}

    /** A direct buffer in native byte order with room for exactly so many values, which are undefined. */
    public FloatBuffer take(int values) {
        FloatBuffer used = spare.pollFirst();
        return used == null || used.capacity() < values
                ? make(values)
                : used.clear().limit(values);
    }

    private FloatBuffer make(int values) {
        try {
            return Model.direct(values);
        } catch (OutOfMemoryError e) {
            spare.clear();
            return Model.direct(values);
        }
    }

    /** Takes back a buffer of {@link #take} that nobody uses any more. */
    public void giveBack(FloatBuffer buffer) {
        var unused = spare.offerFirst(buffer); // where there are enough, the garbage collector gets it
    }
}
