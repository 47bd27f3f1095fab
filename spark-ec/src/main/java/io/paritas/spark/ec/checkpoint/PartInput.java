/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import io.paritas.erasure.Erasures;
import io.paritas.erasure.file.Reconstruction;
import io.paritas.erasure.file.StripeBuffer;
import io.paritas.erasure.file.StripeReader;
import io.paritas.erasure.file.UnitGroup;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/** The bytes of a partition, from the intact chunks of its units. Has one stripe in memory. Not thread-safe. */
final class PartInput extends InputStream {
    private final UnitGroup group;
    private final UnitFiles units;
    private final StripeReader reader;
    private final Reconstruction reconstruction;
    private final StripeBuffer buffer;
    private final Erasures data;

    private long nextStripe;
    private int nextUnit;
    private ByteBuffer cell = ByteBuffer.allocate(0);

    PartInput(UnitGroup group, UnitFiles units) {
        this.group = group;
        this.units = units;
        reader = new StripeReader(group, units);
        reconstruction = new Reconstruction(group.code().erasureCode());
        buffer = new StripeBuffer(group);
        data = Erasures.of(IntStream.range(0, group.code().k()).toArray());
        nextUnit = group.code().k();
    }

    /** The units found missing or damaged so far. */
    Erasures damaged() {
        return reader.damaged();
    }

    @Override
    public int read() throws IOException {
        return advance() ? Byte.toUnsignedInt(cell.get()) : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!advance()) {
            return -1;
        }
        int count = Math.min(length, cell.remaining());
        cell.get(target, offset, count);
        return count;
    }

    /** Advances to the next cell with bytes; false if there is none. */
    private boolean advance() throws IOException {
        while (!cell.hasRemaining()) {
            if (nextUnit == group.code().k()) {
                if (nextStripe == group.stripes()) {
                    return false;
                }
                reconstruction.obtain(data, nextStripe, reader, buffer);
                nextStripe++;
                nextUnit = 0;
            }
            cell = buffer.cell(nextUnit, group.dataLength(nextStripe - 1, nextUnit));
            nextUnit++;
        }
        return true;
    }

    @Override
    public void close() {
        units.close();
    }
}
