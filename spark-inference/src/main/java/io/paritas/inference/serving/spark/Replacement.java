/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.Outcome;
import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.ModelStatus;
import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.ServedModel;
import io.paritas.inference.serving.spark.Rollout.Instances;
import io.paritas.inference.serving.spark.Rollout.Part;
import io.paritas.inference.serving.spark.Rollout.Step;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Replaces a version of a model by another, without losing queries, by the steps of a {@link Rollout}. */
final class Replacement {
    private static final Logger LOG = LoggerFactory.getLogger(Replacement.class);
    private static final long POLL_MILLIS = 100;

    private final Deployment deployment;
    private final FrontEnd frontEnd;
    private final ServedModel former;
    private final ServingPlan plan;
    private final ServedModel next;
    private final Duration limit;
    private final long stalled;
    private final Rollout rollout;
    private int slots;
    private long progress = System.nanoTime();
    private Instances ready = new Instances(0, 0);
    /* The most that were ready since then: an instance that is back after a loss is no progress. */
    private int most;

    /**
     * @param limit longest wait for one more instance to be ready
     * @param stalled longer than Spark takes to place a task where there is room
     */
    Replacement(
            Deployment deployment,
            FrontEnd frontEnd,
            ServingPlan former,
            ServingPlan next,
            Duration limit,
            Duration stalled) {
        this.deployment = deployment;
        this.frontEnd = frontEnd;
        this.former = former.served();
        this.plan = next;
        this.next = next.served();
        this.limit = limit;
        this.stalled = stalled.toNanos();
        this.rollout = new Rollout(instances(former), instances(next));
    }

    private static Instances instances(ServingPlan plan) {
        int deployed = plan.instances().get(Role.DEPLOYED);
        return new Instances(deployed, plan.slots() - deployed);
    }

    /**
     * Replaces the version and returns when the former one is gone and the new instances are ready.
     *
     * @throws IllegalStateException if there are too few slots, a new instance is not ready in time, or the new version does not
     *     answer its first queries; the former version stays then
     */
    void run() throws InterruptedException, ExecutionException {
        slots = deployment.slotsFor(former);
        requireSlots();
        deployment.prepare(plan);
        deployment.stopSpares(former);
        frontEnd.share(next.name(), next.version());
        while (true) {
            switch (step()) {
                case START_DEPLOYED -> start(Part.DEPLOYED);
                case START_OTHER -> start(Part.OTHERS);
                case STOP_OTHER -> stop(Part.OTHERS);
                case STOP_DEPLOYED -> stop(Part.DEPLOYED);
                case SWITCH -> switchOver();
                case WAIT -> {
                    if (!await()) {
                        deployment.restore(next);
                        return;
                    }
                }
                case DONE -> {
                    deployment.restore(next); // its spares
                    return;
                }
                case REFUSE -> giveUp("there must be a slot for its first instance, and there is none");
            }
        }
    }

    private void requireSlots() {
        if (slots < rollout.slots()) {
            throw new IllegalStateException("the replacement of " + former + " by " + next + " takes " + rollout.slots()
                    + " slots, there are " + slots + ": give the application more cores or executors, or serve fewer"
                    + " instances");
        }
    }

    private Step step() throws InterruptedException, ExecutionException {
        Step step = rollout.step(state());
        boolean forGood = step == Step.STOP_DEPLOYED || step == Step.SWITCH;
        return forGood && !answers() ? Step.WAIT : step;
    }

    /**
     * Whether the new version has answered a query, or got none yet. It is given up if batches of its failed and more of its queries are
     * unavailable than predicted: one batch of a lost instance, whose queries others answer, is not enough.
     */
    private boolean answers() throws InterruptedException, ExecutionException {
        ModelStatus status = frontEnd.status(next.name(), next.version());
        long predicted = status.meter().latencies(Outcome.PREDICTED).count();
        long unavailable = status.meter().latencies(Outcome.UNAVAILABLE).count();
        boolean failed = status.meter().events().get("failed") > 0;
        if (failed && unavailable > predicted) {
            giveUp("its instances fail: of its first queries " + predicted + " were predicted, and " + unavailable
                    + " are unavailable");
        }
        return predicted > 0 || (!failed && status.backlog().unanswered() == 0);
    }

    private Rollout.State state() {
        ready = ready();
        if (ready.all() > most) {
            progressed();
        }
        return new Rollout.State(deployment.kept(former), deployment.kept(next), ready, slots);
    }

    private Instances ready() {
        ModelStatus status = frontEnd.status(next.name(), next.version());
        int deployed = (int) status.instances(Role.DEPLOYED);
        return new Instances(deployed, status.instances().size() - deployed);
    }

    private void progressed() {
        progress = System.nanoTime();
        most = ready.all();
    }

    private void start(Part part) {
        deployment.startOne(next, part);
        progressed();
    }

    /** What was started has time to get the slot, before another one is given up for it. */
    private void stop(Part part) {
        deployment.stopOne(former, part);
        progressed();
    }

    private void switchOver() throws InterruptedException, ExecutionException {
        frontEnd.promote(next.name(), next.version());
        frontEnd.retire(former.name(), former.version()).get();
        deployment.removeNow(former);
        progressed();
    }

    /** Waits a little; false if the wait is over but the new version serves. */
    private boolean await() throws InterruptedException, ExecutionException {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        long waited = System.nanoTime() - progress;
        int waiting = waited > stalled ? deployment.waiting(next, stalled) : 0;
        if (waiting > 0) { // others have the rest, and what was started needs room
            slots = deployment.kept(former).all() + deployment.kept(next).all() - waiting;
        }
        if (waited < limit.toNanos()) {
            return true;
        }
        if (deployment.kept(former).all() == 0) {
            LOG.warn(
                    "Paritas: {} has replaced {}, and {} of its {} instances are ready so far: see the executors' logs",
                    next,
                    former,
                    ready.all(),
                    plan.slots());
            return false;
        }
        giveUp(
                ready.equals(deployment.kept(next))
                        ? "it must predict one of its first queries within " + limit.toSeconds() + " s, and did not"
                        : "its instances must be ready within " + limit.toSeconds() + " s each, and one was not");
        return false;
    }

    private void giveUp(String reason) throws InterruptedException, ExecutionException {
        frontEnd.retire(next.name(), next.version()).get();
        deployment.removeNow(next);
        deployment.restore(former);
        throw new IllegalStateException(
                next + " is not served, " + reason + ", so " + former + " stays: see the executors' logs");
    }
}
