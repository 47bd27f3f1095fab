/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.quickstart;

import io.paritas.erasure.CodeParameters;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The erasure-coding policies that the quickstart can show: those of HDFS with the codec {@code rs}. */
enum Policy {
    RS_3_2("RS-3-2-1024k", new CodeParameters(3, 2)),
    RS_6_3("RS-6-3-1024k", new CodeParameters(6, 3)),
    RS_10_4("RS-10-4-1024k", new CodeParameters(10, 4));

    /** The bytes of one unit that HDFS fills before it goes on to the next. */
    static final int CELL = 1 << 20;

    private final String hdfsName;
    private final CodeParameters code;

    Policy(String hdfsName, CodeParameters code) {
        this.hdfsName = hdfsName;
        this.code = code;
    }

    /** Returns the policy by HDFS's name. */
    static Policy named(String hdfsName) {
        return Arrays.stream(values())
                .filter(policy -> policy.hdfsName.equalsIgnoreCase(hdfsName))
                .findFirst()
                .orElseThrow(() -> new CheckFailed("--policy must be one of " + names() + ", got " + hdfsName));
    }

    /** All names, for a message. */
    static String names() {
        return Arrays.stream(values()).map(Policy::toString).collect(Collectors.joining(", "));
    }

    CodeParameters code() {
        return code;
    }

    /** Returns the number of units of a block group with this many bytes; a short group has fewer data units. */
    int units(long groupBytes) {
        long cells = (groupBytes + CELL - 1) / CELL;
        return (int) Math.min(code.k(), cells) + code.r();
    }

    /** HDFS's name. */
    @Override
    public String toString() {
        return hdfsName;
    }
}
