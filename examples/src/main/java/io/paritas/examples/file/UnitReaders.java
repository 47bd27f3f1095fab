/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.file;

import io.paritas.erasure.Erasures;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
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

    /** What is wrong with the units in the stripe that was read last. */
    private final Map<Integer, String> troubles = new TreeMap<>();

    UnitReaders(UnitSet units) throws IOException {
        group = units.group();
        lost = units.lost();
        files = new FileChannel[group.code().n()];
        for (var file : units.files().entrySet()) {
            files[file.getKey()] = FileChannel.open(file.getValue());
        }
    }

    /**
     * Reads the chunks of as many units as it takes to reconstruct the others: the first k that are intact.
     *
     * @return the units that were read; all others are to be reconstructed, or of no interest
     * @throws UnitsException if fewer than k are intact
     */
    Erasures readEnough(long stripe, StripeBuffer buffer) throws UnitsException {
        begin(stripe, buffer);
        int k = group.code().k();
        int[] intact = IntStream.range(0, files.length)
                .filter(unit -> read(unit, stripe, buffer))
                .limit(k)
                .toArray();
        if (intact.length < k) {
            throw tooFew(stripe, intact.length);
        }
        return Erasures.of(intact);
    }

    /**
     * Reads the chunks of all units.
     *
     * @return the units whose chunks are not intact
     */
    Erasures readAll(long stripe, StripeBuffer buffer) {
        begin(stripe, buffer);
        return Erasures.of(IntStream.range(0, files.length)
                .filter(unit -> !read(unit, stripe, buffer))
                .toArray());
    }

    private void begin(long stripe, StripeBuffer buffer) {
        buffer.begin(group.cellLength(stripe));
        troubles.clear();
    }

    private boolean read(int unit, long stripe, StripeBuffer buffer) {
        Optional<String> trouble =
                lost.containsKey(unit) ? Optional.of(lost.get(unit)) : chunkTrouble(unit, stripe, buffer);
        trouble.ifPresent(what -> troubles.put(unit, what));
        return trouble.isEmpty();
    }

    private Optional<String> chunkTrouble(int unit, long stripe, StripeBuffer buffer) {
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

    private UnitsException tooFew(long stripe, int intact) {
        String list = troubles.entrySet().stream()
                .map(entry -> "\n  unit " + entry.getKey() + ": " + entry.getValue())
                .collect(Collectors.joining());
        return new UnitsException(
                "Each stripe of " + group.code() + " needs " + group.code().k() + " of "
                        + group.code().n() + " chunks; stripe " + stripe + " of " + group.stripes() + " has " + intact
                        + ". Bring back one of" + list);
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
