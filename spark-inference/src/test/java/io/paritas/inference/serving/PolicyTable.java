/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.Outcome;
import io.paritas.inference.serving.Simulation.Plan;
import io.paritas.inference.serving.Simulation.Result;
import io.paritas.inference.serving.Simulation.Trouble;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Prints what the policies do to the tail on the same six slots, as Markdown: a table for each trouble, a row for each policy, a column for
 * each rate. A cell is p99.9 in milliseconds, the median by it of the runs, and the share of answers that are not predictions of the deployed
 * model. Arguments: queries a run (40,000), runs, with the seeds from 1 (5); then numbers are rates in queries a second, names of troubles are
 * those, and other texts name policies. Without any it takes all rates, the troubles of hosts, and all policies.
 *
 * <pre>{@code
 * java --add-modules jdk.incubator.vector -cp CLASSES:TEST_CLASSES:LIBRARIES io.paritas.inference.serving.PolicyTable 40000 5
 * }</pre>
 */
public final class PolicyTable {
    private static final Duration WAIT = Duration.ofMillis(2);
    private static final List<Integer> RATES = List.of(100, 250, 500, 1_000, 1_500, 2_000, 3_000, 4_000);
    private static final List<Trouble> TROUBLES =
            List.of(Trouble.NONE, Trouble.SLOW_HOST, Trouble.SLOW_PAIR, Trouble.TRANSFERS);
    /* A queue that grows all the time has a tail that depends on the number of queries. */
    private static final double SATURATED = 100;

    private PolicyTable() {}

    static Map<String, Policy> policies() {
        Map<String, Policy> policies = new LinkedHashMap<>();
        policies.put("coded, 4 + 2", Simulation.coded(2, WAIT));
        policies.put("coded, patience 0", Simulation.coded(0, WAIT));
        policies.put("equal", new Policy.Uncoded());
        policies.put("replicated", new Policy.Replicated(2));
        policies.put("hedged at p80", new Policy.Hedged(80, WAIT));
        policies.put("hedged at p95", new Policy.Hedged(95, WAIT));
        policies.put("hedged by load", new Policy.Hedged(0, WAIT));
        policies.put("auto", new Policy.Auto(WAIT));
        policies.put("backup, 4 + 2", new Policy.Backup());
        return policies;
    }

    private static Result median(Policy policy, Trouble trouble, int queries, int runs, int rate) {
        return IntStream.rangeClosed(1, runs)
                .mapToObj(seed -> Simulation.run(new Plan(policy, trouble, queries, rate, seed)))
                .sorted(Comparator.comparingDouble(Result::p999))
                .toList()
                .get(runs / 2);
    }

    private static String cell(Result result) {
        if (result.p999() > SATURATED) {
            return "saturated";
        }
        double others = 1 - result.share(Outcome.PREDICTED);
        return String.format(Locale.ROOT, "%.1f", result.p999())
                + (others == 0 ? "" : String.format(Locale.ROOT, " (%.1f %%)", 100 * others));
    }

    public static void main(String[] arguments) {
        int queries = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 40_000;
        int runs = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
        List<String> chosen = Arrays.asList(arguments).subList(Math.min(2, arguments.length), arguments.length);
        List<Integer> rates = chosen.stream()
                .filter(text -> text.matches("\\d+"))
                .map(Integer::valueOf)
                .toList();
        List<Trouble> troubles = Arrays.stream(Trouble.values())
                .filter(trouble -> chosen.contains(trouble.name()))
                .toList();
        Map<String, Policy> policies = policies();
        if (chosen.stream().anyMatch(policies::containsKey)) {
            policies.keySet().retainAll(chosen);
        }
        for (Trouble trouble : troubles.isEmpty() ? TROUBLES : troubles) {
            print(trouble, policies, rates.isEmpty() ? RATES : rates, queries, runs);
        }
    }

    private static void print(
            Trouble trouble, Map<String, Policy> policies, List<Integer> rates, int queries, int runs) {
        StringBuilder head = new StringBuilder("| " + trouble.label() + " |");
        rates.forEach(rate -> head.append(String.format(Locale.ROOT, " %,d/s |", rate)));
        System.out.println(head);
        System.out.println("|---|" + "---:|".repeat(rates.size()));
        policies.forEach((name, policy) -> {
            StringBuilder row = new StringBuilder("| " + name + " |");
            for (int rate : rates) {
                row.append(" ")
                        .append(cell(median(policy, trouble, queries, runs, rate)))
                        .append(" |");
            }
            System.out.println(row);
        });
        System.out.println();
    }
}
