/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ReadMessage.Blocks;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullBlocks;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.ReadMessage.Purpose;
import io.paritas.spark.ecrm.protocol.ReadMessage.ReadUnits;
import io.paritas.spark.ecrm.protocol.ReadMessage.Rows;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.table.Shard;
import io.paritas.spark.ecrm.table.StripeCode;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** Answers reads of what is committed. */
final class Reads {
    private final Site site;
    private final Replicas replicas;
    private final Recovery recovery;
    private final Ranges ranges;
    private final StripeCode code;
    /** By worker: what waits for rows that are missing. */
    private final Map<Address, Map<Long, PullRows>> waiting = new LinkedHashMap<>();

    Reads(Site site, Replicas replicas, Recovery recovery, Ranges ranges) {
        this.site = site;
        this.replicas = replicas;
        this.recovery = recovery;
        this.ranges = ranges;
        this.code = StripeCode.of(site.model);
    }

    void pullRows(Address worker, PullRows question) {
        int table = question.table();
        long[] lost = LongStream.of(question.rows())
                .map(site.stripes::stripe)
                .filter(stripe -> site.isLost(table, stripe))
                .distinct()
                .toArray();
        if (lost.length > 0) {
            site.send(worker, new Lost(question.request(), table, lost));
            return;
        }
        boolean ready = true;
        for (long row : question.rows()) {
            if (site.isMissing(table, site.stripes.stripe(row))) {
                recovery.want(table, site.stripes.stripe(row));
                ready = false;
            }
        }
        if (ready) {
            site.send(worker, new Rows(question.request(), parameters(question)));
        } else {
            waiting.computeIfAbsent(worker, none -> new LinkedHashMap<>()).put(question.request(), question);
        }
    }

    private float[] parameters(PullRows question) {
        Shard shard = site.shards.get(question.table());
        int width = site.model.tables().get(question.table()).width();
        float[] parameters = new float[width * question.rows().length];
        int at = 0;
        for (long row : question.rows()) {
            int[] words = shard.newest(site.stripes.stripe(row), site.stripes.unit(row));
            for (int i = 1; i <= width; i++) {
                parameters[at++] = Float.intBitsToFloat(words[i]);
            }
        }
        return parameters;
    }

    /** What may be answered now. */
    void proceed() {
        if (!waiting.isEmpty()) {
            Map<Address, Map<Long, PullRows>> all = new LinkedHashMap<>(waiting);
            waiting.clear();
            all.forEach((worker, questions) -> questions.values().forEach(question -> pullRows(worker, question)));
        }
    }

    void pullBlocks(Address worker, PullBlocks question) {
        float[] all = new float[0];
        for (int number : question.blocks()) {
            if (replicas.isLost(number)) {
                site.send(worker, new Lost(question.request(), -1, new long[] {number}));
                return;
            }
            if (!replicas.isFirst(number)) {
                return;
            }
            float[] one = replicas.block(number).parameters();
            int length = all.length;
            all = Arrays.copyOf(all, length + one.length);
            System.arraycopy(one, 0, all, length, one.length);
        }
        site.send(worker, new Blocks(question.request(), all));
    }

    void readUnits(Address reader, ReadUnits question, Transactions transactions) {
        boolean frozen = question.purpose() == Purpose.FROZEN;
        if (frozen && !ranges.isFrozen(reader, question.table(), question.stripes())) {
            return;
        }
        Set<UnitId> doubtful = question.purpose() == Purpose.RECOVERY ? transactions.doubtful() : Set.of();
        int table = question.table();
        Shard shard = site.shards.get(table);
        int words = question.purpose() == Purpose.DEGRADED_READ
                ? site.model.tables().get(table).width()
                : site.model.tables().get(table).words();
        int[] all = new int[question.stripes().length * (site.stripes.k() + words)];
        long[] missing = new long[question.stripes().length];
        int at = 0;
        int absent = 0;
        for (long stripe : question.stripes()) {
            int unit = site.unit(stripe);
            if (doubtful.contains(new UnitId(table, stripe, unit))) {
                return;
            }
            if (shard.isMissing(stripe, unit)) {
                missing[absent++] = stripe;
                continue;
            }
            int[] one = frozen ? shard.frozen(stripe, unit) : shard.newest(stripe, unit);
            System.arraycopy(one, 0, all, at, code.header(unit) + words);
            at += code.header(unit) + words;
        }
        site.send(reader, new Units(question.request(), Arrays.copyOf(missing, absent), Arrays.copyOf(all, at)));
    }
}
