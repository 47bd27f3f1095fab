/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.screen.Jury;
import io.paritas.inference.screen.Sample;
import java.util.Optional;

/** What executors say to the driver. It crosses as arrays of the JDK's types that begin with a word. */
sealed interface ScreenMessage {
    /** The words. The reply to {@link #NEXT} is {@link Work}, to the others nothing. */
    String SAMPLE = "sample";

    String NEXT = "next";
    String ANSWER = "answer";

    /**
     * Who speaks.
     *
     * @param executor id of the executor
     * @param host its host
     * @param platform its processor
     */
    record Speaker(String executor, String host, String platform) {}

    /** Who speaks. */
    Speaker speaker();

    /** A batch that the executor predicted. */
    record Predicted(Speaker speaker, Sample sample) implements ScreenMessage {
        Object[] encode() {
            return new Object[] {
                SAMPLE,
                speaker.executor,
                speaker.host,
                speaker.platform,
                sample.model(),
                sample.fold(),
                sample.whole(),
                sample.rows(),
                sample.inputs(),
                sample.outputs()
            };
        }
    }

    /** The executor has time for a batch of another. */
    record Next(Speaker speaker) implements ScreenMessage {
        Object[] encode() {
            return new Object[] {NEXT, speaker.executor, speaker.host, speaker.platform};
        }
    }

    /** The executor predicted a batch of another, or cannot. */
    record Answer(Speaker speaker, long id, Optional<float[]> outputs) implements ScreenMessage {
        Object[] encode() {
            return new Object[] {ANSWER, speaker.executor, speaker.host, speaker.platform, id, outputs.orElse(null)};
        }
    }

    /**
     * The driver's reply to {@link Next}.
     *
     * @param share of its batches that the executor should send from now on
     * @param question a batch to predict; empty if there is none
     */
    record Work(double share, Optional<Jury.Question> question) {
        Object[] encode() {
            return question.map(asked ->
                            new Object[] {share, asked.id(), asked.model(), asked.fold(), asked.rows(), asked.inputs()})
                    .orElseGet(() -> new Object[] {share});
        }

        static Work decode(Object message) {
            Object[] words = (Object[]) message;
            return new Work(
                    (Double) words[0],
                    words.length == 1
                            ? Optional.empty()
                            : Optional.of(new Jury.Question(
                                    (Long) words[1], (String) words[2], (Integer) words[3], (Integer) words[4], (float
                                                    [])
                                            words[5])));
        }
    }

    /**
     * Reads what crossed.
     *
     * @throws IllegalArgumentException if it is no message
     */
    static ScreenMessage decode(Object message) {
        Object[] words = (Object[]) message;
        Speaker speaker = new Speaker((String) words[1], (String) words[2], (String) words[3]);
        return switch ((String) words[0]) {
            case SAMPLE ->
                new Predicted(
                        speaker,
                        new Sample(
                                (String) words[4],
                                (Integer) words[5],
                                (Boolean) words[6],
                                (Integer) words[7],
                                (float[]) words[8],
                                (float[]) words[9]));
            case NEXT -> new Next(speaker);
            case ANSWER -> new Answer(speaker, (Long) words[4], Optional.ofNullable((float[]) words[5]));
            default ->
                throw new IllegalArgumentException("a message of screening must begin with sample, next or answer, got "
                        + words[0] + ": use one version of Paritas on the driver and all executors");
        };
    }
}
