/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.ModelStatus;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Replaces a version of a model by another, without losing queries. New instances start beside the old ones where there is room;
 * where there is none, old ones end one by one, the last deployed one only when the new version is ready.
 */
final class Replacement {
    private static final long POLL_MILLIS = 100;
    /* Longer than it takes to load a model where there is room. */
    private static final long STALLED = TimeUnit.SECONDS.toNanos(10);

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
     * Replaces the version and returns when the former one is gone.
     *
     * @throws IllegalStateException if the new instances are not ready in time; the former version stays then
     */
    void run() throws InterruptedException, ExecutionException {
        deployment.deploy(next);
        String name = former.served().name();
        String version = former.served().version();
        if (!awaitInstances()) {
            deployment.restore(name, version);
            frontEnd.retire(name, next.served().version()).get();
            deployment.stop(name, next.served().version());
            throw new IllegalStateException("the instances of " + next.served() + " must be ready within "
                    + limit.toSeconds() + " s and were not, so " + former.served()
                    + " stays: see the executors' logs");
        }
        frontEnd.promote(name, next.served().version());
        frontEnd.retire(name, version).get();
        deployment.stop(name, version);
    }

    /** Waits until all instances are ready, or one for each role and no old one can make room for more; false at the limit. */
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
            } else if (now - progress > STALLED) {
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
