/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Checkpoints as unit files: {@link io.paritas.spark.ec.ErasureCodedCheckpoint} is the face.
 *
 * <p>A checkpoint is a folder {@code checkpoint-<id>} in each of its directories, with a {@code manifest.json}, the same in
 * all of them but for the directory's own number, and unit files, {@code part-00007-3f2a91c0/unit-003.paritas}: what
 * {@code docs/format.md} says, of a file that is one partition's rows. Unit i of partition p is in directory (i + p) mod
 * the number of directories.
 *
 * <p>No file is renamed to commit it: every attempt of a task writes a folder of its own, and the manifest, written when all
 * of them are complete, names those that count. So late attempts of a task change nothing, and object stores, whose renames
 * are copies, do no work twice.
 */
package io.paritas.spark.ec.checkpoint;
