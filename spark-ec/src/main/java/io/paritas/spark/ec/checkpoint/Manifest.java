/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import io.paritas.erasure.file.UnitGroup;
import java.util.List;

/**
 * What a checkpoint is. Immutable.
 *
 * @param id a random number that no other checkpoint has
 * @param replaces the checkpoints that were in its directories before
 * @param code the code
 * @param chunk how long the cells are
 * @param directories how many there are
 * @param compression of the partitions
 * @param sparkVersion of the Spark that wrote it
 * @param content what the partitions hold
 * @param parts the partitions, in order
 */
record Manifest(
        String id,
        List<String> replaces,
        CodeName code,
        ChunkSize chunk,
        int directories,
        Compression compression,
        String sparkVersion,
        Content content,
        List<Part> parts) {

    /** What it is called in the checkpoint's folder. */
    static final String FILE_NAME = "manifest.json";

    Manifest {
        replaces = List.copyOf(replaces);
        parts = List.copyOf(parts);
        UnitGroup.checkStripe(code, chunk);
        if (directories < 1) {
            throw new IllegalArgumentException("A checkpoint has at least one directory; got " + directories);
        }
        for (int index = 0; index < parts.size(); index++) {
            if (parts.get(index).index() != index) {
                throw new IllegalArgumentException("The partitions of a checkpoint are numbered from 0; got "
                        + parts.get(index).index() + " in the place of " + index);
            }
        }
    }

    /** Where its unit files are, for directories by number; null where nobody knows one any more. */
    Layout layout(List<String> places) {
        return new Layout(id, code.toString(), chunk.bytes(), places);
    }
}
