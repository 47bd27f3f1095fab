/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/**
 * Inflates gzip, which may have any number of members (RFC 1952, 2.2). {@link GZIPInputStream} calls itself for each of them that is
 * empty, and a small file of many overflows the stack; this one goes through them in a loop.
 */
public final class GzipStream extends GZIPInputStream {
    private boolean reading;
    private boolean nextMember;

    /**
     * Reads the header of the first member.
     *
     * @throws IOException if there is none, or as the stream has it
     */
    public GzipStream(InputStream in) throws IOException {
        super(in);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (reading) { // called by the method of the superclass, at the end of a member
            nextMember = true;
            return 0;
        }
        reading = true;
        try {
            int count;
            do {
                nextMember = false;
                count = super.read(into, offset, length);
            } while (nextMember);
            return count;
        } finally {
            reading = false;
        }
    }
}
