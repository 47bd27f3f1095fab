/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.Outcome;
import io.paritas.inference.parity.GroupDecoder;
import io.paritas.inference.parity.GroupEncoder;
import io.paritas.inference.serving.trace.TraceSpan;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coding groups (thesis, 8.1). A query is sent at once and joins the open group of its tenant. When the group is full, or the
 * group wait is over, its parities are sent. As soon as any k of the k + r have answered, the others are reconstructed. With
 * patience, a query that could be reconstructed waits some time for its prediction: that is exact, and near where the query only
 * stands in a queue. A group that is not full is coded as if its last query filled it, so a lonely query is protected as well.
 * Queries that may not be combined with others are in no group.
 */
final class CodedStrategy implements ReplyStrategy {
    private static final Logger LOG = LoggerFactory.getLogger(CodedStrategy.class);

    /* A part of the usual time, and its most in nanoseconds: how long answers may lie unread after the front end stood still. */
    private static final double GRACE = 0.25;
    private static final long LONGEST_GRACE = 1_000_000;

    /* Groups that are decoded together: the first of them waits for all. */
    private static final int AT_ONCE = 16;

    private final Broker broker;
    private final Code code;
    private final long groupWait;
    private final double patience;
    private final GroupEncoder encoder;
    private final GroupDecoder decoder;
    /* Those of one computation may be decoded by that of another, with it. */
    private final Queue<Undecoded> undecoded = new ConcurrentLinkedQueue<>();
    private final Map<String, Group> open = new HashMap<>();
    private final Map<Query, Group> groups = new IdentityHashMap<>();
    private final Map<Group, Timers.Timer> closing = new IdentityHashMap<>();
    private final Map<Group, Timers.Timer> waiting = new IdentityHashMap<>();

    CodedStrategy(Broker broker, Policy.Coded policy) {
        this.broker = broker;
        this.code = policy.code();
        this.groupWait = policy.groupWait().toNanos();
        this.patience = policy.patience();
        this.encoder = code.encoder();
        this.decoder = code.decoder();
    }

    @Override
    public void admitted(Query query, long now) {
        if (query.tenant().isEmpty()) {
            broker.meter().alone();
            broker.dispatch(Role.DEPLOYED, query, query, query::input);
            return;
        }
        Group group = open.computeIfAbsent(query.tenant().get(), tenant -> opened(tenant, now));
        groups.put(query, group);
        boolean full = group.add(query);
        group.works().add(broker.dispatch(Role.DEPLOYED, group, query, query::input));
        if (full) {
            close(query.tenant().get(), group);
        }
    }

    private Group opened(String tenant, long now) {
        Group group = new Group(code.k(), code.r());
        closing.put(group, broker.timers().at(now + groupWait, late -> close(tenant, group)));
        return group;
    }

    /** Closes a group to queries and sends its parities, unless all its queries are answered. */
    private void close(String tenant, Group group) {
        open.remove(tenant);
        broker.timers().cancel(closing.remove(group));
        group.seal();
        if (group.isReplied()) {
            forget(group);
            return;
        }
        broker.meter().group(group.members().size(), code.k());
        IntFunction<float[]> queries =
                parities(group.members().stream().map(Query::input).toList());
        for (int parity = 0; parity < code.r(); parity++) {
            int number = parity;
            Work work = broker.dispatch(Role.parity(parity), group, null, () -> queries.apply(number));
            group.members().stream()
                    .map(Query::trace)
                    .filter(TraceSpan::isOn)
                    .findFirst()
                    .ifPresent(work::traced);
            group.works().add(work);
        }
    }

    /** The parity queries of a group, each encoded when it is sent. A network makes all of them for the first. */
    private IntFunction<float[]> parities(List<float[]> queries) {
        if (code.plan().networks().isEmpty()) {
            return parity -> timed(() -> encoder.encode(queries, parity));
        }
        return new EncodedOnce(() -> timed(() -> encoder.encodeAll(queries, code.r())));
    }

    /** Encodes when the first parity is asked for, again only if that failed. The lock is the group's own. Thread-safe. */
    private static final class EncodedOnce implements IntFunction<float[]> {
        private final Supplier<List<float[]>> encode;
        private List<float[]> made = List.of();

        EncodedOnce(Supplier<List<float[]>> encode) {
            this.encode = encode;
        }

