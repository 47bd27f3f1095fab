/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import io.paritas.erasure.RepairPlan;
import io.paritas.erasure.kernel.Regions;
import io.paritas.spark.ec.audit.CodedSlices;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Makes units of a stripe from others, a window at a time. Copies nothing but the ends of short units. */
final class WindowedCoder {
    /** Totals of this JVM, for metrics. */
    static final LongAdder CODED_BYTES = new LongAdder();

    static final LongAdder CODING_NANOS = new LongAdder();

    private WindowedCoder() {}

    /**
     * Makes the units that a plan wants.
     *
     * @param code name of the code
     * @param sources the units that the plan reads; empty ones may be absent
     * @return the units, by number, as long as the stripe says
     */
    static Map<Integer, byte[]> run(String code, RepairPlan plan, Stripe stripe, Map<Integer, UnitBytes> sources) {
        long start = System.nanoTime();
        int[] wanted = plan.wanted().toArray();
        byte[][] made = new byte[wanted.length][];
        int length = 0;
        for (int i = 0; i < wanted.length; i++) {
            made[i] = new byte[stripe.units().get(wanted[i]).length()];
            length = Math.max(length, made[i].length);
        }
        for (int from = 0; from < length; from += UnitBytes.WINDOW) {
            int size = Math.min(UnitBytes.WINDOW, length - from);
            ByteBuffer[] outputs = outputs(made, from, size);
            ByteBuffer[] inputs = inputs(plan, sources, from, size);
            plan.apply(Regions.of(inputs), Regions.of(outputs));
            offer(code, plan, inputs, outputs, size);
            copyEnds(outputs, made, from);
        }
        CODED_BYTES.add((long) length * plan.sources().length);
        CODING_NANOS.add(System.nanoTime() - start);
        Map<Integer, byte[]> units = new TreeMap<>();
        for (int i = 0; i < wanted.length; i++) {
            units.put(wanted[i], made[i]);
        }
        return units;
    }

    private static ByteBuffer[] inputs(RepairPlan plan, Map<Integer, UnitBytes> sources, int from, int size) {
        return Arrays.stream(plan.sources())
                .mapToObj(unit -> sources.getOrDefault(unit, UnitBytes.EMPTY).window(from, size))
                .toArray(ByteBuffer[]::new);
    }

    private static void offer(String code, RepairPlan plan, ByteBuffer[] inputs, ByteBuffer[] outputs, int size) {
        int[] sources = plan.sources();
        int[] wanted = plan.wanted().toArray();
        CodedSlices.current().offer(code, size, sources, wanted, unit -> {
            int source = indexOf(unit, sources);
            return source >= 0 ? inputs[source] : outputs[indexOf(unit, wanted)];
        });
    }

    private static int indexOf(int unit, int... units) {
        return Arrays.stream(units).boxed().toList().indexOf(unit);
    }

    /** Windows of the units to write to; a window that reaches beyond a short unit's end is a scratch buffer. */
    private static ByteBuffer[] outputs(byte[][] units, int from, int size) {
        ByteBuffer[] windows = new ByteBuffer[units.length];
        for (int i = 0; i < units.length; i++) {
            windows[i] =
                    from + size <= units[i].length ? ByteBuffer.wrap(units[i], from, size) : ByteBuffer.allocate(size);
        }
        return windows;
    }

    private static void copyEnds(ByteBuffer[] windows, byte[][] units, int from) {
        for (int i = 0; i < units.length; i++) {
            int left = units[i].length - from;
            if (left > 0 && windows[i].array() != units[i]) {
                windows[i].get(0, units[i], from, left);
            }
        }
    }
}
