/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu.network;

import io.paritas.gpu.nn.Scheme;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** How the values of a step are checked, and in which buffers of the plan. */
sealed interface Check {
    /** The buffers that the check writes or reads during its step, besides those of the step itself. */
    List<Integer> buffers();

    /** No check. */
    record None() implements Check {
        @Override
        public List<Integer> buffers() {
            return List.of();
        }
    }

    /**
     * A product, checked while it is computed.
     *
     * @param measured what its scheme knows of its input; empty if it needs nothing
     * @param measures whether the step measures its input itself; otherwise an earlier product has
     * @param blockSums buffer of the sums of blocks, for {@link Scheme#GLOBAL}
     * @param next what the product measures of its output, for a later one
     */
    record ByScheme(
            Scheme scheme,
            Optional<Measured> measured,
            boolean measures,
            Optional<Integer> blockSums,
            Optional<Measured> next)
            implements Check {
        static final ByScheme NONE =
                new ByScheme(Scheme.NONE, Optional.empty(), false, Optional.empty(), Optional.empty());

        @Override
        public List<Integer> buffers() {
            return Stream.of(measured.map(Measured::squares), blockSums, next.map(Measured::squares))
                    .flatMap(Optional::stream)
                    .toList();
        }

        /** The same check, by a product that measures its output, too. */
        ByScheme measuring(Measured output) {
            return new ByScheme(scheme, measured, measures, blockSums, Optional.of(output));
        }
    }

    /**
     * What is known of a matrix.
     *
     * @param squares buffer of the squared norms of its rows; of images, those of their pixels
     * @param parts how many parts each of them is the sum of
     */
    record Measured(int squares, int parts) {}

    /**
     * The step runs twice, and both outputs are compared bit by bit.
     *
     * @param again buffer of the second output
     * @param compares whether they are compared now: of several steps that write one buffer, the last one does
     */
    record SecondRun(int again, boolean compares) implements Check {
        @Override
        public List<Integer> buffers() {
            return List.of(again);
        }
    }
}
