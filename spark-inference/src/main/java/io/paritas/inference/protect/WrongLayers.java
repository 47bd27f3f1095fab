/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Names of the layers in which the calling thread's predictions had wrong values, also those that were put right. */
public final class WrongLayers {
    private static final Logger LOG = LoggerFactory.getLogger(WrongLayers.class);

    /** Names that are kept until somebody asks. */
    private static final int MOST = 16;

    private static final ThreadLocal<List<String>> OF_THREAD = new ThreadLocal<>();

    private WrongLayers() {}

    /** Returns the names since this was asked last, and forgets them. */
    public static List<String> drain() {
        List<String> names = OF_THREAD.get();
        OF_THREAD.remove();
        return names == null ? List.of() : List.copyOf(names);
    }

    /**
     * Counts, notes and logs wrong values that were found.
     *
     * @param name the layer
     * @param rows of the batch
     * @param where what has computed them, for a message
     * @param again whether they were wrong when computed once more, too
     * @throws CorruptionException if they were
     */
    public static void found(String name, int rows, String where, boolean again) {
        new ProtectionCounts(0, 0, 1, again ? 0 : 1).count();
        add(name);
        if (again) {
            LOG.error("Paritas: wrong values twice in {}, computed by {}", name, where);
            throw new CorruptionException(name, rows, where);
        }
        LOG.warn("Paritas: wrong values were found in {}, computed by {}, and computed once more", name, where);
    }

    /**
     * Counts and logs values that are not finite, and the same when computed once more, as where a model or its input overflows float32.
     * They are not noted: any machine computes them so.
     */
    static CorruptionException overflowing(String name, int rows, String where) {
        new ProtectionCounts(0, 0, 1, 0).count();
        LOG.error("Paritas: values in {} are not finite, the same twice, computed by {}", name, where);
        return new CorruptionException(name, rows, where);
    }

    private static void add(String name) {
        List<String> names = OF_THREAD.get();
        if (names == null) {
            names = new ArrayList<>();
            OF_THREAD.set(names);
        }
        if (names.size() < MOST) {
            names.add(name);
        }
    }
}
