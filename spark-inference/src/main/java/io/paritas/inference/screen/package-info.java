/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Finds executors whose processors compute wrong predictions. A {@link io.paritas.inference.screen.Sampler} picks some of the
 * batches that an executor has predicted, a {@link io.paritas.inference.screen.Jury} has other executors predict them again and
 * says who was wrong, and the {@link io.paritas.inference.screen.Ledger} says when that is too often.
 * {@link io.paritas.inference.screen.Screens} has what looks at the predictions of a JVM.
 *
 * <p>Kosaian's thesis (CMU-CS-23-110, 11.2.1) proposes the use of redundant predictions to find silent faults.
 */
package io.paritas.inference.screen;
