/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import org.apache.spark.storage.BlockManagerId;
import scala.Option;

/** What executors tell the driver: arrays of the JDK's types, because Spark's dispatchers need not know our classes. */
enum ShuffleMessage {
    /** An executor can carry out orders from now on: its id. It says nothing of a shuffle. */
    STARTED,
    /** How a map output is coded: the answer is a group. */
    GROUP,
    /** A parity file is there: the lengths of the data files, who has it. */
    PARITY_MADE,
    /** A parity file could not be made: who was to make it, the reason. */
    PARITY_FAILED,
    /** The files of a map output are there again: who has them. */
    REBUILT,
    /** The files of a map output could not be made: who was to make them, the reason. */
    REBUILD_FAILED,
    /** An executor is to leave, and has the files of a map output: who. The answer is the name of a {@link Departures.Parting}. */
    LEAVING,
    /** An executor is to leave, and has parity of a shuffle: who. The answer is the name of a {@link Departures.Parting}. */
    LEAVING_WITH_PARITY,
    /** A task has decoded blocks; the number is that of its stage, not of a shuffle. The answer is {@link StageReads#accumulators}. */
    STAGE_READS;

    /**
     * A message.
     *
     * @param file the attempt of a map task, or the number of a parity file
     */
    Object[] of(int shuffle, long file, Object... more) {
        Object[] words = new Object[3 + more.length];
        words[0] = name();
        words[1] = shuffle;
        words[2] = file;
        System.arraycopy(more, 0, words, 3, more.length);
        return words;
    }

    /** An executor, as words of a message. */
    static Object[] executor(BlockManagerId executor) {
        return new Object[] {
            executor.executorId(),
            executor.host(),
            executor.port(),
            executor.topologyInfo().getOrElse(() -> null)
        };
    }

    static BlockManagerId executor(Object words) {
        Object[] executor = (Object[]) words;
        return BlockManagerId.apply(
                (String) executor[0], (String) executor[1], (Integer) executor[2], Option.apply((String) executor[3]));
    }

    /** Hands a message to the driver's part; the answer, or null. */
    static Object receive(Object[] words, ShuffleCoding coding, StageReads reads) {
        int shuffle = (Integer) words[1];
        long file = (Long) words[2];
        switch (valueOf((String) words[0])) {
            case STARTED -> coding.executorStarted((String) words[3]);
            case GROUP -> {
                return coding.find(shuffle).map(coded -> coded.group(file)).orElse(CodedShuffle.NOTHING);
            }
            case PARITY_MADE ->
                coding.find(shuffle).ifPresent(coded -> coded.done(file, (long[]) words[3], executor(words[4])));
            case PARITY_FAILED ->
                coding.find(shuffle).ifPresent(coded -> coded.failed(file, executor(words[3]), (String) words[4]));
            case REBUILT -> coding.find(shuffle).ifPresent(coded -> coded.rebuilt(file, executor(words[3])));
            case REBUILD_FAILED ->
                coding.find(shuffle)
                        .ifPresent(coded -> coded.rebuildFailed(file, executor(words[3]), (String) words[4]));
            case STAGE_READS -> {
                return reads.accumulators(shuffle);
            }
            case LEAVING -> {
                return coding.parting(shuffle, executor(words[3]), file).name();
            }
            case LEAVING_WITH_PARITY -> {
                return coding.parting(shuffle, executor(words[3])).name();
            }
        }
        return null;
    }
}
