/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.train;

/** What is usual for the training of a recommendation model, whoever asks for it: a program, Spark ML or the command line. */
public final class TrainingDefaults {
    /** Numbers in an embedding row. */
    public static final int DIMENSION = 16;

    /** Parameter servers. */
    public static final int SERVERS = 3;

    /** Rows of a stripe. */
    public static final int K = 2;

    /** Parities of a stripe. */
    public static final int R = 1;

    /** Samples of a batch. */
    public static final int BATCH = 256;

    /** Name of the optimizer. */
    public static final String OPTIMIZER = "adagrad";

    /** Learning rate of the embedding rows. */
    public static final double ROW_RATE = 0.05;

    /** Learning rate of the networks. */
    public static final double NETWORK_RATE = 0.01;

    /** Seconds between checkpoints. */
    public static final int CHECKPOINT_SECONDS = 600;

    private TrainingDefaults() {}
}
