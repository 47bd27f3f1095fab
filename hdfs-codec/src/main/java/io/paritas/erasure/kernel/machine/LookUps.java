/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.ProductProgram.Load;
import io.paritas.erasure.kernel.machine.ProductProgram.LookUp;
import io.paritas.erasure.kernel.machine.ProductProgram.Nibble;
import io.paritas.erasure.kernel.machine.ProductProgram.Statement;
import io.paritas.erasure.kernel.machine.ProductProgram.Store;
import io.paritas.erasure.kernel.machine.ProductProgram.Times;
import io.paritas.erasure.kernel.machine.ProductProgram.Xor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes a program again for a processor that has no instruction for products, but looks 16 bytes up in a vector. Both halves of a product are
 * added to the sum that wants it as soon as they are there: it takes few registers, and one instruction where that adds up three values.
 */
final class LookUps {
    /** A sum, and what of it is still to be added. */
    private static final class Sum {
        final List<Integer> left;
        /** The value of what has been added; null at first. */
        Integer total;

        Sum(Xor xor) {
            left = new ArrayList<>(xor.terms());
        }
    }

    private final List<Statement> statements = new ArrayList<>();
    /** The lower nibbles of a value; the upper ones are the next value. */
    private final Map<Integer, Integer> nibbles = new HashMap<>();

    /** By the value that the sum is in the program. */
    private final Map<Integer, Sum> sums = new HashMap<>();
    /** The sum that alone wants a product. */
    private final Map<Integer, Sum> wanted = new HashMap<>();
    /** Sums that are never made, but the sums of their terms' nibbles. */
    private final Map<Integer, Xor> split = new HashMap<>();
    /** Values that are there, by their names in the program. */
    private final Map<Integer, Integer> made = new HashMap<>();

    private int values;

    private LookUps(ProductProgram program, boolean splitsSums) {
        values = program.values();
        findSums(program, splitsSums);
        program.statements().forEach(this::lower);
    }

    /**
     * @param splitsSums whether the nibbles of a sum are sums of nibbles, where those are there anyway: it saves an instruction, and takes registers
     */
    static ProductProgram lower(ProductProgram program, boolean splitsSums) {
        LookUps lowered = new LookUps(program, splitsSums);
        return new ProductProgram(program.inputs(), program.outputs(), lowered.values, List.copyOf(lowered.statements));
    }

    private void findSums(ProductProgram program, boolean splitsSums) {
        int[] uses = new int[values];
        int[] products = new int[values];
        for (Statement statement : program.statements()) {
            for (int value : statement.uses()) {
                uses[value]++;
                products[value] += statement instanceof Times ? 1 : 0;
            }
        }
        for (Statement statement : program.statements()) {
            if (statement instanceof Xor xor) {
                Sum sum = new Sum(xor);
                sums.put(xor.to(), sum);
                xor.terms().stream().filter(term -> uses[term] == 1).forEach(term -> wanted.put(term, sum));
                boolean isMultiplied = products[xor.to()] > 0 && products[xor.to()] == uses[xor.to()];
                if (splitsSums
                        && isMultiplied
                        && xor.terms().size() == 2
                        && xor.terms().stream().allMatch(term -> products[term] > 0)) {
                    split.put(xor.to(), xor);
                }
            }
        }
    }

    private void lower(Statement statement) {
        if (statement instanceof Load load) {
            statements.add(load);
            made.put(load.to(), load.to());
        } else if (statement instanceof Times times) {
            lower(times);
        } else if (statement instanceof Xor xor) {
            lower(xor);
        } else if (statement instanceof Store store) {
            statements.add(new Store(made.get(store.value()), store.output()));
        }
    }

    private void lower(Times times) {
        int lower = nibbles(times.value());
        int one = values++;
        int other = values++;
        statements.add(new LookUp(one, lower, times.constant(), false));
        statements.add(new LookUp(other, lower + 1, times.constant(), true));
        Sum sum = wanted.get(times.to());
        if (sum == null) {
            statements.add(new Xor(times.to(), List.of(one, other)));
            made.put(times.to(), times.to());
        } else {
            add(sum, times.to(), one, other);
        }
    }

    private int nibbles(int value) {
        Integer known = nibbles.get(value);
        if (known != null) {
            return known;
        }
        Xor sum = split.get(value);
        if (sum == null) {
            statements.add(new Nibble(values, made.get(value), false));
            statements.add(new Nibble(values + 1, made.get(value), true));
        } else {
            int one = nibbles(sum.terms().get(0));
            int other = nibbles(sum.terms().get(1));
            statements.add(new Xor(values, List.of(one, other)));
            statements.add(new Xor(values + 1, List.of(one + 1, other + 1)));
        }
        nibbles.put(value, values);
        values += 2;
        return values - 2;
    }

    /** Adds both halves of a product to what there is of its sum, be it a term that is there already. */
    private void add(Sum sum, int product, int one, int other) {
        sum.left.remove((Integer) product);
        if (sum.total == null) {
            sum.left.stream().filter(made::containsKey).findFirst().ifPresent(term -> {
                sum.left.remove(term);
                sum.total = made.get(term);
            });
        }
        List<Integer> terms = sum.total == null ? List.of(one, other) : List.of(sum.total, one, other);
        sum.total = values++;
        statements.add(new Xor(sum.total, terms));
    }

    private void lower(Xor xor) {
        if (split.containsKey(xor.to())) {
            return;
        }
        Sum sum = sums.get(xor.to());
        if (sum.total != null && sum.left.isEmpty()) {
            made.put(xor.to(), sum.total);
            return;
        }
        List<Integer> terms = new ArrayList<>();
        if (sum.total != null) {
            terms.add(sum.total);
        }
        sum.left.forEach(term -> terms.add(made.get(term)));
        statements.add(new Xor(xor.to(), terms));
        made.put(xor.to(), xor.to());
    }
}
