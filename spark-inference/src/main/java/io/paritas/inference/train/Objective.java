/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.inference.torch.Network;
import io.paritas.inference.torch.Tensor;
import java.util.List;

/** What is trained, against which loss, and how its quality is measured. Used by one thread. */
public interface Objective extends AutoCloseable {

    /** What distinguishes this training from others, in one line: data, networks, loss. A checkpoint of another is refused. */
    String description();

    /** The networks that learn. */
    List<Network> networks();

    /** The samples of an epoch, by number, in any order; the trainer shuffles. */
    int[] samples(int epoch);

    /** How many samples belong together: k for coding groups, f for stacks. What is left over is not used in that epoch. */
    default int groupSize() {
        return 1;
    }

    /**
     * The loss of a batch, as a mean over its groups.
     *
     * @param samples a multiple of the group size
     */
    Tensor loss(int[] samples, int epoch);

    /** Quality on samples that are not trained on, the higher the better; usually an accuracy. */
    double score();

    /** Whether the networks after an epoch may be chosen as the best. */
    default boolean eligible(int epoch) {
        return true;
    }

    @Override
    default void close() {
        networks().forEach(Network::close);
    }
}
