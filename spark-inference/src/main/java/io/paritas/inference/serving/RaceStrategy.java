/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.Outcome;
import java.util.function.ToLongFunction;

/** Sends queries to one or more instances, at once or later, takes the first answer and cancels the rest. */
final class RaceStrategy implements ReplyStrategy {
    private static final ToLongFunction<RecentLatencies> NEVER = recent -> Long.MAX_VALUE;

    private final Broker broker;
    private final int copies;
    private final ToLongFunction<RecentLatencies> hedgeAfter;

    private RaceStrategy(Broker broker, int copies, ToLongFunction<RecentLatencies> hedgeAfter) {
        this.broker = broker;
        this.copies = copies;
        this.hedgeAfter = hedgeAfter;
    }

    static RaceStrategy of(Broker broker, int copies) {
        return new RaceStrategy(broker, copies, NEVER);
    }

    static RaceStrategy hedged(Broker broker, Policy.Hedged policy) {
        long first = policy.first().toNanos();
        return new RaceStrategy(
                broker, 1, recent -> recent.percentile(policy.percentile()).orElse(first));
    }

    @Override
    public void admitted(Query query, long now) {
        for (int copy = 0; copy < copies; copy++) {
            broker.dispatch(Role.DEPLOYED, query, query, query::input);
        }
        if (hedgeAfter != NEVER) {
            long wait = Math.max(1, hedgeAfter.applyAsLong(broker.latencies()));
            broker.timers().at(now + wait, late -> hedge(query));
        }
    }

    private void hedge(Query query) {
        if (!query.isReplied()) {
            broker.meter().hedged();
            broker.dispatch(Role.DEPLOYED, query, query, query::input);
        }
    }

    @Override
    public void answered(Work work, float[] output, long now) {
        broker.reply(work.query(), Reply.of(Outcome.PREDICTED, output), now);
        work.query().works().forEach(broker::cancel);
    }

    @Override
    public void failed(Work work, long now) {
        Query query = work.query();
        if (query.works().stream().allMatch(Work::isOver)) {
            broker.reply(query, Reply.unavailable(query.trouble()), now);
        }
    }

    @Override
    public void expired(Query query, long now) {
        query.works().forEach(broker::cancel);
    }
}
