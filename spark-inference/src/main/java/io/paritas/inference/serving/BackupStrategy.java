/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.Outcome;

/** Sends each query to a cheaper model as well, whose answer counts once the median latency has passed without another. */
final class BackupStrategy implements ReplyStrategy {
    private static final double MEDIAN = 50;

    private final Broker broker;

    BackupStrategy(Broker broker) {
        this.broker = broker;
    }

    @Override
    public void admitted(Query query, long now) {
        broker.dispatch(Role.DEPLOYED, query, query, query::input);
        broker.dispatch(Role.BACKUP, query, query, query::input);
    }

    @Override
    public void answered(Work work, float[] output, long now) {
        Query query = work.query();
        if (work.role().equals(Role.DEPLOYED)) {
            end(query, Reply.of(Outcome.PREDICTED, output), now);
            return;
        }
        query.fallback(output);
        boolean alone = query.works().stream().allMatch(Work::isOver);
        long due = due(query);
        if (alone || now >= due) {
            fallBack(query, now);
        } else {
            broker.timers().at(due, late -> fallBack(query, late));
        }
    }

    /** When the cheaper model's answer to a query counts; always before its deadline. */
    private long due(Query query) {
        long median = broker.latencies().percentile(MEDIAN).orElse(0);
        return Math.min(query.arrived() + median, query.deadline() - 1);
    }

    private void fallBack(Query query, long now) {
        end(query, Reply.of(Outcome.APPROXIMATED, query.fallback()), now);
    }

    private void end(Query query, Reply reply, long now) {
        broker.reply(query, reply, now);
        query.works().forEach(broker::cancel);
    }

    @Override
    public void failed(Work work, long now) {
        Query query = work.query();
        if (query.works().stream().allMatch(Work::isOver)) {
            if (query.fallback() != null) {
                fallBack(query, now);
            } else {
                end(query, Reply.unavailable(query.trouble()), now);
            }
        }
    }

    @Override
    public void expired(Query query, long now) {
        query.works().forEach(broker::cancel);
    }
}
