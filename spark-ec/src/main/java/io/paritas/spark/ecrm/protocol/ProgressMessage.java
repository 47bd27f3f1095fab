/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.util.List;

/** What the driver hears of training; servers have no part in it. */
public sealed interface ProgressMessage extends Message {

    /** Worker to driver: iterations that it has not been told to be known. */
    record Trained(List<Iteration> iterations) implements ProgressMessage {
        public Trained {
            iterations = List.copyOf(iterations);
        }

        @Override
        public void write(WireWriter to) {
            to.list(iterations, Iteration::write);
        }

        static Trained read(WireReader from) {
            return new Trained(from.list(Iteration::read));
        }
    }

    /** Driver to worker: the first so many of its iterations are known. */
    record Known(int iterations) implements ProgressMessage {
        @Override
        public void write(WireWriter to) {
            to.int4(iterations);
        }

        static Known read(WireReader from) {
            return new Known(from.int4());
        }
    }
}
