/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Small parts of what an executor has coded, for others to code again: codes work byte by byte, so that a kilobyte of each unit is enough
 * to tell a processor that computes wrong parity. Whoever installs {@link io.paritas.spark.ec.audit.CodedSlices} takes them.
 */
package io.paritas.spark.ec.audit;
