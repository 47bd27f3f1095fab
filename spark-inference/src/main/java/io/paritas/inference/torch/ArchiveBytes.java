/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.torch;

import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.ArchiveWriter;
import org.bytedeco.pytorch.OutputArchive;

/**
 * Takes what LibTorch writes into an archive, as far as there is room for it. There is no temporary file, because LibTorch ends the JVM
 * if it cannot write a file to its end.
 */
final class ArchiveBytes extends ArchiveWriter {
    private final byte[] bytes;
    private long size;

    private ArchiveBytes(int room) {
        bytes = new byte[room];
    }

    /** The bytes of an archive. It is written twice, so that memory has it once. One at a time: LibTorch has room for ten such writers. */
    static synchronized byte[] of(OutputArchive archive) {
        try (ArchiveBytes counted = new ArchiveBytes(0)) {
            archive.save_to(counted);
            try (ArchiveBytes taken = new ArchiveBytes(Math.toIntExact(counted.size))) {
                archive.save_to(taken);
                return taken.bytes;
            }
        }
    }

    /** LibTorch calls it with each piece. */
    @Override
    public long call(Pointer piece, long length) {
        // A tensor of no elements has no piece, and LibTorch ends the JVM where this method throws an exception.
        if (length > 0 && size + length <= bytes.length) {
            new BytePointer(piece).capacity(length).get(bytes, (int) size, (int) length);
        }
        size += length;
        return length;
    }
}
