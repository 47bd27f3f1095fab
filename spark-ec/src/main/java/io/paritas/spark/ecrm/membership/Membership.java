/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.membership;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.Outcome;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Held;
import io.paritas.spark.ecrm.protocol.ViewMessage.Knowledge;
import io.paritas.spark.ecrm.protocol.ViewMessage.Orphaned;
import io.paritas.spark.ecrm.protocol.ViewMessage.Query;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovered;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovering;
import io.paritas.spark.ecrm.protocol.ViewMessage.Status;
import io.paritas.spark.ecrm.protocol.ViewMessage.Welcome;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The driver's part: says who is a server, and ends iterations whose worker is gone. It is told who has failed and who
 * replaces them; it is the only one that says so, and that decides for a worker, so no two decide differently. Not thread-safe.
 */
public final class Membership {
    private final Timing timing;
    private final Consumer<Envelope> outbox;
    private View view;
    private long now;
    private long told;
    private final Set<Integer> unfenced = new HashSet<>();
    /** By server that has not all that it should: the share that it has said to have. */
    private final Map<Integer, Double> recovering = new HashMap<>();

    private final Map<TxId, Decision> decisions = new LinkedHashMap<>();
    private final Pause pause = new Pause(this);

    /** How an iteration without its worker is to end: first all are asked, then all are told. */
    private static final class Decision {
        final Set<Address> awaited = new HashSet<>();
        boolean committed;
        Outcome outcome;
    }

    public Membership(View view, Timing timing, Consumer<Envelope> outbox) {
        this.view = view;
        this.timing = timing;
        this.outbox = outbox;
        view.addresses().forEach(server -> recovering.put(server.id(), 0.0));
    }

    public View view() {
        return view;
    }

    /** The server that has a number is gone, or is to be treated so from now on: nobody listens to it any more. */
    public void failed(int server, long time) {
        if (view.isUp(server)) {
            recovering.remove(server);
            change(view.without(server), time);
        }
    }

    /** Somebody takes the number of a server that failed. Returns its address. */
    public Address replaced(int server, String endpoint, long time) {
        if (view.isUp(server)) {
            throw new IllegalStateException("Server " + server + " is replaced when it has failed, but it has not");
        }
        recovering.put(server, 0.0);
        change(view.with(server, endpoint), time);
        return view.address(server);
    }

    /** All servers are gone, and are to be replaced by some that begin with a checkpoint. */
    public void rolledBack(long time) {
        recovering.clear();
        change(view.rolledBack(), time);
    }

    /** Has servers begin no update until {@link #resume}, or until one fails. All must be there. */
    public void pause(long time) {
        now = time;
        pause.begin();
    }

    /** Whether no update is on its way anywhere. */
    public boolean isPaused() {
        return pause.isOn();
    }

    /** Whether there is no pause, nor will be, because one was ended, or a server failed. */
    public boolean isResumed() {
        return pause.isOff();
    }

    public void resume(long time) {
        now = time;
        pause.end();
    }

    private void change(View newer, long time) {
        now = time;
        pause.fence();
        view = newer;
        unfenced.clear();
        view.addresses().forEach(server -> {
            unfenced.add(server.id());
            send(server, new Fence(view));
        });
        decisions.values().forEach(decision -> decision.awaited.removeIf(server -> !view.has(server)));
        proceed();
    }

    void send(Address to, Message message) {
        outbox.accept(new Envelope(Address.DRIVER, to, view.epoch(), message));
    }

    /** Takes a message. */
    public void receive(Envelope envelope, long time) {
        now = time;
        Address from = envelope.from();
        if (envelope.message() instanceof Fenced fenced) {
            fenced(from, fenced.epoch());
        }
        if (!view.has(from)) {
            return;
        }
        if (envelope.message() instanceof Orphaned orphaned) {
            decide(orphaned.tx());
        } else if (envelope.message() instanceof Status status) {
            Decision decision = decisions.get(status.tx());
            if (decision != null && decision.outcome == null && decision.awaited.remove(from)) {
                decision.committed |= status.knowledge() == Knowledge.COMMITTED;
                proceed();
            }
        } else if (envelope.message() instanceof Finished finished) {
            Decision decision = decisions.get(finished.tx());
            if (decision != null && decision.outcome != null) {
                decision.awaited.remove(from);
                proceed();
            }
        } else if (envelope.message() instanceof Held held) {
            pause.held(from, held);
        } else if (envelope.message() instanceof Recovering progress) {
            recovering.computeIfPresent(from.id(), (server, before) -> progress.share());
        } else if (envelope.message() instanceof Recovered) {
            recovering.remove(from.id());
            send(from, new Welcome());
        }
    }

    /** Also the way in which workers ask whether there is a newer view. */
    private void fenced(Address from, int epoch) {
        if (epoch < view.epoch()) {
            send(from, new Fence(view));
        } else if (view.has(from)) {
            unfenced.remove(from.id());
        }
    }

    private void decide(TxId tx) {
        if (!decisions.containsKey(tx)) {
            Decision decision = new Decision();
            decisions.put(tx, decision);
            decision.awaited.addAll(view.addresses());
            decision.awaited.forEach(server -> send(server, new Query(tx)));
        }
    }

    private void proceed() {
        for (Map.Entry<TxId, Decision> entry : List.copyOf(decisions.entrySet())) {
            TxId tx = entry.getKey();
            Decision decision = entry.getValue();
            if (decision.awaited.isEmpty() && decision.outcome == null) {
                decision.outcome = decision.committed ? Outcome.COMMITTED : Outcome.ABORTED;
                decision.awaited.addAll(view.addresses());
                decision.awaited.forEach(server -> send(server, new Finish(tx, decision.outcome)));
            } else if (decision.awaited.isEmpty()) {
                decisions.remove(tx);
            }
        }
    }

    /** To be called now and then: what is not answered in time is asked again. */
    public void tick(long time) {
        now = time;
        if (now - told < timing.retry()) {
            return;
        }
        told = now;
        pause.tick();
        unfenced.forEach(server -> send(view.address(server), new Fence(view)));
        decisions.forEach((tx, decision) -> decision.awaited.forEach(
                server -> send(server, decision.outcome == null ? new Query(tx) : new Finish(tx, decision.outcome))));
    }

    /** Whether all servers are there, and have all that they should. */
    public boolean isHealthy() {
        return recovering.isEmpty() && view.addresses().size() == view.servers();
    }

    /**
     * What servers have of the rows and parities that they should have, from 0 to 1: of the one that has the least. 0 while one is
     * not there, and 1 if all are healthy.
     */
    public double recovered() {
        return view.addresses().size() < view.servers()
                ? 0
                : recovering.values().stream()
                        .mapToDouble(Double::doubleValue)
                        .min()
                        .orElse(1);
    }

    /** Whether nothing is undecided. */
    public boolean isQuiet() {
        return decisions.isEmpty() && unfenced.isEmpty();
    }
}
