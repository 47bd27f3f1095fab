/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.protocol;

import io.netty.util.internal.PlatformDependent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory for bodies of requests until they have come as a whole, of all connections and protocols together. Each body has a bound
 * of its own, but many that come slowly would take all memory of Netty, which Spark's RPC needs, too. Thread-safe.
 */
public final class BodyMemory {
    /** That of this process: a quarter of what Netty may have. */
    public static final BodyMemory OF_PROCESS = new BodyMemory(PlatformDependent.maxDirectMemory() / 4);

    private static final Logger LOG = LoggerFactory.getLogger(BodyMemory.class);

    private final long most;
    private long taken;

    /** This many bytes. */
    public BodyMemory(long most) {
        this.most = most;
    }

    /** Warns if a body that may be as long as this has no room beside another one. */
    public void warnOfBodies(int longest) {
        if (longest > most) {
            LOG.warn(
                    "Paritas: a body may have {} bytes, and all that are on their way {} together: one that is longer"
                            + " comes only while no other does; raise Java's heap, or lower the bound of a body",
                    longest,
                    most);
        }
    }

    /** The part of a connection or a call: nothing yet. */
    public Part part() {
        return new Part();
    }

    /** What a client is told whose body has no room. */
    public String refusal() {
        return "the bodies of all requests that are on their way must have at most " + most
                + " bytes together, this one would make them more: ask again later";
    }

    /** What one connection or call has of it. Thread-safe. */
    public final class Part implements AutoCloseable {
        private long bytes;

        private Part() {}

        /** Takes more, if there is as much. Who is alone gets all that a body may have, though that be more. Nothing can always be taken. */
        public boolean take(long more) {
            synchronized (BodyMemory.this) {
                boolean alone = taken == bytes;
                if (more > 0 && !alone && more > most - taken) {
                    return false;
                }
                bytes += more;
                taken += more;
                return true;
            }
        }

        /** Gives back: as much, or what there is if that is less. */
        public void giveBack(long some) {
            synchronized (BodyMemory.this) {
                long back = Math.min(some, bytes);
                bytes -= back;
                taken -= back;
            }
        }

        /** Gives all back. */
        @Override
        public void close() {
            giveBack(Long.MAX_VALUE);
        }
    }
}
