/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import io.paritas.erasure.CodeFamily;
import io.paritas.erasure.CodeName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.storage.BlockManagerId;

/** Decides which outputs are coded together, and who keeps their parity. */
final class GroupPlanner {
    /** The executor with the most outputs first; among equals, the one with the longest output. */
    private static final Comparator<Queue> LONGEST_QUEUE = Comparator.<Queue>comparingInt(
                    queue -> -queue.outputs().size())
            .thenComparingLong(queue -> -queue.outputs().first().bytes)
            .thenComparingInt(Queue::place);

    private final CodeName code;
    private final List<BlockManagerId> executors;
    private final Keepers keepers;

    /**
     * The outputs of an executor that wait.
     *
     * @param place of the executor among equals
     */
    private record Queue(BlockManagerId executor, NavigableSet<Output> outputs, int place) {}

    /**
     * @param code of full groups
     * @param executors that keep files
     * @param loads parity files of each executor
     */
    GroupPlanner(CodeName code, List<BlockManagerId> executors, Map<BlockManagerId, Integer> loads) {
        this.code = code;
        this.executors = executors;
        this.keepers = new Keepers(executors, loads);
    }

    /**
     * A group to be.
     *
     * @param code of as many data units as there are members
     * @param holders who keeps the parity
     */
    record Plan(CodeName code, List<Output> members, List<BlockManagerId> holders) {}

    /** Groups of k outputs of k executors. */
    List<Plan> full(WaitingOutputs outputs) {
        int most = executors.size() - code.parameters().r();
        return most < code.k() ? List.of() : plan(outputs, code.k(), code.k());
    }

    /** Groups of all outputs: smaller ones of those that are left, and where there are too few executors. */
    List<Plan> all(WaitingOutputs outputs) {
        int most = executors.size() - code.tolerated();
        return most < 1 ? List.of() : plan(outputs, Math.min(code.k(), most), 1);
    }

    /** Groups of all outputs, but outputs that were in a group wait for more executors rather than be in a smaller one. */
    List<Plan> patient(WaitingOutputs outputs) {
        WaitingOutputs former = new WaitingOutputs();
        WaitingOutputs others = new WaitingOutputs();
        outputs.all().forEach(output -> (output.groups().isEmpty() ? others : former).add(output));
        List<Plan> plans = new ArrayList<>(full(former));
        plans.addAll(all(others));
        return plans;
    }

    /** Plans groups of outputs, and removes these from the others. */
    private List<Plan> plan(WaitingOutputs outputs, int width, int least) {
        List<Plan> plans = new ArrayList<>();
        PriorityQueue<Queue> longest = new PriorityQueue<>(LONGEST_QUEUE);
        outputs.of(executors).forEach((executor, its) -> {
            if (!isDone(its)) {
                longest.add(new Queue(executor, its, longest.size()));
            }
        });
        while (longest.size() >= least) {
            List<Queue> queues = Stream.generate(longest::poll)
                    .limit(Math.min(width, longest.size()))
                    .toList();
            CodeName shape = shortened(queues.size());
            plans.add(new Plan(
                    shape,
                    queues.stream().map(queue -> queue.outputs().pollFirst()).toList(),
                    holders(queues, shape.parameters().r())));
            queues.stream().filter(queue -> !isDone(queue.outputs())).forEach(longest::add);
        }
        return plans;
    }

    /** Whether none of an executor's outputs waits. The first one does, if there is one. */
    private static boolean isDone(NavigableSet<Output> outputs) {
        while (!outputs.isEmpty() && !outputs.first().isWaiting()) {
            outputs.pollFirst();
        }
        return outputs.isEmpty();
    }

    /** Executors without data of the group, those with the fewest parity files. */
    private List<BlockManagerId> holders(List<Queue> members, int count) {
        Set<BlockManagerId> taken = members.stream().map(Queue::executor).collect(Collectors.toSet());
        List<BlockManagerId> chosen = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            keepers.first(executor -> !taken.contains(executor)).ifPresent(keeper -> {
                keepers.give(keeper);
                taken.add(keeper);
                chosen.add(keeper);
            });
        }
        return chosen;
    }

    /** The code with fewer data units, and without local groups. Not every shape has a generator of Paritas's own. */
    private CodeName shortened(int k) {
        if (k == code.k() && executors.size() >= code.n()) {
            return code;
        }
        String shape = k + "-" + code.tolerated();
        return CodeName.parse(code.family() == CodeFamily.RS ? code.family() + "-" + shape : shape);
    }
}
