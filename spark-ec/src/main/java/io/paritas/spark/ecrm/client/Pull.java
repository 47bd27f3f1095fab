/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ReadMessage;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.ReadMessage.Parameters;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullBlocks;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.ReadMessage.Purpose;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.protocol.Repetition;
import io.paritas.spark.ecrm.read.StripeRead;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A read of rows of one table, or of blocks. Rows of a failed server are decoded from the other units of their stripes.
 * Each row and each block has a value that was committed at some time since the read began, or of which only a server
 * that has failed knew that it was. Made by a {@link Worker}; not thread-safe.
 */
public final class Pull {
    /** A request to one server, and how much of one answer to it has arrived. */
    private final class Request {
        private final Address server;
        private final ReadMessage question;
        /** Where its rows or blocks stand in the result, in the order of the request. */
        private final List<Integer> places;

        private long answer;
        private int arrived;
        /** The place of the next value, and how many values of that row or block have arrived. */
        private int next;

        private int within;

        Request(Address server, ReadMessage question, List<Integer> places) {
            this.server = server;
            this.question = question;
            this.places = places;
        }

        void send() {
            context.send(server, question);
        }

        /** Takes values that follow those that have arrived, or begin another answer; returns false for others. */
        boolean take(Parameters values) {
            if (values.first() == 0) {
                answer = values.answer();
                arrived = 0;
                next = 0;
                within = 0;
            } else if (values.answer() != answer || values.first() != arrived) {
                return false;
            }
            arrived += values.values().length;
            for (int at = 0; at < values.values().length; ) {
                int start = starts[places.get(next)] + within;
                int end = starts[places.get(next) + 1];
                int length = Math.min(end - start, values.values().length - at);
                System.arraycopy(values.values(), at, parameters, start, length);
                at += length;
                within += length;
                if (start + length == end) {
                    next++;
                    within = 0;
                }
            }
            return true;
        }

        boolean isComplete() {
            return next == places.size();
        }
    }

    /** A read of rows of a failed server, and their places in the result. */
    private record Degraded(StripeRead read, List<Integer> places) {}

    private final WorkerContext context;
    private final int table;
    private final long[] wanted;
    /** Where each row or block begins in the result, then where the last one ends. */
    private final int[] starts;

    private final float[] parameters;
    private final boolean[] done;
    private final Map<Long, Request> requests = new LinkedHashMap<>();
    private final List<Degraded> degraded = new ArrayList<>();
    /** Not requested yet. */
    private final Deque<Degraded> later = new ArrayDeque<>();

    private RuntimeException failure;
    /** When it was last requested. */
    private long asked;
    /** How long to wait for an answer before asking again. */
    private long patience;

    private Pull(WorkerContext context, int table, long[] wanted, int[] starts) {
        this.context = context;
        this.table = table;
        this.wanted = wanted;
        this.starts = starts;
        this.parameters = new float[starts[wanted.length]];
        this.done = new boolean[wanted.length];
        ask();
    }

    static Pull rows(WorkerContext context, int table, long[] rows) {
        int width = context.model.tables().get(table).width();
        int[] starts = new int[rows.length + 1];
        Arrays.setAll(starts, i -> Math.multiplyExact(i, width));
        return new Pull(context, table, rows, starts);
    }

    static Pull blocks(WorkerContext context, int[] blocks) {
        int[] starts = new int[blocks.length + 1];
        for (int i = 0; i < blocks.length; i++) {
            starts[i + 1] = Math.addExact(
                    starts[i], context.model.blocks().get(blocks[i]).size());
        }
        return new Pull(context, -1, Arrays.stream(blocks).asLongStream().toArray(), starts);
    }

    /** Requests everything that has not arrived yet, anew from the servers of a new view. */
    void ask() {
        requests.clear();
        degraded.clear();
        later.clear();
        patience = Repetition.first(context.timing, (long) Float.BYTES * parameters.length);
        request();
    }

