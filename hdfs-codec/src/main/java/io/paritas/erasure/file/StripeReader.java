/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.file;

import io.paritas.erasure.Erasures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Reads the stripes of a group, a chunk of each unit. A chunk that cannot be read or has a wrong checksum is an erasure of
 * its stripe only. Not thread-safe.
 */
public final class StripeReader {
    private final UnitGroup group;
    private final Units units;
    private final BitSet used = new BitSet();
    private final BitSet damaged = new BitSet();

    private long stripe;
    private StripeBuffer buffer;

    /** The faults of units in this stripe, by unit. */
    private final Map<Integer, String> troubles = new TreeMap<>();

    /** Creates a reader of the units of a group. */
    public StripeReader(UnitGroup group, Units units) {
        this.group = group;
        this.units = units;
    }

    /** Starts a stripe. */
    public void begin(long newStripe, StripeBuffer newBuffer) {
        stripe = newStripe;
        buffer = newBuffer;
        buffer.begin(group.cellLength(stripe));
        troubles.clear();
    }

    /** The units that are lost as a whole. */
    Erasures lost() {
        return Erasures.of(
                units.lost().keySet().stream().mapToInt(Integer::intValue).toArray());
    }

    /**
     * Reads the stripe's chunks of some units.
     *
     * @return the units whose chunks are not intact
     */
    public Erasures read(Erasures wanted) {
        return Erasures.of(wanted.stream().filter(unit -> !read(unit)).toArray());
    }

    /** The number of units read so far, in any stripe. */
    public int unitsRead() {
        return used.cardinality();
    }

    /** The units with a missing or damaged chunk so far, in any stripe. */
    public Erasures damaged() {
        return Erasures.of(damaged.stream().toArray());
    }

    private boolean read(int unit) {
        Optional<String> trouble = loss(unit).or(() -> chunkTrouble(unit));
        trouble.ifPresentOrElse(what -> troubles.put(unit, what), () -> used.set(unit));
        trouble.ifPresent(what -> damaged.set(unit));
        return trouble.isEmpty();
    }

    private Optional<String> loss(int unit) {
        return Optional.ofNullable(units.lost().get(unit));
    }

    private Optional<String> chunkTrouble(int unit) {
        ByteBuffer chunk = buffer.chunk(unit);
        int length = chunk.remaining();
        try {
            int read = units.read(unit, group.chunkPosition(stripe), chunk).remaining();
            return read == length && buffer.intact(unit) ? Optional.empty() : Optional.of("chunk damaged");
        } catch (IOException e) {
            return loss(unit).or(() -> Optional.of("chunk cannot be read: " + e.getMessage()));
        }
    }

    /** Returns the failure for a stripe with too few intact chunks. Reads the remaining chunks, to name all faulty ones. */
    UnitsException tooFew() {
        int n = group.code().n();
        int intact = n - read(Erasures.of(IntStream.range(0, n).toArray())).size();
        String list = troubles.entrySet().stream()
                .map(entry -> "\n  " + units.describe(entry.getKey()) + ": " + entry.getValue())
                .collect(Collectors.joining());
        return new UnitsException(
                "each stripe of " + group.code() + " needs " + group.code().k() + " of " + n + " chunks"
                        + (intact < group.code().k() ? "" : " that do not depend on one another") + ", stripe " + stripe
                        + " of " + group.stripes() + " has " + intact + "; bring back one of" + list);
    }
}
