/* SPDX-License-Identifier: Apache-2.0 */
/** Reads columns of Spark rows as the float32 input of a model. */
package io.paritas.inference.spark.input;
