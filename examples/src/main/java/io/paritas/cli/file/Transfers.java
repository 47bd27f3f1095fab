/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.cli.file.PendingFiles.Pending;
import io.paritas.erasure.file.StripeBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Map;

/** Reads whole buffers, where a channel may transfer less, and writes whole stripes. */
final class Transfers {
    private Transfers() {}

    /** Fills the buffer from the file's position and flips it. It is shorter if the file ends before. */
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

    /** Appends a stripe's chunks to the files of their units. */
    static void write(Map<Integer, Pending> files, StripeBuffer stripe) throws IOException {
        for (var file : files.entrySet()) {
            file.getValue().write(stripe.sealed(file.getKey()));
        }
    }
}
