/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.screen;

import io.paritas.inference.parity.Residual;
import io.paritas.inference.parity.ResidualBound;
import io.paritas.inference.screen.Reason;
import io.paritas.inference.screen.Sample;
import io.paritas.inference.serving.AnswerObserver;
import io.paritas.inference.serving.AnsweredGroup;
import io.paritas.inference.serving.Instance;
import io.paritas.inference.serving.InstanceAnswer;
import io.paritas.inference.serving.Role;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Screens what the instances of a served model answer, in the thread of the driver's screening: some answers are audited at random, and
 * coding groups are compared with their parities. Which answer of a group that does not fit is wrong, a residual does not tell: each is
 * audited. Nothing is changed. Thread-safe.
 */
public final class ServedAnswers implements AnswerObserver {
    private final DriverScreening screening;
    private final Optional<Residual> residual;
    private final ResidualBound bound;
    private final Map<Role, String> models;
    private final Supplier<Map<Instance, String>> executors;

    ServedAnswers(
            DriverScreening screening,
            Optional<Residual> residual,
            ResidualBound bound,
            Map<Role, String> models,
            Supplier<Map<Instance, String>> executors) {
        this.screening = screening;
        this.residual = residual.filter(known -> bound.isKnown());
        this.bound = bound;
        this.models = Map.copyOf(models);
        this.executors = executors;
    }

    /**
     * Who looks at the answers of a version.
     *
     * @param residual of its code, if it has one whose groups can be compared
     * @param bound above which a group is suspect
     * @param models names of the models, as {@link io.paritas.inference.ModelPool#name} makes them
     * @param executors ids of the executors of the instances that there are now
     * @return {@link AnswerObserver#NONE} if this application is not screened
     */
    public static AnswerObserver observer(
            Optional<Residual> residual,
            ResidualBound bound,
            Map<Role, String> models,
            Supplier<Map<Instance, String>> executors) {
        return DriverScreening.current()
                .<AnswerObserver>map(screening -> new ServedAnswers(screening, residual, bound, models, executors))
                .orElse(NONE);
    }

    /** Has the answer audited later, if it is one of those that are picked; never if too many wait. */
    @Override
    public void answered(InstanceAnswer answer) {
        if (screening.picks()) {
            screening.later(() -> audit(List.of(answer), executors.get(), Reason.CHANCE));
        }
    }

    @Override
    public boolean wantsGroups() {
        return residual.isPresent();
    }

    /** Compares a group later, or never if too many wait. */
    @Override
    public void completed(AnsweredGroup group) {
        residual.ifPresent(known -> screening.later(() -> compare(known, group)));
    }

    private void compare(Residual known, AnsweredGroup group) {
        List<InstanceAnswer> predictions = group.predictions();
        double largest = bound.needsInputs() ? largest(predictions) : 0;
        double limit = bound.of(group.parity(), predictions.size(), largest);
        if (limit == Double.POSITIVE_INFINITY) {
            return; // nothing is known of groups that are not full
        }
        float[][] values = predictions.stream().map(InstanceAnswer::values).toArray(float[][]::new);
        List<InstanceAnswer> all =
                Stream.concat(predictions.stream(), Stream.of(group.answer())).toList();
        if (known.of(group.parity(), values, group.answer().values()) <= limit) {
            Map<Instance, String> there = executors.get();
            screening.fits(all.stream()
                    .map(answer -> there.get(answer.by()))
                    .filter(Objects::nonNull)
                    .toList());
        } else if (screening.misfit()) {
            audit(all, executors.get(), Reason.RESIDUAL);
        }
    }

    private static double largest(List<InstanceAnswer> predictions) {
        double largest = 0;
        for (InstanceAnswer answer : predictions) {
            largest = Math.max(largest, ResidualBound.largest(answer.input().get()));
        }
        return largest;
    }

    /** Has those answers audited that another executor can predict again, and whose executor is there. */
    private void audit(List<InstanceAnswer> answers, Map<Instance, String> there, Reason reason) {
        for (InstanceAnswer answer : answers) {
            Role role = answer.by().role();
            String executor = there.get(answer.by());
            if (executor != null && hasOthers(executor, role, there)) {
                screening.audit(
                        executor,
                        new Sample(models.get(role), 1, false, 1, answer.input().get(), answer.values(), reason));
            }
        }
    }

    private static boolean hasOthers(String executor, Role role, Map<Instance, String> there) {
        return there.entrySet().stream()
                .anyMatch(other ->
                        other.getKey().role().equals(role) && !other.getValue().equals(executor));
    }
}
