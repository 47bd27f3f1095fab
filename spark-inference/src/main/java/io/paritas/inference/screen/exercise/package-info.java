/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A screen for a machine: exercises whose results are known, computed over and over on each of its processors. Each
 * {@link io.paritas.inference.screen.exercise.Exercise} uses kernels of Paritas, with the vector units that they use;
 * {@link io.paritas.inference.screen.exercise.MachineScreen} runs them.
 */
package io.paritas.inference.screen.exercise;
