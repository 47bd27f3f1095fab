/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

/**
 * What Spark's scheduler says of other tasks when one asks what to do next.
 *
 * @param waiting whether tasks wait for slots
 * @param out tasks of the asker's stage that have not succeeded, itself included
 */
record Others(boolean waiting, int out) {}
