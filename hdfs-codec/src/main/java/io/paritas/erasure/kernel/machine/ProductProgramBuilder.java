/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.ProductProgram.Load;
import io.paritas.erasure.kernel.machine.ProductProgram.Statement;
import io.paritas.erasure.kernel.machine.ProductProgram.Store;
import io.paritas.erasure.kernel.machine.ProductProgram.Times;
import io.paritas.erasure.kernel.machine.ProductProgram.Xor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Writes the statements: inputs in order, each followed by what can be computed of it. */
final class ProductProgramBuilder {
    /** The most values of one xor instruction. */
    private static final int TERMS = 3;

    private final int[][] rows;
    private final int inputs;
    private final List<Statement> statements = new ArrayList<>();
    private int values;

    ProductProgramBuilder(int[][] rows) {
        this.rows = rows;
        this.inputs = rows[0].length;
    }

    /** @param grouped whether inputs with equal coefficients are added up before they are multiplied */
    ProductProgram build(RowBasis basis, boolean grouped) {
        List<SortedMap<Integer, List<Integer>>> groups =
                Arrays.stream(basis.sums()).map(sum -> groups(sum, grouped)).toList();
        List<Deque<Integer>> sums =
                groups.stream().<Deque<Integer>>map(group -> new ArrayDeque<>()).toList();
        Map<List<Integer>, Integer> known = new HashMap<>();
        for (int input = 0; input < inputs; input++) {
            int last = input;
            statements.add(new Load(values, input));
            known.put(List.of(input), values++);
            for (int i = 0; i < sums.size(); i++) {
                Deque<Integer> sum = sums.get(i);
                groups.get(i).forEach((key, members) -> {
                    if (members.get(members.size() - 1) == last) {
                        add(sum, times(sumOf(known, members), key & 255));
                    }
                });
            }
        }
        finish(sums, basis.combinations());
        return new ProductProgram(inputs, rows.length, values, List.copyOf(statements));
    }

    /** The inputs of each coefficient; or, if they are not grouped, each input by itself. */
    private static SortedMap<Integer, List<Integer>> groups(int[] row, boolean grouped) {
        SortedMap<Integer, List<Integer>> groups = new TreeMap<>();
        for (int input = 0; input < row.length; input++) {
            if (row[input] != 0) {
                groups.computeIfAbsent(grouped ? row[input] : input << 8 | row[input], key -> new ArrayList<>())
                        .add(input);
            }
        }
        return groups;
    }

    private int times(int value, int constant) {
        if (constant == 1) {
            return value;
        }
        statements.add(new Times(values, value, constant));
        return values++;
    }

    private int xor(List<Integer> terms) {
        statements.add(new Xor(values, terms));
        return values++;
    }

    /** Halves of a sum are sums that other rows may share. */
    private int sumOf(Map<List<Integer>, Integer> known, List<Integer> members) {
        Integer value = known.get(members);
        if (value == null) {
            int half = members.size() / 2;
            value = xor(List.of(
                    sumOf(known, members.subList(0, half)), sumOf(known, members.subList(half, members.size()))));
            known.put(List.copyOf(members), value);
        }
        return value;
    }

    private void add(Deque<Integer> sum, int value) {
        sum.add(value);
        if (sum.size() == TERMS) {
            sum.add(xor(List.of(sum.remove(), sum.remove(), sum.remove())));
        }
    }

    /** A row of the basis that only one output needs is not added up before. */
    private void finish(List<Deque<Integer>> sums, int[] combinations) {
        int[] shared = new int[sums.size()];
        for (int i = 0; i < shared.length; i++) {
            int bit = 1 << i;
            boolean isShared =
                    Arrays.stream(combinations).filter(set -> (set & bit) != 0).count() > 1;
            shared[i] = isShared ? total(sums.get(i)) : -1;
        }
        for (int output = 0; output < combinations.length; output++) {
            Deque<Integer> terms = new ArrayDeque<>();
            for (int i = 0; i < shared.length; i++) {
                if ((combinations[output] >> i & 1) != 0) {
                    if (shared[i] >= 0) {
                        terms.add(shared[i]);
                    } else {
                        terms.addAll(sums.get(i));
                    }
                }
            }
            statements.add(new Store(total(terms), output));
        }
    }

    private int total(Deque<Integer> terms) {
        if (terms.isEmpty()) {
            return xor(List.of());
        }
        while (terms.size() > 1) {
            terms.addFirst(
                    terms.size() == 2
                            ? xor(List.of(terms.remove(), terms.remove()))
                            : xor(List.of(terms.remove(), terms.remove(), terms.remove())));
        }
        return terms.remove();
    }
}
