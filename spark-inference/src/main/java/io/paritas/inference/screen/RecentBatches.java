/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.screen;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The batches that this executor predicted last, for as long as there is room: when a group turns out not to fit together, those of
 * its batches that are here can be audited. Also counts the groups that tasks have compared. Thread-safe.
 */
public final class RecentBatches {
    /** Suspect groups that are remembered until they are taken; of more, something is wrong that audits need not tell. */
    private static final int MOST_SUSPECTS = 64;

    /** Rows of a group that are audited; where all are suspect, more tell no more. */
    private static final int MOST_ROWS = 4;

    private final long room;
    private final Map<Place, Kept> kept = new LinkedHashMap<>();
    private final List<Suspect> suspects = new ArrayList<>();
    private long bytes;
    private long checked;
    private long comparedBatches;
    private long found;

    /**
     * Where a batch belongs.
     *
     * @param execution whose batch it is
     * @param group its group, unique in the execution
     * @param slot its place in the group
     */
    public record Place(int execution, long group, int slot) {}

    /**
     * A batch that was predicted. Nothing is copied.
     *
     * @param model the loaded model, as {@link io.paritas.inference.ModelPool#name} names it
     * @param rows number of rows
     * @param bytes of memory that it holds
     * @param inputs makes the inputs as the model got them, row by row
     * @param outputs the predictions, row by row
     */
    public record Kept(String model, int rows, long bytes, Supplier<float[]> inputs, float[] outputs) {}

    /**
     * What tasks have compared.
     *
     * @param groups rows of groups that were compared
     * @param batches the batches that these are of
     * @param found those that did not fit together
     * @param suspects some of these
     */
    public record Compared(long groups, long batches, long found, List<Suspect> suspects) {}

    /**
     * A memory of that size.
     *
     * @param room bytes; 0 remembers nothing
     */
    public RecentBatches(long room) {
        this.room = room;
    }

    /** Whether batches are remembered, and groups should be compared. */
    public boolean isOn() {
        return room > 0;
    }

    /** Remembers a batch, and forgets the oldest ones if there is no room. */
    public synchronized void add(Place place, Kept batch) {
        Kept before = kept.remove(place);
        bytes += batch.bytes - (before == null ? 0 : before.bytes);
        kept.put(place, batch);
        for (Iterator<Kept> oldest = kept.values().iterator(); bytes > room && oldest.hasNext(); ) {
            bytes -= oldest.next().bytes;
            oldest.remove();
        }
    }

    /**
     * Tells what a task has compared.
     *
     * @param groups rows of groups
     * @param batches the batches that they are of, those of parity among them
     * @param misfits those that do not fit together
     */
    public synchronized void compared(long groups, long batches, List<Suspect> misfits) {
        checked += groups;
        comparedBatches += batches;
        for (Suspect misfit : misfits) {
            found += misfit.rows().size();
            if (suspects.size() < MOST_SUSPECTS) {
                List<Integer> rows = misfit.rows();
                suspects.add(new Suspect(
                        misfit.execution(), misfit.group(), rows.subList(0, Math.min(MOST_ROWS, rows.size()))));
            }
        }
    }

    /** What was compared since this was asked last. */
    public synchronized Compared take() {
        Compared compared = new Compared(checked, comparedBatches, found, List.copyOf(suspects));
        checked = 0;
        comparedBatches = 0;
        found = 0;
        suspects.clear();
        return compared;
    }

    /** The suspect rows of the batches of a group that are remembered. */
    public List<Sample> of(Suspect suspect) {
        List<Kept> batches = new ArrayList<>();
        synchronized (this) {
            kept.forEach((place, batch) -> {
                if (place.execution == suspect.execution() && place.group == suspect.group()) {
                    batches.add(batch);
                }
            });
        }
        return batches.stream()
                .map(batch -> sample(batch, suspect.rows()))
                .filter(sample -> sample.rows() > 0)
                .toList();
    }

    private static Sample sample(Kept batch, List<Integer> wanted) {
        int[] rows = wanted.stream()
                .mapToInt(Integer::intValue)
                .filter(row -> row < batch.rows)
                .toArray();
        return new Sample(
                batch.model,
                1,
                false,
                rows.length,
                rows(batch.inputs.get(), batch.rows, rows),
                rows(batch.outputs, batch.rows, rows),
                Reason.RESIDUAL);
    }

    private static float[] rows(float[] values, int all, int... wanted) {
        int size = values.length / all;
        float[] result = new float[wanted.length * size];
        for (int i = 0; i < wanted.length; i++) {
            System.arraycopy(values, wanted[i] * size, result, i * size, size);
        }
        return result;
    }
}
