/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * Writes decoded bytes, as fast as others may be read for them. For one thread.
 *
 * @param sources bytes that are read for one that is written
 */
record PacedChannel(WritableByteChannel channel, int sources, Pace pace) implements WritableByteChannel {

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        int written = channel.write(bytes);
        pace.read((long) written * sources);
        return written;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
