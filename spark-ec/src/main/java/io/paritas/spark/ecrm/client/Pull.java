/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ReadMessage;
import io.paritas.spark.ecrm.protocol.ReadMessage.Blocks;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullBlocks;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.ReadMessage.Purpose;
import io.paritas.spark.ecrm.protocol.ReadMessage.Rows;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.read.StripeRead;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A read of rows of one table, or of blocks. Rows of a server that is down are decoded from the others of their stripes. Each
 * row, each block is as it was committed at some time since the read began.
 */
public final class Pull {
    /** What one server is to send: places in the answer, in the order in which it sends them. */
    private record Part(Address server, ReadMessage question, List<Integer> places) {}

    private final Peers peers;
    private final int table;
    private final long[] wanted;
    /** Where each begins in the answer, and where the last one ends. */
    private final int[] starts;

    private final float[] parameters;
    private final boolean[] done;
    private final Map<Long, Part> parts = new LinkedHashMap<>();
    private final List<StripeRead> degraded = new ArrayList<>();
    private RuntimeException failure;
    private long told;

    private Pull(Peers peers, int table, long[] wanted, int[] starts) {
        this.peers = peers;
        this.table = table;
        this.wanted = wanted;
        this.starts = starts;
        this.parameters = new float[starts[wanted.length]];
        this.done = new boolean[wanted.length];
        ask();
    }

    static Pull rows(Peers peers, int table, long[] rows) {
        int width = peers.model.tables().get(table).width();
        int[] starts = new int[rows.length + 1];
        Arrays.setAll(starts, i -> Math.multiplyExact(i, width));
        return new Pull(peers, table, rows, starts);
    }

    static Pull blocks(Peers peers, int[] blocks) {
        int[] starts = new int[blocks.length + 1];
        for (int i = 0; i < blocks.length; i++) {
            starts[i + 1] = starts[i] + peers.model.blocks().get(blocks[i]).size();
        }
        return new Pull(peers, -1, Arrays.stream(blocks).asLongStream().toArray(), starts);
    }

    /** Asks for what is not there yet. */
    void ask() {
        told = peers.now();
        parts.clear();
        degraded.clear();
        Map<Integer, List<Integer>> byServer = new LinkedHashMap<>();
        for (int i = 0; i < wanted.length; i++) {
            if (!done[i]) {
                int server = table < 0 ? peers.first((int) wanted[i]) : peers.stripes.owner(wanted[i]);
                byServer.computeIfAbsent(server, none -> new ArrayList<>()).add(i);
            }
        }
        byServer.forEach((server, places) -> {
            if (peers.view().isUp(server)) {
                long number = peers.nextNumber();
                Part part = new Part(peers.view().address(server), question(number, places), places);
                parts.put(number, part);
                peers.send(part.server(), part.question());
            } else if (table >= 0 && !peers.model.redundancy().isNone()) {
                decode(server, places);
            }
        });
    }

    private ReadMessage question(long number, List<Integer> places) {
        if (table < 0) {
            return new PullBlocks(
                    number, places.stream().mapToInt(i -> (int) wanted[i]).toArray());
        }
        return new PullRows(
                number, table, places.stream().mapToLong(i -> wanted[i]).toArray());
    }

    private void decode(int server, List<Integer> places) {
        List<Long> stripes = places.stream()
                .map(i -> peers.stripes.stripe(wanted[i]))
                .distinct()
                .toList();
        StripeRead read = new StripeRead(
                peers.model, peers.view(), server, table, Purpose.DEGRADED_READ, stripes, peers::nextNumber);
        degraded.add(read);
        read.asked().forEach(peers::send);
    }

    void receive(Address from, ReadMessage answer) {
        if (answer instanceof Units units) {
            degraded.forEach(read -> read.accept(from, units));
            finishDegraded();
            return;
        }
        Part part = parts.remove(answer.request());
        if (part == null) {
            return;
        }
        if (answer instanceof Rows rows) {
            fill(part, rows.parameters());
        } else if (answer instanceof Blocks blocks) {
            fill(part, blocks.parameters());
        } else if (answer instanceof Lost lost) {
            failure = new LostException(lost.table(), lost.stripes());
        }
    }

    private void fill(Part part, float[] from) {
        int at = 0;
        for (int place : part.places()) {
            int length = starts[place + 1] - starts[place];
            System.arraycopy(from, at, parameters, starts[place], length);
            done[place] = true;
            at += length;
        }
    }

    /** What was read at different times is asked for again, by {@link #tick}. */
    private void finishDegraded() {
        for (StripeRead read : List.copyOf(degraded)) {
            if (read.isComplete()) {
                degraded.remove(read);
                for (int i = 0; i < wanted.length; i++) {
                    long stripe = peers.stripes.stripe(wanted[i]);
                    if (!done[i] && read.isOf(peers.stripes.owner(wanted[i])) && read.has(stripe)) {
                        keep(i, stripe, read);
                    }
                }
            }
        }
    }

    private void keep(int place, long stripe, StripeRead read) {
        if (read.isLost(stripe)) {
            failure = new LostException(table, new long[] {stripe});
            return;
        }
        Optional<int[]> unit = read.decoded(stripe);
        if (unit.isPresent()) {
            for (int at = starts[place]; at < starts[place + 1]; at++) {
                parameters[at] = Float.intBitsToFloat(unit.get()[1 + at - starts[place]]);
            }
            done[place] = true;
        }
    }

    void fail(RuntimeException why) {
        failure = why;
    }

    void tick() {
        if (!isDone() && peers.now() - told >= peers.timing.retry()) {
            ask();
        }
    }

    /** Whether there is an answer, or a failure. */
    public boolean isDone() {
        if (failure != null) {
            return true;
        }
        for (boolean one : done) {
            if (!one) {
                return false;
            }
        }
        return true;
    }

    /**
     * The parameters of one row, or block, after another; for a pull that is done.
     *
     * @throws LostException if some of them are lost
     * @throws RolledBackException if servers went back to a checkpoint meanwhile
     */
    public float[] parameters() {
        if (failure != null) {
            throw failure;
        }
        return parameters;
    }
}
