/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.protect;

import io.paritas.inference.RareWarnings;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the checks of layers find while a thread predicts. A caller that wants to know opens findings, predicts, and asks them; what is
 * found while none are open is logged only. For one thread, whose open ones nest.
 */
public final class LayerFindings implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LayerFindings.class);

    /** By layer. The input may be what overflows, and is often a client's. */
    private static final RareWarnings OVERFLOWS = new RareWarnings(LOG);

    /** Names that are kept: no more than somebody will read. */
    private static final int MOST = 16;

    private static final ThreadLocal<LayerFindings> OPEN = new ThreadLocal<>();

    private final LayerFindings outer;
    private final List<String> layers = new ArrayList<>();
    private ProtectionCounts counts = ProtectionCounts.NONE;

    /**
     * A layer whose values were wrong.
     *
     * @param layer as in {@code Conv 'layer1.conv'}
     * @param rows of the batch
     * @param computedBy what has computed them, for a message
     */
    public record Where(String layer, int rows, String computedBy) {}

    private LayerFindings(LayerFindings outer) {
        this.outer = outer;
    }

    /** From now on the findings of this thread are these, until they are closed. */
    public static LayerFindings open() {
        LayerFindings opened = new LayerFindings(OPEN.get());
        OPEN.set(opened);
        return opened;
    }

    /** Those that this thread has opened last; if it has none, some that nobody reads. */
    public static LayerFindings current() {
        LayerFindings open = OPEN.get();
        return open == null ? new LayerFindings(null) : open;
    }

    /**
     * Counts comparisons.
     *
     * @param unchecked those of them that could not be made because values were infinite or NaN
     */
    public void checked(long checks, long unchecked) {
        counts = counts.plus(new ProtectionCounts(checks, unchecked, 0, 0));
    }

    /** Counts, notes and logs a layer that was wrong, and right when it was computed once more. */
    public void rightAgain(Where where) {
        counts = counts.plus(new ProtectionCounts(0, 0, 1, 1));
        note(where.layer);
        LOG.warn(
                "Paritas: wrong values were found in {}, computed by {}, and computed once more",
                where.layer,
                where.computedBy);
    }

    /** Counts, notes and logs a layer that was wrong twice; returns why its batch fails. */
    public CorruptionException wrongAgain(Where where) {
        counts = counts.plus(new ProtectionCounts(0, 0, 1, 0));
        note(where.layer);
        LOG.error("Paritas: wrong values twice in {}, computed by {}", where.layer, where.computedBy);
        return new CorruptionException(where.layer, where.rows, where.computedBy);
    }

    /**
     * Counts and logs values that are not finite, and the same when computed once more, as where a model or its input overflows float32.
     * They are not noted: any machine computes them so. Returns why the batch fails.
     */
    CorruptionException overflow(Where where) {
        counts = counts.plus(new ProtectionCounts(0, 0, 1, 0));
        OVERFLOWS.warn(
                where.layer,
                "Paritas: values in " + where.layer + " are not finite, the same twice, computed by "
                        + where.computedBy);
        return new CorruptionException(where.layer, where.rows, where.computedBy);
    }

    private void note(String layer) {
        if (layers.size() < MOST) {
            layers.add(layer);
        }
    }

    /** The counts so far. */
    public ProtectionCounts counts() {
        return counts;
    }

    /** The layers that were wrong so far, also those that were put right; no more than somebody will read. */
    public List<String> layers() {
        return List.copyOf(layers);
    }

    /** Gives the thread back the findings that it had before. */
    @Override
    public void close() {
        if (outer == null) {
            OPEN.remove();
        } else {
            OPEN.set(outer);
        }
    }
}
