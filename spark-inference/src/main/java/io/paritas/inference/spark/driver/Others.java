/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.driver;

/**
 * What Spark's scheduler says of other tasks when one asks what to do next.
 *
 * @param waiting whether tasks wait for slots
 * @param silent tasks of the asker's stage that have not succeeded, and have not sent a word of any segment: they may be about to start
 *     one
 * @param several whether tasks of the stage may have several segments, because they were coalesced. Such a task starts its next one when
 *     it is told to end the one before
 */
record Others(boolean waiting, int silent, boolean several) {}
