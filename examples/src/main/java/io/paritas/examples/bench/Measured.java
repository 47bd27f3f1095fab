/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import java.util.List;

/** One race: its conditions and what came out. */
record Measured(int threads, Shape shape, Operation operation, Speeds speeds) {
    /** All coders that took part in any of the races. */
    static List<String> coders(List<Measured> measured) {
        return measured.stream()
                .flatMap(each -> each.speeds().coders().stream())
                .distinct()
                .toList();
    }

    /** How many threads, in words. */
    static String shown(int threads) {
        return threads + (threads == 1 ? " thread" : " threads");
    }
}
