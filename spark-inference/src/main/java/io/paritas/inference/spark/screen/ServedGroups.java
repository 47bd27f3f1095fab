/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.parity.Residual;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.screen.Reason;
import io.paritas.inference.screen.Sample;
import io.paritas.inference.serving.AnsweredGroup;
import io.paritas.inference.serving.AnsweredGroup.Answer;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Compares the coding groups of a served model with their parities, in the thread of the driver's screening. Which answer of a group that
 * does not fit is wrong, a residual does not tell: each is audited. Nothing is changed. Thread-safe.
 */
public final class ServedGroups implements Consumer<AnsweredGroup> {
    private final DriverScreening screening;
    private final Residual residual;
    private final ResidualBound bound;
    private final Map<Role, String> models;
    private final Supplier<Map<Instance, String>> executors;

    ServedGroups(
            DriverScreening screening,
            Residual residual,
            ResidualBound bound,
            Map<Role, String> models,
            Supplier<Map<Instance, String>> executors) {
        this.screening = screening;
        this.residual = residual;
        this.bound = bound;
        this.models = Map.copyOf(models);
        this.executors = executors;
    }

    /**
     * Who compares the groups of a version.
     *
     * @param residual of its code
     * @param bound above which a group is suspect
     * @param models names of the models, as {@link io.paritas.inference.ModelPool#name} makes them
     * @param executors ids of the executors of the instances that there are now
     * @return empty if this application is not screened, or its groups cannot be compared
     */
    public static Optional<Consumer<AnsweredGroup>> comparer(
            Optional<Residual> residual,
            ResidualBound bound,
            Map<Role, String> models,
            Supplier<Map<Instance, String>> executors) {
        return DriverScreening.current()
                .filter(screening -> residual.isPresent() && bound.isKnown())
                .map(screening -> new ServedGroups(screening, residual.get(), bound, models, executors));
    }

    /** Compares a group later, or never if too many wait. */
    @Override
    public void accept(AnsweredGroup group) {
        screening.later(() -> compare(group));
    }

    void compare(AnsweredGroup group) {
        List<Answer> predictions = group.predictions();
        double largest = bound.needsInputs() ? largest(predictions) : 0;
        double limit = bound.of(group.parity(), predictions.size(), largest);
        if (limit == Double.POSITIVE_INFINITY) {
            return; // nothing is known of groups that are not full
        }
        float[][] values = predictions.stream().map(Answer::values).toArray(float[][]::new);
        List<Answer> all =
                Stream.concat(predictions.stream(), Stream.of(group.answer())).toList();
        if (residual.of(group.parity(), values, group.answer().values()) <= limit) {
            Map<Instance, String> there = executors.get();
            screening.fits(all.stream()
                    .map(answer -> there.get(answer.by()))
                    .filter(Objects::nonNull)
                    .toList());
        } else if (screening.misfit()) {
            screening.audit(samples(all, executors.get()));
        }
    }

    private static double largest(List<Answer> predictions) {
        double largest = 0;
        for (Answer answer : predictions) {
            largest = Math.max(largest, ResidualBound.largest(answer.input().get()));
        }
        return largest;
    }

    /** Those that another executor can predict again, and whose executor is there. */
    private List<DriverScreening.Served> samples(List<Answer> answers, Map<Instance, String> there) {
        List<DriverScreening.Served> samples = new ArrayList<>();
        for (Answer answer : answers) {
            Role role = answer.by().role();
            String executor = there.get(answer.by());
            if (executor != null && hasOthers(executor, role, there)) {
                samples.add(new DriverScreening.Served(
                        executor,
                        new Sample(
                                models.get(role),
                                1,
                                false,
                                1,
                                answer.input().get(),
                                answer.values(),
                                Reason.RESIDUAL)));
            }
        }
        return samples;
    }

    private static boolean hasOthers(String executor, Role role, Map<Instance, String> there) {
        return there.entrySet().stream()
                .anyMatch(other ->
                        other.getKey().role().equals(role) && !other.getValue().equals(executor));
    }
}
