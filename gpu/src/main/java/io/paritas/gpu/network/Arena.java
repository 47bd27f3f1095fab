/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One piece of memory for all buffers of a network. Buffers that are never in use at the same time may share bytes.
 *
 * @param offsets of each buffer, multiples of {@link #ALIGNMENT}
 * @param bytes of the whole
 */
record Arena(List<Long> offsets, long bytes) {
    /** As CUDA aligns memory. */
    static final int ALIGNMENT = 256;

    Arena {
        offsets = List.copyOf(offsets);
    }

    /**
     * When a buffer is in use.
     *
     * @param first the step that writes it first
     * @param last the step that uses it last
     * @param bytes its size
     */
    record Use(int first, int last, long bytes) {
        long aligned() {
            return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }

        boolean isBeside(Use other) {
            return first <= other.last && other.first <= last;
        }
    }

    /** Finds places: the largest buffer first, each as low as possible. */
    static Arena of(List<Use> uses) {
        Comparator<Integer> largest = Comparator.comparing(i -> -uses.get(i).bytes());
        List<Integer> order = IntStream.range(0, uses.size())
                .boxed()
                .sorted(largest.thenComparing(Comparator.naturalOrder()))
                .toList();
        long[] offsets = new long[uses.size()];
        List<Integer> placed = new ArrayList<>();
        long end = 0;
        for (int buffer : order) {
            Use use = uses.get(buffer);
            List<Integer> beside = placed.stream()
                    .filter(other -> uses.get(other).isBeside(use))
                    .sorted(Comparator.comparing(other -> offsets[other]))
                    .toList();
            long at = 0;
            for (int other : beside) {
                if (offsets[other] - at >= use.aligned()) {
                    break;
                }
                at = Math.max(at, offsets[other] + uses.get(other).aligned());
            }
            offsets[buffer] = at;
            placed.add(buffer);
            end = Math.max(end, at + use.aligned());
        }
        return new Arena(
                IntStream.range(0, offsets.length).mapToObj(i -> offsets[i]).toList(), end);
    }

    /** The bytes that are in use at the busiest step: no arena can be smaller. */
    static long leastBytes(List<Use> uses) {
        return uses.stream()
                .mapToLong(busy -> uses.stream()
                        .filter(use -> use.first() <= busy.first() && busy.first() <= use.last())
                        .mapToLong(Use::aligned)
                        .sum())
                .max()
                .orElse(0);
    }
}
