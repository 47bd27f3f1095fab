/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.ReadMessage.Parameters;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullBlocks;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.ReadMessage.Purpose;
import io.paritas.spark.ecrm.protocol.ReadMessage.ReadUnits;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.table.RowCode;
import io.paritas.spark.ecrm.table.Shard;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Answers reads of committed rows, blocks and units. */
final class ReadHandler {
    private final ServerContext context;
    private final BlockReplicas replicas;
    private final OnDemandRecovery recovery;
    private final RangeLocks rangeLocks;
    private final RowCode code;
    /** By worker and number: requests that wait for missing rows. */
    private final Map<Address, Map<Long, PullRows>> waiting = new LinkedHashMap<>();
    /** By reader and number: requests that wait for updates in doubt. */
    private final Map<Address, Map<Long, ReadUnits>> doubted = new LinkedHashMap<>();

    /** How many answers were sent: their numbers. */
    private long answers;

    /** The changes of the server when waiting requests were last looked at. */
    private long seen;

    ReadHandler(ServerContext context, BlockReplicas replicas, OnDemandRecovery recovery, RangeLocks rangeLocks) {
        this.context = context;
        this.replicas = replicas;
        this.recovery = recovery;
        this.rangeLocks = rangeLocks;
        this.code = RowCode.of(context.model);
    }

    /** Answers when all rows are here; until then, recovers missing ones. */
    void pullRows(Address worker, PullRows question) {
        int table = question.table();
        long[] lost = LongStream.of(question.rows())
                .map(context.stripes::stripe)
                .filter(stripe -> context.isLost(table, stripe))
                .distinct()
                .toArray();
        if (lost.length > 0) {
            context.lose(worker, new Lost(question.request(), table, lost));
            return;
        }
        boolean ready = true;
        for (long row : question.rows()) {
            if (context.isMissing(table, context.stripes.stripe(row))) {
                recovery.want(table, context.stripes.stripe(row));
                ready = false;
            }
        }
        if (ready) {
            answer(worker, question.request(), parameters(question));
        } else {
            waiting.computeIfAbsent(worker, none -> new LinkedHashMap<>()).put(question.request(), question);
        }
    }

    private void answer(Address worker, long request, float[] parameters) {
        context.send(worker, new Parameters(request, answers++, 0, parameters));
    }

    private float[] parameters(PullRows question) {
        Shard shard = context.shards.get(question.table());
        int width = context.model.tables().get(question.table()).width();
        float[] parameters = new float[width * question.rows().length];
        int at = 0;
        for (long row : question.rows()) {
            shard.read(context.stripes.stripe(row), context.stripes.unit(row), parameters, at, width);
            at += width;
        }
        return parameters;
    }

    /** Answers the waiting requests whose rows are here now, or whose units are no longer in doubt. */
    void proceed(Transactions transactions) {
        if (seen == context.changes()) {
            return;
        }
        seen = context.changes();
        if (!doubted.isEmpty()) {
            Map<Address, Map<Long, ReadUnits>> all = new LinkedHashMap<>(doubted);
            doubted.clear();
            all.forEach((reader, questions) ->
                    questions.values().forEach(question -> readUnits(reader, question, transactions)));
        }
        if (!waiting.isEmpty()) {
            Map<Address, Map<Long, PullRows>> all = new LinkedHashMap<>(waiting);
            waiting.clear();
            all.forEach((worker, questions) -> questions.values().forEach(question -> pullRows(worker, question)));
        }
    }

    /** After a change of view, readers ask again. */
    void fence() {
        doubted.clear();
    }

    /** Answers if this server is the first replica of all the blocks. */
    void pullBlocks(Address worker, PullBlocks question) {
        for (int number : question.blocks()) {
            if (replicas.isLost(number)) {
                context.lose(worker, new Lost(question.request(), -1, new long[] {number}));
                return;
            }
            if (!replicas.isFirst(number)) {
                return;
            }
        }
        answer(worker, question.request(), parameters(question.blocks()));
    }

    private float[] parameters(int[] blocks) {
        if (blocks.length == 1) {
            return replicas.block(blocks[0]).share();
        }
        float[] all = new float
                [IntStream.of(blocks)
                        .map(number -> context.model.blocks().get(number).size())
                        .reduce(0, Math::addExact)];
        int at = 0;
        for (int number : blocks) {
            at += replicas.block(number).read(all, at);
        }
        return all;
    }

    /**
     * Answers with the units of this server, when no update of them is in doubt. Leaves the request unanswered, so that
     * it is repeated, while the range is not frozen.
     */
    void readUnits(Address reader, ReadUnits question, Transactions transactions) {
        boolean frozen = question.purpose() == Purpose.FROZEN;
        if (frozen && !rangeLocks.isFrozen(reader, question.table(), question.stripes())) {
            return;
        }
        Set<UnitId> doubtful = question.purpose() == Purpose.RECOVERY ? transactions.doubtful() : Set.of();
        int table = question.table();
        Shard shard = context.shards.get(table);
        int words = question.purpose() == Purpose.DEGRADED_READ
                ? context.model.tables().get(table).width()
                : context.model.tables().get(table).words();
        int[] all = new int[question.stripes().length * (context.stripes.k() + words)];
        long[] missing = new long[question.stripes().length];
        int at = 0;
        int absent = 0;
        for (long stripe : question.stripes()) {
            int unit = context.unit(stripe);
            if (!doubtful.isEmpty() && doubtful.contains(new UnitId(table, stripe, unit))) {
                doubted.computeIfAbsent(reader, none -> new LinkedHashMap<>()).put(question.request(), question);
                return;
            }
            if (shard.isMissing(stripe, unit)) {
                missing[absent++] = stripe;
                continue;
            }
            int count = code.header(unit) + words;
            if (frozen) {
                shard.frozen(stripe, unit, all, at, count);
            } else {
                shard.newest(stripe, unit, all, at, count);
            }
            at += count;
        }
        context.send(reader, new Units(question.request(), Arrays.copyOf(missing, absent), Arrays.copyOf(all, at)));
    }
}
