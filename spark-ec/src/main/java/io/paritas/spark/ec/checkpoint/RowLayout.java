/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.nio.ByteOrder;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The layout of rows in bytes: Spark's own layout in memory, {@code UnsafeRow}. It holds every type without conversion, but may
 * differ in other Sparks and on other machines, so the manifest names it.
 */
final class RowLayout {
    private static final Pattern MAJOR = Pattern.compile("([0-9]+)\\..*");

    private RowLayout() {}

    /** The layout of a Spark on this machine, such as {@code unsafe-row-spark-4-little-endian}. */
    static String of(String sparkVersion) {
        Matcher major = MAJOR.matcher(sparkVersion);
        String number = major.matches() ? major.group(1) : sparkVersion;
        return "unsafe-row-spark-" + number + "-"
                + ByteOrder.nativeOrder().toString().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
