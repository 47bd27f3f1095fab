/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import java.util.List;

/** The results of one race. */
record RaceResult(int threads, Shape shape, Operation operation, Speeds speeds) {
    /** Returns all coders of any of the races. */
    static List<String> coders(List<RaceResult> measured) {
        return measured.stream()
                .flatMap(each -> each.speeds().coders().stream())
                .distinct()
                .toList();
    }

    /** Returns the number of threads in words. */
    static String shown(int threads) {
        return threads + (threads == 1 ? " thread" : " threads");
    }
}
