/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.Outcome;
import java.util.OptionalLong;

/**
 * Sends each query to a cheaper model as well, whose answer counts once the deployed model's median latency has passed. That is the
 * time from the arrival of a query to the deployed model's answer, even if that came too late: the latencies of replies would only
 * repeat when the cheaper model's answers were taken. While it is not known, the deployed model is waited for.
 */
final class BackupStrategy implements ReplyStrategy {
    private final Broker broker;
    private final RecentLatencies deployed = new RecentLatencies();

    BackupStrategy(Broker broker) {
        this.broker = broker;
    }

    @Override
    public void admitted(Query query, long now) {
        broker.dispatch(Role.DEPLOYED, query, query, query::input);
        broker.dispatch(Role.BACKUP, query, query, query::input);
    }

    @Override
    public void heard(Work work, InstanceAnswer answer, long now) {
        if (work.role().equals(Role.DEPLOYED)) {
            deployed.add(now - work.query().arrived());
        }
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
            broker.timers().cancel(query.expiry()); // it has an answer before that
            query.expiresWith(broker.timers().at(due, late -> fallBack(query, late)));
        }
    }

    /** When the cheaper model's answer to a query counts; always before its deadline. */
    private long due(Query query) {
        long latest = query.deadline() - 1;
        OptionalLong median = deployed.median();
        return median.isPresent() ? Math.min(query.arrived() + median.getAsLong(), latest) : latest;
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
