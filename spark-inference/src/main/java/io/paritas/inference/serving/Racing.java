/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import java.util.function.ToLongFunction;

/** Queries that are sent to one or more instances, at once or later; the first answer is taken, the others are cancelled. */
final class Racing implements Protection {
    private static final ToLongFunction<RecentLatencies> NEVER = recent -> Long.MAX_VALUE;

    private final Broker broker;
    private final int copies;
    private final ToLongFunction<RecentLatencies> hedgeAfter;

    private Racing(Broker broker, int copies, ToLongFunction<RecentLatencies> hedgeAfter) {
        this.broker = broker;
        this.copies = copies;
        this.hedgeAfter = hedgeAfter;
    }

    static Racing of(Broker broker, int copies) {
        return new Racing(broker, copies, NEVER);
    }

    static Racing hedged(Broker broker, Policy.Hedged policy) {
        long first = policy.first().toNanos();
        return new Racing(
                broker, 1, recent -> recent.percentile(policy.percentile()).orElse(first));
    }

    @Override
    public void admitted(Query query, long now) {
        for (int copy = 0; copy < copies; copy++) {
            broker.dispatch(Role.DEPLOYED, query, query, query::input);
        }
        if (hedgeAfter != NEVER) {
            broker.timers().at(now + hedgeAfter.applyAsLong(broker.latencies()), late -> hedge(query));
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
        broker.reply(work.query(), Reply.of(Origin.PREDICTED, output), now);
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
