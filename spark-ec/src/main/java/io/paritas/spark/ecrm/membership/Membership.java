/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.membership;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.MessageVisitor;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Connected;
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
 * The driver's part of the protocol: publishes views, ends attempts of dead workers, and pauses servers for
 * checkpoints. Its caller says which servers have failed and which candidates replace them. There is one driver, so
 * there is one decision. Not thread-safe.
 */
public final class Membership {
    private final Timing timing;
    private final Consumer<Envelope> outbox;
    private View view;
    private long now;
    /** When requests were last repeated. */
    private long repeated;

    private final Set<Integer> unfenced = new HashSet<>();
    /** By server that has not recovered yet: the share that it has recovered. */
    private final Map<Integer, Double> recovering = new HashMap<>();

    /** Whether a server has reported rows or blocks that cannot be recovered. */
    private boolean lossy;

    private final Map<TxId, Decision> decisions = new LinkedHashMap<>();
    private final Pause pause = new Pause(this);

    /** The end of an attempt without its worker: first all servers are asked, then all are told the outcome. */
    private static final class Decision {
        /** Servers that have not answered the question or the outcome. */
        final Set<Address> awaited = new HashSet<>();

        boolean committed;
        AttemptOutcome outcome;
    }

    /**
     * Begins with servers that have still to report that they have started.
     *
     * @param view the first view
     * @param outbox takes the messages to send
     */
    public Membership(View view, Timing timing, Consumer<Envelope> outbox) {
        this.view = view;
        this.timing = timing;
        this.outbox = outbox;
        view.addresses().forEach(server -> recovering.put(server.id(), 0.0));
    }

    /** The newest view. */
    public View view() {
        return view;
    }

    /** Removes a server from the view. From now on everybody ignores it, whether it is dead or not. */
    public void failed(int server, long time) {
        if (view.isUp(server)) {
            recovering.remove(server);
            change(view.without(server), time);
        }
    }

    /**
     * Adds a replacement of a failed server to the view.
     *
     * @param endpoint host and port of the replacement
     * @return its address
     */
    public Address replaced(int server, String endpoint, long time) {
        if (view.isUp(server)) {
            throw new IllegalStateException("server " + server + " must have failed before it is replaced");
        }
        recovering.put(server, 0.0);
        change(view.with(server, endpoint), time);
        return view.address(server);
    }

    /** From now on there is a checkpoint, so that whoever needs lost rows or blocks waits for a rollback. */
    public void checkpointed(long time) {
        if (!view.restorable()) {
            change(view.withCheckpoint(), time);
        }
    }

    /** Whether rows or blocks are lost, and all servers should go back to a checkpoint. */
    public boolean mustGoBack() {
        return lossy && view.restorable();
    }

    /** Removes all servers from the view; their replacements start from a checkpoint. */
    public void rolledBack(long time) {
        lossy = false;
        recovering.clear();
        change(view.rolledBack(), time);
    }

    /** Begins a pause: servers begin no update until {@link #resume}, or until one fails. All servers must be up. */
    public void pause(long time) {
        now = time;
        pause.begin();
    }

    /** Whether no server has an update in progress. */
    public boolean isPaused() {
        return pause.isOn();
    }

    /** Whether the pause is over: ended by {@link #resume}, or by a failure. */
    public boolean isResumed() {
        return pause.isOff();
    }

    /** Ends the pause. */
    public void resume(long time) {
        now = time;
        pause.end();
    }

    /** Publishes a view. */
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

    /** Takes a message. Ignores all but {@link Fenced} from senders that are not servers of the view. */
    public void receive(Envelope envelope, long time) {
        now = time;
        envelope.message().accept(new ViewReceiver(envelope.from()));
        if (view.has(envelope.from())) {
            envelope.message().accept(new Receiver(envelope.from()));
        }
    }

    /** Takes acknowledgements of views, from any sender. */
    private final class ViewReceiver implements MessageVisitor {
        private final Address from;

        ViewReceiver(Address from) {
            this.from = from;
        }

