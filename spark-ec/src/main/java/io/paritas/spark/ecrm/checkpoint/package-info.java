/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Checkpoints of a model as files, in a folder of any file system that Hadoop knows. {@link
 * io.paritas.spark.ecrm.checkpoint.CheckpointFolder} lists and commits them, {@link
 * io.paritas.spark.ecrm.checkpoint.CheckpointLayout} computes where data is in the files, and {@link
 * io.paritas.spark.ecrm.checkpoint.Checkpoint} reads one, also into another number of servers or another redundancy.
 */
package io.paritas.spark.ecrm.checkpoint;
