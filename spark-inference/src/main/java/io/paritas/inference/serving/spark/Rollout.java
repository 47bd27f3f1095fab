/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.Role;

/**
 * The rule by which a version of a model replaces another within the slots there are. New instances of the deployed model start
 * first, where there is room; where there is none, the former parity models make it, then its deployed instances one by one, each
 * after a new one is ready. The new parity models start last. So the deployed instances of both versions together are never fewer
 * than before, but where these had all slots: then they are one fewer meanwhile. A pure function of what runs.
 *
 * @param before the instances of the former version
 * @param after the instances of the new version
 */
record Rollout(Instances before, Instances after) {

    /** The two kinds of instances: those of the deployed model, and those of parity and backup models, which queries can miss. */
    enum Part {
        DEPLOYED,
        OTHERS;

        static Part of(Role role) {
            return role.equals(Role.DEPLOYED) ? DEPLOYED : OTHERS;
        }
    }

    /** Numbers of instances, of the deployed model and of others. */
    record Instances(int deployed, int others) {
        int all() {
            return deployed + others;
        }
    }

    /** What to do next. */
    enum Step {
        /** Start an instance of the new deployed model. */
        START_DEPLOYED,
        /** Start another instance of the new version. */
        START_OTHER,
        /** End an instance of the former version that is not of its deployed model. */
        STOP_OTHER,
        /** End an instance of the former deployed model. */
        STOP_DEPLOYED,
        /** Send all queries to the new version, and end the former one when it has answered its own. */
        SWITCH,
        /** Wait for instances to be ready. */
        WAIT,
        /** All is done. */
        DONE,
        /** There are fewer slots than it takes. */
        REFUSE
    }

    /**
     * What runs.
     *
     * @param former instances that were not ended
     * @param started instances of the new version
     * @param ready instances of these that answer
     * @param slots for instances of both versions
     */
    record State(Instances former, Instances started, Instances ready, int slots) {
        private int free() {
            return slots - former.all() - started.all();
        }
    }

    /** The fewest slots that both versions together take. */
    int slots() {
        boolean single = before.deployed == 1 && before.others == 0;
        return Math.max(after.all(), single ? 2 : before.all());
    }

    /** The next step. */
    Step step(State now) {
        if (now.free() > 0 && now.started.deployed < after.deployed) {
            return Step.START_DEPLOYED;
        }
        if (now.free() > 0 && now.started.others < after.others) {
            return Step.START_OTHER;
        }
        boolean waits = !now.ready.equals(now.started);
        if (now.former.all() == 0) {
            return waits || now.started.all() < after.all() ? Step.WAIT : Step.DONE;
        }
        if (waits && now.free() >= 0) {
            return Step.WAIT;
        }
        return now.ready.deployed == after.deployed ? Step.SWITCH : makeRoom(now);
    }

    private static Step makeRoom(State now) {
        if (now.former.others > 0) {
            return Step.STOP_OTHER;
        }
        if (now.former.deployed > 1) {
            return Step.STOP_DEPLOYED;
        }
        return now.ready.deployed > 0 ? Step.SWITCH : Step.REFUSE;
    }
}
