/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.learned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.graph.Initialisation;
import io.paritas.inference.learned.CodePlan.ChannelMix;
import io.paritas.inference.learned.CodePlan.EncoderKind;
import io.paritas.inference.learned.CodePlan.Loss;
import io.paritas.inference.parity.GroupDecoder;
import io.paritas.inference.parity.GroupEncoder;
import io.paritas.inference.spark.ExactModel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of a code that is exact, though encoder and decoder are networks. What is reconstructed by the decoder is off by 1,000. */
class LearnedCodeTest {
    private static final int OFFSET = 1_000;
    private static final List<Integer> SHAPE = List.of(1, 1, 3);
    private static final ExactModel MODEL = ExactModel.of(3, 2, 1);

    private final Map<ModelFile, Model> loaded = new HashMap<>();

    @AfterEach
    void close() {
        loaded.values().forEach(Model::close);
    }

    private Model load(ModelFile file) {
        return loaded.computeIfAbsent(file, model -> ModelEngines.load(model, ModelOptions.DEFAULT));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void groupsOfAllSizes(int k) {
        LearnedCode code = LearnedCode.of(MODEL.learned(k, OFFSET));
        assertThat(code.answering(0, MODEL.forImages()).sha256())
                .isEqualTo(MODEL.forImages().sha256());
        Function<String, Model> networks = role -> load(code.networks().get(role));
        GroupEncoder encoder = code.plan().encoder(SHAPE, networks);
        GroupDecoder decoder = code.plan().decoder(networks);
        for (int members = 1; members <= k; members++) {
            List<float[]> queries = queries(members);
            float[] answer = load(MODEL.forImages()).predict(encoder.encode(queries, 0));
            for (int lost = 0; lost < members; lost++) {
                float[][] predictions = queries.stream().map(MODEL::predict).toArray(float[][]::new);
                float[] expected = predictions[lost];
                predictions[lost] = null;

                boolean reconstructed =
                        decoder.decode(predictions, new float[][] {answer}).get(lost);

                String what = "k = " + k + ", " + members + " members, lost " + lost;
                boolean firstOfSome = lost == 0 && members > 1 && members < k; // it stands for the absent ones as well
                assertThat(reconstructed).as(what).isEqualTo(!firstOfSome);
                if (reconstructed) {
                    int off = members == 1 ? 0 : OFFSET; // a lonely query is asked twice
                    assertThat(predictions[lost]).as(what).containsExactly(expected[0] + off, expected[1] + off);
                } else {
                    assertThat(predictions[lost]).as(what).isNull();
                }
            }
        }
    }

    /** More groups than the network gets at once. */
    @Test
    void manyGroups() {
        LearnedCode code = LearnedCode.of(MODEL.learned(3, OFFSET));
        GroupEncoder encoder =
                code.plan().encoder(SHAPE, role -> load(code.networks().get(role)));
        int groups = 200;
        for (int members = 1; members <= 3; members++) {
            List<float[]> batches = new ArrayList<>();
            for (int member = 0; member < members; member++) {
                float[] batch = new float[groups * 3];
                for (int i = 0; i < batch.length; i++) {
                    batch[i] = member * 7 + i % 11;
                }
                batches.add(batch);
            }
            float[] made = new float[groups * 3];
            encoder.encode(batches, 0, 10, groups, made);
            for (int i = 0; i < made.length; i++) {
                int all = i;
                int sum = members == 1
                        ? i % 11
                        : IntStream.range(0, 3)
                                .map(place -> (int) batches.get(place < batches.size() ? place : 0)[all])
                                .sum();
                assertThat(made[i]).as("%s members, value %s", members, i).isEqualTo(i < 30 ? 0 : sum);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(EncoderKind.class)
    void allParityQueriesComeFromOneRun(EncoderKind kind) {
        List<Integer> shape = List.of(3, 4, 4);
        int groups = 100;
        Random random = new Random(1);
        try (CountedCode code =
                new CountedCode(new CodePlan(3, 2, kind, Loss.MSE_BASE, ChannelMix.SEPARATE), shape, 5)) {
            GroupEncoder encoder = code.encoder(shape, role -> null);
            for (int members = 1; members <= 3; members++) {
                List<float[]> batches = Stream.generate(() -> random(random, groups * 48))
                        .limit(members)
                        .toList();
                List<float[]> expected = List.of(new float[groups * 48], new float[groups * 48]);
                encoder.encode(batches, 0, 10, groups, expected.get(0));
                encoder.encode(batches, 1, 10, groups, expected.get(1));
                int before = code.encoded();
                List<float[]> made = List.of(new float[groups * 48], new float[groups * 48]);
                encoder.encode(batches, 10, groups, made);
                assertThat(made.get(0)).isEqualTo(expected.get(0));
                assertThat(made.get(1)).isEqualTo(expected.get(1)).isNotEqualTo(members == 1 ? null : made.get(0));
                assertThat(code.encoded() - before).as("90 groups, 64 at once").isEqualTo(members == 1 ? 0 : 2);
            }
        }
    }

    /** All losses and all sets of answers in one batch, also those that cannot be repaired, and groups that are not full. */
    @Test
    void groupsAreDecodedTogetherAsOneByOne() {
        Random random = new Random(2);
        try (CountedCode code = new CountedCode(
                new CodePlan(3, 2, EncoderKind.MLP, Loss.MSE_BASE, ChannelMix.SEPARATE), List.of(1, 2, 2), 7)) {
            GroupDecoder decoder = code.decoder(role -> null);
            List<GroupDecoder.Received> groups = new ArrayList<>();
            for (int members = 1; members <= 3; members++) {
                for (int there = 0; there < 1 << (members + 2); there++) {
                    float[][] predictions = new float[members][];
                    float[][] answers = new float[2][];
                    for (int i = 0; i < members + 2; i++) {
                        float[] values = (there >> i & 1) == 1 ? random(random, 7) : null;
                        if (i < members) {
                            predictions[i] = values;
                        } else {
                            answers[i - members] = values;
                        }
                    }
                    groups.add(new GroupDecoder.Received(predictions, answers));
                }
            }
            float[][] poisoned = {{Float.NaN, 0, 0, 0, 0, 0, 0}, null, random(random, 7)};
            groups.add(groups.size() / 2, new GroupDecoder.Received(poisoned, new float[][] {random(random, 7), null}));
            List<float[][]> alone =
                    groups.stream().map(group -> group.predictions().clone()).toList();
            List<BitSet> expected = IntStream.range(0, groups.size())
                    .mapToObj(i -> decoder.decode(alone.get(i), groups.get(i).answers()))
                    .toList();
            int before = code.decoded();

            assertThat(decoder.decode(groups)).isEqualTo(expected);

            assertThat(code.decoded() - before).isEqualTo(1);
            assertThat(before).as("runs of one by one").isGreaterThan(10);
            for (int i = 0; i < groups.size(); i++) {
                for (int member = 0; member < alone.get(i).length; member++) {
                    float[] found = groups.get(i).predictions()[member];
                    if (expected.get(i).get(member)) {
                        assertThat(found).containsExactly(alone.get(i)[member], within(1e-6f));
                    } else {
                        assertThat(found).isSameAs(alone.get(i)[member]);
                    }
                }
            }
            assertThat(decoder.decode(List.of())).isEmpty();
        }
    }

    /** Whole numbers, of which all sums are exact: the same bits. */
    @Test
    void exactGroupsAreDecodedTogetherToTheSameBits() {
        LearnedCode code = LearnedCode.of(MODEL.learned(3, OFFSET));
        GroupDecoder decoder = code.plan().decoder(role -> load(code.networks().get(role)));
        List<GroupDecoder.Received> groups = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            float[][] predictions = {{i, i * i % 17}, {-i, 3 * i}, {i % 5, 7}};
            float[][] answers = {{i % 5, i * i % 17 + 3 * i + 7}};
            predictions[i % 3] = null;
            groups.add(new GroupDecoder.Received(predictions, answers));
        }
        assertThat(decoder.decode(groups)).allMatch(found -> found.cardinality() == 1);
        for (int i = 0; i < 1000; i++) {
            float[][] expected = {{i, i * i % 17}, {-i, 3 * i}, {i % 5, 7}};
            expected[i % 3][0] += OFFSET;
            expected[i % 3][1] += OFFSET;
            assertThat(groups.get(i).predictions()).isDeepEqualTo(expected);
        }
    }

    private static float[] random(Random random, int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat();
        }
        return values;
    }

    /** As on Spark, where the networks of a protected model are protected, too. */
    @ParameterizedTest
    @EnumSource(EncoderKind.class)
    void networksCanBeProtected(EncoderKind kind) {
        CodePlan plan = new CodePlan(3, 2, kind, Loss.MSE_BASE, ChannelMix.SEPARATE);
        List<Integer> shape = List.of(3, 8, 8);
        ModelFile file =
                Initialisation.PYTORCH.apply(plan.encoderNetwork(shape), 1).toModelFile();
        ModelOptions checked = ModelOptions.DEFAULT.withProtection(Protection.of(Protection.Mode.GLOBAL));
        float[] values = new float[3 * 64];
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 17 / 17f;
        }
        List<float[]> queries = List.of(values, values, values);
        try (Model safe = ModelEngines.load(file, checked)) {
            float[] expected = plan.encoder(shape, role -> load(file)).encode(queries, 1);
            assertThat(plan.encoder(shape, role -> safe).encode(queries, 1)).containsExactly(expected, within(1e-4f));
        }
    }

    private static List<float[]> queries(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new float[] {i, i * i % 5, 3 - i})
                .toList();
    }
}
