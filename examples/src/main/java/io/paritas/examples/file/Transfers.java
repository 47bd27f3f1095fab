/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import io.paritas.erasure.file.StripeBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Map;

/** Reading and writing of whole buffers: a channel may transfer less than it is asked for. */
final class Transfers {
    private Transfers() {}

    /** Fills the buffer from the file's bytes at the position, and flips it: it is shorter if the file ends before. */
    static ByteBuffer read(FileChannel file, long position, ByteBuffer target) throws IOException {
        long at = position;
        while (target.hasRemaining()) {
            int count = file.read(target, at);
            if (count < 0) {
                break;
            }
            at += count;
        }
        return target.flip();
    }

    /** Appends the stripe's chunks of some units, each to its file. */
    static void write(Map<Integer, FileChannel> files, StripeBuffer stripe) throws IOException {
        for (var file : files.entrySet()) {
            write(file.getValue(), stripe.sealed(file.getKey()));
        }
    }

    /** Appends all that remains in the buffer. */
    static void write(FileChannel file, ByteBuffer source) throws IOException {
        while (source.hasRemaining()) {
            file.write(source);
        }
    }
}
