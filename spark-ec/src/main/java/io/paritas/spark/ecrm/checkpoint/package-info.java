/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A model as files, in a folder of any file system that Hadoop knows. {@link io.paritas.spark.ecrm.checkpoint.CheckpointFolder} finds
 * them, {@link io.paritas.spark.ecrm.checkpoint.Geometry} says where what is in them, and {@link
 * io.paritas.spark.ecrm.checkpoint.Checkpoint} reads one, also for another number of servers or another redundancy.
 */
package io.paritas.spark.ecrm.checkpoint;
