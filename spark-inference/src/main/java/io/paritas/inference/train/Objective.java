/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.train;

import io.paritas.inference.torch.Network;
import io.paritas.inference.torch.Tensor;
import java.util.List;

/** What a training optimises: networks, samples, loss and score. Used by one thread. */
public interface Objective extends AutoCloseable {

    /** One line that identifies this training: data, networks, loss. A checkpoint of another training is refused. */
    String description();

    /** The networks to train. */
    List<Network> networks();

    /** The numbers of an epoch's samples, in any order; the trainer shuffles. */
    int[] samples(int epoch);

    /** Samples of a group: k for coding groups, f for stacks. An incomplete last group is not used in that epoch. */
    default int groupSize() {
        return 1;
    }

    /**
     * The mean loss over the groups of a batch. Parameters may have gradients of parts of it already, to which its own add.
     *
     * @param samples a multiple of the group size
     */
    Tensor loss(int[] samples, int epoch);

    /** How many validation samples there are. */
    int validationSamples();

    /** Quality on validation samples, of which there is at least one group, the higher the better; usually an accuracy. */
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
