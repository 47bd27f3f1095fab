/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** Counts the buffers beside the heap, those that nobody uses and the garbage collector has not found among them. */
public final class DirectBuffers {
    private DirectBuffers() {}

    /** How many more there were after any of so many turns than before the first. */
    public static long added(int turns, Runnable turn) {
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        long before = direct.getCount();
        long most = before;
        for (int i = 0; i < turns; i++) {
            turn.run();
            most = Math.max(most, direct.getCount());
        }
        return most - before;
    }
}
