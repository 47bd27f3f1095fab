/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Coded inference on Spark: SQL functions, and an operator whose slow or dead tasks are answered by reconstruction.
 */
package io.paritas.inference.spark;
