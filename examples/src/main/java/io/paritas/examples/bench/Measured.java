/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

/** One race: its conditions and what came out. */
record Measured(int threads, Shape shape, Operation operation, Speeds speeds) {
    /** How many threads, in words. */
    static String shown(int threads) {
        return threads + (threads == 1 ? " thread" : " threads");
    }
}
