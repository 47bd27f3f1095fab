/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

/** Throws what no method declares, as Spark does, which is written in Scala. */
public final class Undeclared {
    private Undeclared() {}

    public static void raise(Exception e) {
        Undeclared.<RuntimeException>sneak(e);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> void sneak(Exception e) throws E {
        throw (E) e;
    }
}
