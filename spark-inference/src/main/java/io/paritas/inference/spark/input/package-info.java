/* SPDX-License-Identifier: Apache-2.0 */
/** How the values of Spark's columns become the float32 input of a model. */
package io.paritas.inference.spark.input;
