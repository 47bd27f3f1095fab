/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import io.paritas.random.SplitMix64;
import java.io.Serializable;

/**
 * A parser of the lines of Criteo's click logs: 40 fields between tabs, of which all but the first may be empty.
 *
 * <pre>
 * label (0 or 1), I1 … I13 (whole numbers), C1 … C26 (hexadecimal numbers of up to 16 digits)
 * </pre>
 *
 * Numbers become ln(1 + max(x, 0)), missing ones 0. A categorical value is hashed, together with the number of its field, into
 * the rows of its table; a missing one is a value of its own.
 */
final class CriteoLine implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int FIELDS = 1 + CriteoLogs.DENSE + CriteoLogs.CATEGORICAL;
    private static final int MISSING = -1;

    private final Tables tables;

    /** @throws IllegalArgumentException unless there is one table or one for each categorical field */
    CriteoLine(Tables tables) {
        if (tables.count() != 1 && tables.count() != CriteoLogs.CATEGORICAL) {
            throw new IllegalArgumentException(
                    "Criteo's 26 categorical fields need 1 or 26 tables, got " + tables.count());
        }
        this.tables = tables;
    }

    /** @throws IllegalArgumentException if the line is malformed; the message says how */
    Sample parse(String line) {
        String[] fields = line.split("\t", -1);
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException("it must have " + FIELDS + " fields, got " + fields.length);
        }
        if (!fields[0].equals("0") && !fields[0].equals("1")) {
            throw new IllegalArgumentException("its label must be 0 or 1, got '" + fields[0] + "'");
        }
        float[] dense = new float[CriteoLogs.DENSE];
        for (int i = 0; i < dense.length; i++) {
            dense[i] = number("I", i, fields[1 + i]);
        }
        long[] categorical = new long[CriteoLogs.CATEGORICAL];
        for (int i = 0; i < categorical.length; i++) {
            categorical[i] = row(i, fields[1 + CriteoLogs.DENSE + i]);
        }
        return new Sample(Float.parseFloat(fields[0]), dense, categorical);
    }

    private static float number(String group, int index, String field) {
        try {
            return field.isEmpty() ? 0 : (float) StrictMath.log1p(Math.max(0, Long.parseLong(field)));
        } catch (NumberFormatException e) {
            throw wrong(group, index, field, "whole");
        }
    }

    private long row(int index, String field) {
        int table = tables.count() == 1 ? 0 : index;
        return tables.first(table) + Long.remainderUnsigned(value(index, field), tables.rows(table));
    }

    private static long value(int index, String field) {
        if (field.isEmpty()) {
            return SplitMix64.key(index, MISSING);
        }
        try {
            return SplitMix64.key(index, 0, Long.parseUnsignedLong(field, 16));
        } catch (NumberFormatException e) {
            throw wrong("C", index, field, "hexadecimal");
        }
    }

    private static IllegalArgumentException wrong(String group, int index, String field, String kind) {
        return new IllegalArgumentException(
                "its field " + group + (index + 1) + " must be a " + kind + " number, got '" + field + "'");
    }
}
