/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Checkpoints as unit files, for {@link io.paritas.spark.ec.ErasureCodedCheckpoint}.
 *
 * <p>A checkpoint is a folder {@code checkpoint-<id>} in each of its directories, with a {@code manifest.json}, the same in
 * all of them but for the directory's own number, and unit files, {@code part-00007-3f2a91c0/unit-003.paritas}, in the format
 * of {@code docs/format.md}, each group for the rows of one partition. Unit i of partition p is in directory (i + p) mod the
 * number of directories.
 *
 * <p>Commits rename no files: every attempt of a task writes a folder of its own, and the manifest, written when all tasks are
 * complete, names the folders that count. So late attempts change nothing, and object stores, whose renames are copies, do no
 * work twice.
 */
package io.paritas.spark.ec.checkpoint;
