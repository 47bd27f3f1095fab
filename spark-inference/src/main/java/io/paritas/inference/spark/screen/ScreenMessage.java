/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.screen.Jury;
import io.paritas.inference.screen.LayerScreen;
import io.paritas.inference.screen.Reason;
import io.paritas.inference.screen.RecentBatches;
import io.paritas.inference.screen.Sample;
import io.paritas.inference.screen.Suspect;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/** What executors say to the driver. It crosses as arrays of the JDK's types that begin with a word. */
sealed interface ScreenMessage {
    String ONE_VERSION = ": use one version of Paritas on the driver and all executors";

    /** The words. The reply to {@link #NEXT} is {@link Work}, to the others nothing. */
    String SAMPLE = "sample";

    String NEXT = "next";
    String ANSWER = "answer";
    String COMPARED = "compared";
    String LAYERS = "layers";

    /**
     * Who speaks.
     *
     * @param executor id of the executor
     * @param host its host, by its {@link MachineName}
     * @param platform what computed what it speaks of, if that is a model: a kind of processor or of GPU
     * @param gpus the identifiers of the GPUs that did; empty if none did
     */
    record Speaker(String executor, String host, String platform, String gpus) {
        private String[] encode() {
            return new String[] {executor, host, platform, gpus};
        }

        private static Speaker decode(Object words) {
            if (words instanceof String[] own && own.length == 4) {
                return new Speaker(own[0], own[1], own[2], own[3]);
            }
            throw new IllegalArgumentException(
                    "a message of screening must say which executor, host, platform and GPUs it is from, got " + words
                            + ONE_VERSION);
        }
    }

    /** Who speaks. */
    Speaker speaker();

    /** A batch that the executor predicted. */
    record Predicted(Speaker speaker, Sample sample) implements ScreenMessage {
        Object[] encode() {
            return new Object[] {
                SAMPLE,
                speaker.encode(),
                sample.model(),
                sample.fold(),
                sample.whole(),
                sample.rows(),
                sample.inputs(),
                sample.outputs(),
                sample.reason().name()
            };
        }
    }

    /**
     * The executor has time for a batch of another.
     *
     * @param checked its batches since that were checked in another way and found right: of folded or protected models
     */
    record Next(Speaker speaker, long checked) implements ScreenMessage {
        Object[] encode() {
            return new Object[] {NEXT, speaker.encode(), checked};
        }
    }

    /** The executor predicted a batch of another, or cannot. */
    record Answer(Speaker speaker, long id, String model, Optional<float[]> outputs) implements ScreenMessage {
        Object[] encode() {
            return new Object[] {ANSWER, speaker.encode(), id, model, outputs.orElse(null)};
        }
    }

    /** The executor has compared groups of predictions with their parities. */
    record Compared(Speaker speaker, RecentBatches.Compared result) implements ScreenMessage {
        Object[] encode() {
            return new Object[] {
                COMPARED,
                speaker.encode(),
                result.groups(),
                result.batches(),
                result.found(),
                numbers(result.suspects())
            };
        }
    }

    /** The checks of a protected model have found wrong values of the executor. */
    record Layers(Speaker speaker, LayerScreen.WrongBatch batch) implements ScreenMessage {
        Object[] encode() {
            return new Object[] {
                LAYERS,
                speaker.encode(),
                batch.model(),
                batch.rows(),
                batch.layers().toArray(String[]::new)
            };
        }
    }

    /**
     * The driver's reply to {@link Next}.
     *
     * @param share of its batches that the executor should send from now on
     * @param suspects groups whose batches it should send, if it predicted one of them
     * @param question a batch to predict; empty if there is none
     */
    record Work(double share, List<Suspect> suspects, Optional<Jury.Question> question) {
        Object[] encode() {
            return question.map(asked -> new Object[] {
                        share, numbers(suspects), asked.id(), asked.model(), asked.fold(), asked.rows(), asked.inputs()
                    })
                    .orElseGet(() -> new Object[] {share, numbers(suspects)});
        }

        static Work decode(Object message) {
            Object[] words = (Object[]) message;
            return new Work((Double) words[0], suspectsOf((long[]) words[1]), question(words));
        }

        private static Optional<Jury.Question> question(Object[] words) {
            return words.length == 2
                    ? Optional.empty()
                    : Optional.of(new Jury.Question(
                            (Long) words[2], (String) words[3], (Integer) words[4], (Integer) words[5], (float[])
                                    words[6]));
        }
    }

    /** Each as its execution, its group, the number of its rows, and these. */
    private static long[] numbers(List<Suspect> suspects) {
        return suspects.stream()
                .flatMapToLong(suspect -> LongStream.concat(
                        LongStream.of(
                                suspect.execution(),
                                suspect.group(),
                                suspect.rows().size()),
                        suspect.rows().stream().mapToLong(Integer::longValue)))
                .toArray();
    }

    private static List<Suspect> suspectsOf(long... numbers) {
        List<Suspect> suspects = new ArrayList<>();
        for (int at = 0; at < numbers.length; at += 3 + (int) numbers[at + 2]) {
            List<Integer> rows = LongStream.of(Arrays.copyOfRange(numbers, at + 3, at + 3 + (int) numbers[at + 2]))
                    .mapToObj(Math::toIntExact)
                    .toList();
            suspects.add(new Suspect((int) numbers[at], numbers[at + 1], rows));
        }
        return suspects;
    }

    /**
     * Reads what crossed.
     *
     * @throws IllegalArgumentException if it is no message
     */
    static ScreenMessage decode(Object message) {
        Object[] words = (Object[]) message;
        Speaker speaker = Speaker.decode(words[1]);
        return switch ((String) words[0]) {
            case SAMPLE ->
                new Predicted(
                        speaker,
                        new Sample(
                                (String) words[2],
                                (Integer) words[3],
                                (Boolean) words[4],
                                (Integer) words[5],
                                (float[]) words[6],
                                (float[]) words[7],
                                Reason.valueOf((String) words[8])));
            case NEXT -> new Next(speaker, (Long) words[2]);
            case COMPARED ->
                new Compared(
                        speaker,
                        new RecentBatches.Compared(
                                (Long) words[2], (Long) words[3], (Long) words[4], suspectsOf((long[]) words[5])));
            case LAYERS ->
                new Layers(speaker, new LayerScreen.WrongBatch((String) words[2], (Integer) words[3], List.of((String[])
                        words[4])));
            case ANSWER ->
                new Answer(speaker, (Long) words[2], (String) words[3], Optional.ofNullable((float[]) words[4]));
            default ->
                throw new IllegalArgumentException(
                        "a message of screening must begin with sample, next, answer, compared or layers, got "
                                + words[0] + ONE_VERSION);
        };
    }
}
