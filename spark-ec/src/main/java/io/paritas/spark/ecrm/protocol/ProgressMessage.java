/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.util.List;

/** Reports of training from workers to the driver. Servers take no part. */
public sealed interface ProgressMessage extends Message {
    /** Worker to driver: committed iterations that the driver has not acknowledged yet. */
    record Trained(List<Iteration> iterations) implements ProgressMessage {
        public Trained {
            iterations = List.copyOf(iterations);
        }

        @Override
        public void write(WireWriter to) {
            to.list(iterations, Iteration::write);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.trained(this);
        }

        static Trained read(WireReader from) {
            return new Trained(from.list(Iteration::read));
        }
    }

    /**
     * Driver to worker: acknowledges iterations.
     *
     * @param iterations how many of the worker's iterations, counted from its first, the driver knows
     */
    record Known(int iterations) implements ProgressMessage {
        @Override
        public void write(WireWriter to) {
            to.int4(iterations);
        }

        @Override
        public void accept(MessageVisitor visitor) {
            visitor.known(this);
        }

        static Known read(WireReader from) {
            return new Known(from.int4());
        }
    }
}
