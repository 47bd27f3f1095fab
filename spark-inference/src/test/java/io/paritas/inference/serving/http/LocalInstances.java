/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.paritas.inference.TensorSpec;
import io.paritas.inference.parity.Combinations;
import io.paritas.inference.parity.Encoding;
import io.paritas.inference.parity.InputRange;
import io.paritas.inference.parity.ParityPlan;
import io.paritas.inference.parity.Target;
import io.paritas.inference.serving.Code;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Limits;
import io.paritas.inference.serving.Link;
import io.paritas.inference.serving.Policy;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.spark.ExactModel;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** A model in a front end, k = 2, with instances of this JVM, which can be made to answer nothing. */
public final class LocalInstances {
    public static final String NAME = "linear";
    public static final ExactModel MODEL = ExactModel.of(3, 2, 1);

    private final FrontEnd frontEnd;
    private final Executor thread;
    private final Set<String> silent = ConcurrentHashMap.newKeySet();

    public LocalInstances(FrontEnd frontEnd, Executor thread) {
        this.frontEnd = frontEnd;
        this.thread = thread;
    }

    public void serve(String version, Limits limits, int deployed) {
        serve(version, limits, deployed, InputRange.FINITE);
    }

    /** Queries beyond the range are not coded. */
    public void serve(String version, Limits limits, int deployed, InputRange range) {
        ParityPlan plan = new ParityPlan(new Combinations(2, 1), Encoding.ADDITION, Target.OUTPUTS);
        Policy policy = new Policy.Coded(new Code(plan, 1, List.of(3), range, Map.of()), Duration.ofMillis(5), 0);
        frontEnd.add(new ServedModel(
                NAME,
                version,
                new TensorSpec("input", List.of(3)),
                new TensorSpec("output", List.of(2)),
                policy,
                limits));
        for (int i = 0; i < deployed; i++) {
            join(version, Role.DEPLOYED, i);
        }
        join(version, Role.parity(0), 0);
    }

    /** Lets an instance join, which then answers. */
    public void join(String version, Role role, int number) {
        String id = role + "/" + number;
        silent.remove(id);
        frontEnd.join(NAME, version, new Instance(id, 0, role, id), new Link() {
            @Override
            public CompletableFuture<float[][]> predict(long batch, float[][] inputs) {
                return silent.contains(id)
                        ? new CompletableFuture<>()
                        : CompletableFuture.supplyAsync(
                                () -> Arrays.stream(inputs).map(MODEL::predict).toArray(float[][]::new), thread);
            }

            @Override
            public void cancel(long batch) {}
        });
    }

    /** Takes an instance away, as if it were killed. */
    public void lose(String version, Role role, int number) {
        String id = role + "/" + number;
        frontEnd.leave(NAME, version, new Instance(id, 0, role, id));
    }

    /** From now on an instance does not answer, as if it were frozen. */
    public void freeze(Role role, int number) {
        silent.add(role + "/" + number);
    }
}
