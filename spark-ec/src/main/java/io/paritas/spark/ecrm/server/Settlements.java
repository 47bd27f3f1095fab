/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.ReadMessage.Settle;
import io.paritas.spark.ecrm.protocol.ReadMessage.Settled;
import io.paritas.spark.ecrm.protocol.TxId;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The workers that wait for the end of what others have begun here. An attempt ends on one server after the other: a worker that takes
 * another one's place could see on one that its last iteration is committed, and read from others what was there before.
 */
final class Settlements {
    private final ServerContext context;
    private final Attempts attempts;
    private final Map<Address, Waiting> waiting = new LinkedHashMap<>();

    /** @param open the attempts that are to end */
    private record Waiting(Settle question, Set<TxId> open) {}

    Settlements(ServerContext context, Attempts attempts) {
        this.context = context;
        this.attempts = attempts;
    }

    void ask(Address worker, Settle question) {
        Waiting known = waiting.get(worker);
        if (known == null || known.question.request() < question.request()) {
            Set<TxId> open = new HashSet<>();
            attempts.open().stream()
                    .filter(attempt -> attempt.id.worker() != worker.id())
                    .forEach(attempt -> open.add(attempt.id));
            waiting.put(worker, new Waiting(question, open));
        }
        proceed();
    }

    /** Answers those that need wait no longer. */
    void proceed() {
        waiting.entrySet().removeIf(each -> {
            Waiting one = each.getValue();
            one.open.removeIf(this::isOver);
            if (one.open.isEmpty()) {
                context.send(each.getKey(), new Settled(one.question.request()));
            }
            return one.open.isEmpty();
        });
    }

    private boolean isOver(TxId tx) {
        Attempt attempt = attempts.find(tx);
        return attempt == null || attempt.isOver();
    }
}