    /**
     * Repeats what is not answered, and requests what is not on its way. Requests keep their numbers, so that the
     * answer to any repetition counts, however late it is.
     */
    private void request() {
        asked = context.now();
        requests.values().forEach(Request::send);
        degraded.forEach(one -> one.read().asked().forEach(context::send));
        Set<Integer> underWay = underWay();
        Map<Integer, List<Integer>> byServer = new LinkedHashMap<>();
        for (int i = 0; i < wanted.length; i++) {
            if (!done[i] && !underWay.contains(i)) {
                int server = table < 0 ? context.first((int) wanted[i]) : context.stripes.owner(wanted[i]);
                byServer.computeIfAbsent(server, none -> new ArrayList<>()).add(i);
            }
        }
        byServer.forEach((server, places) -> {
            if (context.view().isUp(server)) {
                long number = context.nextNumber();
                Request request = new Request(context.view().address(server), question(number, places), places);
                requests.put(number, request);
                request.send();
            } else if (table >= 0 && !context.model.redundancy().isNone()) {
                decode(server, places);
            }
        });
    }

    /** Returns the places in the result of what is requested and has not arrived. */
    private Set<Integer> underWay() {
        if (requests.isEmpty() && degraded.isEmpty()) {
            return Set.of();
        }
        Set<Integer> places = new HashSet<>();
        requests.values().forEach(request -> places.addAll(request.places));
        degraded.forEach(one -> places.addAll(one.places()));
        later.forEach(one -> places.addAll(one.places()));
        return places;
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
        int most = StripeRead.most(context.model, table);
        for (int from = 0; from < places.size(); from += most) {
            List<Integer> some = places.subList(from, Math.min(places.size(), from + most));
            long[] stripes = some.stream()
                    .mapToLong(i -> context.stripes.stripe(wanted[i]))
                    .distinct()
                    .toArray();
            StripeRead read = new StripeRead(
                    context.model, context.view(), server, table, Purpose.DEGRADED_READ, stripes, context::nextNumber);
            later.add(new Degraded(read, some));
        }
        proceed();
    }

    /** Requests what is to be decoded, some at a time. */
    private void proceed() {
        while (!later.isEmpty() && degraded.size() < StripeRead.MOST_READS) {
            Degraded next = later.remove();
            degraded.add(next);
            next.read().asked().forEach(context::send);
        }
    }

    /** Takes an answer or a part of it. While parts arrive, nothing is asked again. */
    void parameters(Parameters answer) {
        Request request = requests.get(answer.request());
        if (request != null && request.take(answer)) {
            if (request.isComplete()) {
                requests.remove(answer.request());
                request.places.forEach(place -> done[place] = true);
            } else {
                asked = context.now();
            }
        }
    }

    void lost(Lost answer) {
        if (requests.remove(answer.request()) != null) {
            failure = new DataLossException(answer.table(), answer.stripes());
        }
    }

    void units(Address from, Units answer) {
        degraded.forEach(one -> one.read().accept(from, answer));
        finishDegraded();
    }

    /**
     * Takes the rows of complete reads. A stripe that was updated between the reads of its units is read again at once,
     * and one that is lost by {@link #tick}, if all servers will go back to a checkpoint.
     */
    private void finishDegraded() {
        for (Degraded one : List.copyOf(degraded)) {
            if (one.read().isComplete()) {
                degraded.remove(one);
                List<Integer> again = one.places().stream()
                        .filter(place -> !keep(place, one.read()))
                        .toList();
                if (!again.isEmpty()) {
                    decode(context.stripes.owner(wanted[again.get(0)]), again);
                }
            }
        }
        proceed();
    }

    /** Takes a row, if it is not lost; returns false if it must be read again. */
    private boolean keep(int place, StripeRead read) {
        int at = read.place(context.stripes.stripe(wanted[place]));
        if (read.isLost(at)) {
            if (context.view().restorable()) {
                patience = context.timing.retry();
            } else {
                failure = new DataLossException(table, new long[] {context.stripes.stripe(wanted[place])});
            }
            return true;
        }
        Optional<int[]> unit = read.decoded(at);
        unit.ifPresent(words -> {
            for (int i = starts[place]; i < starts[place + 1]; i++) {
                parameters[i] = Float.intBitsToFloat(words[1 + i - starts[place]]);
            }
            done[place] = true;
        });
        return unit.isPresent();
    }

    void fail(RuntimeException why) {
        failure = why;
    }

    /** Asks again, less and less often. */
    void tick() {
        if (!isDone() && context.now() - asked >= patience) {
            patience = Repetition.next(context.timing, patience);
            request();
        }
    }

    /** Whether the read is complete or has failed. */
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
     * Returns the parameters of a pull that is done, row after row or block after block.
     *
     * @throws DataLossException if some of them are lost
     * @throws RolledBackException if the servers went back to a checkpoint meanwhile
     */
    public float[] parameters() {
        if (failure != null) {
            throw failure;
        }
        return parameters;
    }
}
