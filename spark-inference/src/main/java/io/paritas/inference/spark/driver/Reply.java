/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

/**
 * The coordinator's reply to a {@link TaskMessage}: an instruction to {@code START} and {@code LOST}, what to do for others to all
 * others but {@code END}, which has none. It crosses as numbers, because Spark reads replies with a class loader that does not
 * know the jars of an application, and ends an executor that gets one of their classes.
 */
sealed interface Reply permits Instructed, Help {

    /** The numbers that cross. */
    long[] encode();
}
