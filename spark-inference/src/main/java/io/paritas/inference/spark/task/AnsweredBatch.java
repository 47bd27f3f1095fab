/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.task;

/** A batch with the answers to the rows that the model gets. */
record AnsweredBatch(Batch batch, Answers answers) {}
