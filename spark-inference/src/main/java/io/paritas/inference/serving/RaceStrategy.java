/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving;

import io.paritas.inference.Outcome;
import io.paritas.inference.serving.LoadChoice.Choice;
import java.util.Optional;

/** Sends queries to one or more instances, at once or later, takes the first answer and cancels the rest. */
final class RaceStrategy implements ReplyStrategy {
    private final Broker broker;
    private final int copies;
    private final Optional<HedgeDelay> hedge;
    private final Optional<LoadChoice> load;

    private RaceStrategy(Broker broker, int copies, Optional<HedgeDelay> hedge, Optional<LoadChoice> load) {
        this.broker = broker;
        this.copies = copies;
        this.hedge = hedge;
        this.load = load;
    }

    static RaceStrategy of(Broker broker, int copies) {
        return new RaceStrategy(broker, copies, Optional.empty(), Optional.empty());
    }

    static RaceStrategy hedged(Broker broker, Policy.Hedged policy) {
        return new RaceStrategy(broker, 1, Optional.of(new HedgeDelay(policy)), Optional.empty());
    }

    static RaceStrategy byLoad(Broker broker, Policy.Auto policy) {
        return new RaceStrategy(broker, 1, Optional.of(new HedgeDelay(policy.hedged())), Optional.of(new LoadChoice()));
    }

    @Override
    public void admitted(Query query, long now) {
        Choice choice = load.map(known -> known.next(now, broker.usual(Role.DEPLOYED), broker.instances(Role.DEPLOYED)))
                .orElse(Choice.HEDGE);
        if (choice == Choice.REPLICATE) {
            broker.meter().replicated();
        }
        for (int copy = 0; copy < (choice == Choice.REPLICATE ? 2 : copies); copy++) {
            broker.dispatch(Role.DEPLOYED, query, query, query::input);
        }
        hedge.filter(delay -> choice == Choice.HEDGE)
                .map(delay -> delay.next(broker.latencies(), broker.idle(Role.DEPLOYED)))
                .ifPresent(delay -> broker.timers().at(now + delay, late -> hedge(query)));
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