        @Override
        public synchronized float[] apply(int parity) {
            if (made.isEmpty()) {
                made = encode.get();
            }
            return made.get(parity);
        }
    }

    private <T> T timed(Supplier<T> encode) {
        long start = System.nanoTime();
        T encoded = encode.get();
        broker.meter().encoded(System.nanoTime() - start);
        return encoded;
    }

    @Override
    public void answered(Work work, float[] output, long now) {
        if (!(work.tie() instanceof Group group)) {
            broker.reply(work.query(), Reply.of(Outcome.PREDICTED, output), now);
            return;
        }
        if (work.query() != null) {
            group.predicted(work.query(), output);
            broker.reply(work.query(), Reply.of(Outcome.PREDICTED, output), now);
        } else if (isFinite(output)) { // nothing can be reconstructed from other parities
            group.parity(work.role().number(), output);
        }
        reconstruct(group, now);
    }

    @Override
    public void heard(Work work, InstanceAnswer answer, long now) {
        if (broker.observer().wantsGroups() && work.tie() instanceof Group group) {
            // Parities are asked for when nobody joins the group any more, so what is whole stays so.
            group.answers().add(work, answer, group.members()).forEach(broker.observer()::completed);
        }
    }

    private static boolean isFinite(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Reconstructs the queries that are due, and comes back for those that are due later. A query that is due and has no finite
     * reconstruction waits for its prediction, for another answer of its group, or for its deadline.
     */
    private void reconstruct(Group group, long now) {
        if (group.decoding() != Group.Decoding.NONE) {
            group.decoding(Group.Decoding.OUTDATED);
        } else if (group.isDecodable()) {
            group.decodable(now);
            List<Query> due =
                    missing(group).filter(query -> due(query, group) <= now).toList();
            if (due.isEmpty()) {
                comeBack(group, now);
            } else {
                decode(group, due, now);
            }
        }
        endIfDone(group, now);
    }

    private static Stream<Query> missing(Group group) {
        return group.members().stream().filter(query -> !query.isReplied());
    }

    /** Reconstructs again when the next query is due, of those that were not at a time. */
    private void comeBack(Group group, long then) {
        missing(group)
                .mapToLong(query -> due(query, group))
                .filter(time -> time > then)
                .min()
                .ifPresent(next -> waitUntil(next, group));
    }

    /**
     * When a reconstruction is taken instead of the query's prediction; always before its deadline. With patience, not while an
     * instance has it for no longer than others take, and not at once when the group becomes decodable later than that: if the
     * front end stood still, the prediction may be there, too, and is only not read yet.
     */
    private long due(Query query, Group group) {
        if (patience == 0 || query.works().stream().allMatch(Work::isOver)) {
            return query.arrived();
        }
        long usual = broker.usual(Role.DEPLOYED).orElse(groupWait);
        long due =
                query.arrived() + (long) (patience * broker.latencies().median().orElse(groupWait));
        for (Work work : query.works()) {
            if (!work.isOver() && work.batch() != null) {
                due = Math.max(due, work.batch().sent() + (long) (patience * usual));
                due = Math.max(due, group.decodableSince() + grace(usual));
            }
        }
        return Math.min(due, query.deadline() - 1);
    }

    private static long grace(long usual) {
        return Math.min((long) (GRACE * usual), LONGEST_GRACE);
    }

    private void waitUntil(long time, Group group) {
        stopWaiting(group);
        waiting.put(group, broker.timers().at(time, late -> {
            if (late - time > grace(broker.usual(Role.DEPLOYED).orElse(groupWait))) {
                group.decodableAgain(late); // the front end stood still
            }
            reconstruct(group, late);
        }));
    }

    private void stopWaiting(Group group) {
        Timers.Timer timer = waiting.remove(group);
        if (timer != null) {
            broker.timers().cancel(timer);
        }
    }

    private void decode(Group group, List<Query> due, long begun) {
        group.decoding(Group.Decoding.RUNS);
        float[][] predictions = group.predictions();
        float[][] parities = new float[code.plan().r()][];
        System.arraycopy(group.parities(), 0, parities, 0, code.r());
        undecoded.add(new Undecoded(group, due, new GroupDecoder.Received(predictions, parities), begun));
        broker.compute(
                this::decodeSome, (decoded, now) -> decoded.forEach(each -> decoded(each.group(), each.found(), now)));
    }

    /** A group that waits for the decoder. */
    private record Undecoded(Group group, List<Query> due, GroupDecoder.Received received, long begun) {}

    private record Decoded(Undecoded group, BitSet found) {}

    /** Decodes groups that wait: the first ones together, also those of other computations, which find the less to do. */
    private List<Decoded> decodeSome() {
        List<Undecoded> some = new ArrayList<>();
        for (Undecoded next = undecoded.poll(); next != null; next = some.size() < AT_ONCE ? undecoded.poll() : null) {
            some.add(next);
        }
        if (some.isEmpty()) {
            return List.of();
        }
        long start = System.nanoTime();
        List<BitSet> found = decode(some);
        long each = (System.nanoTime() - start) / some.size();
        some.forEach(group -> broker.meter().decoded(each));
        return IntStream.range(0, some.size())
                .mapToObj(i -> new Decoded(some.get(i), found.get(i)))
                .toList();
    }

    /** What is found in groups: nothing if the decoder fails. It may be a network, whose engine may be short of memory or of a library. */
    private List<BitSet> decode(List<Undecoded> groups) {
        try {
            return decoder.decode(groups.stream().map(Undecoded::received).toList());
        } catch (Throwable e) { // or its groups would wait for their decoder for ever
            LOG.warn("Paritas: {} groups cannot be decoded, their queries wait for predictions", groups.size(), e);
            return Collections.nCopies(groups.size(), new BitSet());
        }
    }

    private void decoded(Undecoded decoded, BitSet found, long now) {
        Group group = decoded.group();
        for (Query query : decoded.due()) {
            int member = group.members().indexOf(query);
            if (found.get(member)) {
                query.trace().begin("reconstruct", decoded.begun()).end(now);
                reconstructed(query, decoded.received().predictions()[member], now);
            }
        }
        decoded(group, decoded.begun(), now);
    }

    /** Takes a reconstruction, unless the prediction has come meanwhile. To the decoder the prediction stays missing. */
    private void reconstructed(Query query, float[] values, long now) {
        if (!query.isReplied()) {
            broker.reply(query, Reply.of(Outcome.RECONSTRUCTED, values), now);
            query.works().forEach(broker::cancel);
        }
    }

    /* Others may have become due while it ran, since it began. */
    private void decoded(Group group, long begun, long now) {
        boolean outdated = group.decoding() == Group.Decoding.OUTDATED;
        group.decoding(Group.Decoding.NONE);
        if (outdated) {
            reconstruct(group, now);
        } else {
            comeBack(group, begun);
            endIfDone(group, now);
        }
    }

    @Override
    public void failed(Work work, long now) {
        if (work.tie() instanceof Group group) {
            reconstruct(group, now);
        } else {
            broker.reply(work.query(), Reply.unavailable(work.query().trouble()), now);
        }
    }

    @Override
    public boolean isAboutToAnswer(Query query) {
        Group group = groups.get(query);
        return group != null && group.decoding() != Group.Decoding.NONE;
    }

    @Override
    public void expired(Query query, long now) {
        Group group = groups.get(query);
        if (group == null) {
            query.works().forEach(broker::cancel);
        } else {
            endIfDone(group, now);
        }
    }

    /** An open group goes on without the query. In a closed one its prediction may still serve to reconstruct others. */
    @Override
    public void withdrawn(Query query, long now) {
        Group group = groups.get(query);
        if (group == null || group.isSealed()) {
            expired(query, now);
        } else {
            group.remove(query);
            groups.remove(query);
            query.works().forEach(broker::cancel);
        }
    }

    /** Ends a group whose queries are answered, or whose works are all over. */
    private void endIfDone(Group group, long now) {
        if (!group.isSealed() || group.decoding() != Group.Decoding.NONE) {
            return;
        }
        if (group.works().stream().allMatch(Work::isOver)) {
            group.members().forEach(query -> broker.reply(query, Reply.unavailable(query.trouble()), now));
        }
        if (group.isReplied()) {
            forget(group);
        }
    }

    private void forget(Group group) {
        stopWaiting(group);
        group.works().forEach(broker::cancel);
        group.members().forEach(groups::remove);
    }

    /** The queries of groups that have not ended. */
    @Override
    public int remembered() {
        return groups.size();
    }
}
