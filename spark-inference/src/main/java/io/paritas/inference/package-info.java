/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Coded inference: coding groups of queries, parity models, and the decoding of missing predictions.
 *
 * No code yet. Here will live the model engines, the codes over predictions, and the Spark operator that uses them.
 */
package io.paritas.inference;
