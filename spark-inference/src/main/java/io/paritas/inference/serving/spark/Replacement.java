/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.ModelStatus;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Puts a version of a model in the place of another, without losing queries: the new instances start beside the old ones where
 * there is room; where there is none, the old ones make room one by one, the last deployed one at the very end.
 */
final class Replacement {
    private static final long POLL_MILLIS = 100;
    /* Longer than it takes to load a model where there is room. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

    private final Deployment deployment;
    private final FrontEnd frontEnd;
    private final ServingPlan former;
    private final ServingPlan next;
    private final Duration limit;

    Replacement(Deployment deployment, FrontEnd frontEnd, ServingPlan former, ServingPlan next, Duration limit) {
        this.deployment = deployment;
        this.frontEnd = frontEnd;
        this.former = former;
        this.next = next;
        this.limit = limit;
    }

    /**
     * Replaces it.
     *
     * @throws IllegalStateException if the new instances are not ready in time; all is as it was then
     */
    void run() throws InterruptedException, ExecutionException {
        deployment.deploy(next);
        String name = former.served().name();
        String version = former.served().version();
        if (!awaitInstances()) {
            deployment.restore(name, version);
            frontEnd.retire(name, next.served().version()).get();
            deployment.stop(name, next.served().version());
            throw new IllegalStateException("the instances of " + next.served() + " are ready within "
                    + limit.toSeconds() + " s; they were not, so " + former.served()
                    + " is served on: look into the executors' logs");
        }
        frontEnd.promote(name, next.served().version());
        frontEnd.retire(name, version).get();
        deployment.stop(name, version);
    }

    /** Until all are there, or one for each role and nothing more can make room for the others. */
    private boolean awaitInstances() throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        long progress = System.nanoTime();
        int ready = 0;
        while (!deployment.isComplete(next)) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            long now = System.nanoTime();
            int count = status().instances().size();
            if (count != ready) {
                ready = count;
                progress = now;
            } else if (now - progress > PATIENCE) {
                progress = now;
                if (!deployment.release(former.served().name(), former.served().version()) && isUsable()) {
                    return true;
                }
            }
            if (now > end) {
                return false;
            }
        }
        return true;
    }

    private boolean isUsable() {
        ModelStatus status = status();
        return next.served().policy().roles().stream().allMatch(role -> status.instances(role) > 0);
    }

    private ModelStatus status() {
        return frontEnd.status(next.served().name(), next.served().version());
    }
}
