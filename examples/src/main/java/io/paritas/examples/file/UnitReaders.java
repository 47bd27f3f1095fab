/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import io.paritas.erasure.Erasures;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Reads the stripes of a group, a chunk of each unit. A chunk that cannot be read is worth as little as one with a wrong
 * checksum: both are erasures of their stripe only.
 */
final class UnitReaders implements Closeable {
    private final UnitGroup group;
    private final Map<Integer, String> lost;
    private final FileChannel[] files;
    private final BitSet used = new BitSet();

    private long stripe;
    private StripeBuffer buffer;

    /** What is wrong with the units in this stripe. */
    private final Map<Integer, String> troubles = new TreeMap<>();

    UnitReaders(UnitSet units) throws IOException {
        group = units.group();
        lost = units.lost();
        files = new FileChannel[group.code().n()];
        for (var file : units.files().entrySet()) {
            files[file.getKey()] = FileChannel.open(file.getValue());
        }
    }

    /** Starts a stripe. */
    void begin(long newStripe, StripeBuffer newBuffer) {
        stripe = newStripe;
        buffer = newBuffer;
        buffer.begin(group.cellLength(stripe));
        troubles.clear();
    }

    /** The units that are not usable as a whole. */
    Erasures lost() {
        return Erasures.of(lost.keySet().stream().mapToInt(Integer::intValue).toArray());
    }

    /**
     * Reads the stripe's chunks of some units.
     *
     * @return the units whose chunks are not intact
     */
    Erasures read(Erasures units) {
        return Erasures.of(units.stream().filter(unit -> !read(unit)).toArray());
    }

    /** How many units were read so far, in whatever stripe. */
    int unitsRead() {
        return used.cardinality();
    }

    private boolean read(int unit) {
        Optional<String> trouble = lost.containsKey(unit) ? Optional.of(lost.get(unit)) : chunkTrouble(unit);
        trouble.ifPresentOrElse(what -> troubles.put(unit, what), () -> used.set(unit));
        return trouble.isEmpty();
    }

    private Optional<String> chunkTrouble(int unit) {
        ByteBuffer chunk = buffer.chunk(unit);
        int length = chunk.remaining();
        try {
            int read = Transfers.read(files[unit], group.chunkPosition(stripe), chunk)
                    .remaining();
            return read == length && buffer.intact(unit) ? Optional.empty() : Optional.of("chunk damaged");
        } catch (IOException e) {
            return Optional.of("chunk cannot be read: " + e.getMessage());
        }
    }

    /** What to say if the stripe's intact chunks do not suffice: reads those not read yet, to name all that are not. */
    UnitsException tooFew() {
        int n = group.code().n();
        int intact = n - read(Erasures.of(IntStream.range(0, n).toArray())).size();
        String list = troubles.entrySet().stream()
                .map(entry -> "\n  unit " + entry.getKey() + ": " + entry.getValue())
                .collect(Collectors.joining());
        return new UnitsException(
                "Each stripe of " + group.code() + " needs " + group.code().k() + " of " + n + " chunks"
                        + (intact < group.code().k() ? "" : " that do not depend on one another") + "; stripe " + stripe
                        + " of " + group.stripes() + " has " + intact + ". Bring back one of" + list);
    }

    @Override
    public void close() throws IOException {
        for (FileChannel file : files) {
            if (file != null) {
                file.close();
            }
        }
    }
}