        /** Sends the view to a sender that is behind; workers connect, and ask for a newer view, in this way. */
        @Override
        public void fenced(Fenced answer) {
            if (answer.epoch() == 0 && from.role() == Address.Role.WORKER) {
                send(from, new Connected(view, now));
            } else if (answer.epoch() < view.epoch()) {
                send(from, new Fence(view));
            } else if (view.has(from)) {
                unfenced.remove(from.id());
            }
        }
    }

    /** Takes messages of servers. */
    private final class Receiver implements MessageVisitor {
        private final Address from;

        Receiver(Address from) {
            this.from = from;
        }

        @Override
        public void orphaned(Orphaned message) {
            decide(message.tx());
        }

        @Override
        public void status(Status answer) {
            Decision decision = decisions.get(answer.tx());
            if (decision != null && decision.outcome == null && decision.awaited.remove(from)) {
                decision.committed |= answer.knowledge() == Knowledge.COMMITTED;
                proceed();
            }
        }

        @Override
        public void finished(Finished answer) {
            Decision decision = decisions.get(answer.tx());
            if (decision != null && decision.outcome != null) {
                decision.awaited.remove(from);
                proceed();
            }
        }

        @Override
        public void held(Held answer) {
            pause.held(from, answer);
        }

        @Override
        public void recovering(Recovering message) {
            recovering.computeIfPresent(from.id(), (server, before) -> message.share());
            lossy |= message.lost() > 0;
        }

        @Override
        public void recovered(Recovered message) {
            recovering.remove(from.id());
            lossy |= message.hasLost();
            send(from, new Welcome());
        }
    }

    /** Begins to end an attempt whose worker is dead. */
    private void decide(TxId tx) {
        if (!decisions.containsKey(tx)) {
            Decision decision = new Decision();
            decisions.put(tx, decision);
            decision.awaited.addAll(view.addresses());
            decision.awaited.forEach(server -> send(server, new Query(tx)));
        }
    }

    /** Tells servers the outcome of attempts that all have answered, and forgets those that all have ended. */
    private void proceed() {
        for (Map.Entry<TxId, Decision> entry : List.copyOf(decisions.entrySet())) {
            TxId tx = entry.getKey();
            Decision decision = entry.getValue();
            if (decision.awaited.isEmpty() && decision.outcome == null) {
                decision.outcome = decision.committed ? AttemptOutcome.COMMITTED : AttemptOutcome.ABORTED;
                decision.awaited.addAll(view.addresses());
                decision.awaited.forEach(server -> send(server, new Finish(tx, decision.outcome)));
            } else if (decision.awaited.isEmpty()) {
                decisions.remove(tx);
            }
        }
    }

    /** Repeats requests whose answer is overdue. To be called a few times within {@link Timing#retry}. */
    public void tick(long time) {
        now = time;
        if (now - repeated < timing.retry()) {
            return;
        }
        repeated = now;
        pause.tick();
        unfenced.forEach(server -> send(view.address(server), new Fence(view)));
        decisions.forEach((tx, decision) -> decision.awaited.forEach(
                server -> send(server, decision.outcome == null ? new Query(tx) : new Finish(tx, decision.outcome))));
    }

    /** Whether a server is up and has not said yet that it has all its units and blocks. */
    public boolean isRecovering(int server) {
        return recovering.containsKey(server);
    }

    /** Whether all servers are up and have recovered. */
    public boolean isHealthy() {
        return recovering.isEmpty() && view.addresses().size() == view.servers();
    }

    /**
     * Returns the share of its units that a server has recovered, from 0 to 1: the least of all servers. 0 while a
     * server is down, 1 if all are healthy.
     */
    public double recovered() {
        return view.addresses().size() < view.servers()
                ? 0
                : recovering.values().stream()
                        .mapToDouble(Double::doubleValue)
                        .min()
                        .orElse(1);
    }

    /** Whether every attempt is decided and every server knows the view. */
    public boolean isQuiet() {
        return decisions.isEmpty() && unfenced.isEmpty();
    }
}
