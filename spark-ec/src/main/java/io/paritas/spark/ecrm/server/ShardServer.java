/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Order;
import io.paritas.spark.ecrm.protocol.CommitMessage.Ordered;
import io.paritas.spark.ecrm.protocol.CommitMessage.ParityStaged;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.RangeMessage;
import io.paritas.spark.ecrm.protocol.RangeMessage.LockRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Locked;
import io.paritas.spark.ecrm.protocol.RangeMessage.StepRange;
import io.paritas.spark.ecrm.protocol.RangeMessage.Stepped;
import io.paritas.spark.ecrm.protocol.ReadMessage;
import io.paritas.spark.ecrm.protocol.ReadMessage.BlockCopy;
import io.paritas.spark.ecrm.protocol.ReadMessage.CopyBlock;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullBlocks;
import io.paritas.spark.ecrm.protocol.ReadMessage.PullRows;
import io.paritas.spark.ecrm.protocol.ReadMessage.ReadUnits;
import io.paritas.spark.ecrm.protocol.ReadMessage.Units;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Hold;
import io.paritas.spark.ecrm.protocol.ViewMessage.LostStripes;
import io.paritas.spark.ecrm.protocol.ViewMessage.Query;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovered;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovering;
import io.paritas.spark.ecrm.protocol.ViewMessage.Resume;
import io.paritas.spark.ecrm.protocol.ViewMessage.Status;
import io.paritas.spark.ecrm.protocol.ViewMessage.Welcome;
import io.paritas.spark.ecrm.table.Block;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Origin;
import io.paritas.spark.ecrm.table.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A parameter server: gets messages and the time, and says what is to be sent. It keeps units of every table and replicas of
 * blocks of the neural network. It begins with what it is given; a replacement reads it from the others while it serves. Messages may be lost, doubled and reordered. Not thread-safe.
 */
public final class ShardServer {
    private final Site site;
    private final Replicas replicas;
    private final Ranges ranges;
    private final Recovery recovery;
    private final RangeRecovery rangeRecovery;
    private final Transactions transactions;
    private final Reads reads;
    private final Holding holding;
    private boolean welcome;
    private long told;

    /**
     * @param self an address that the view has
     * @param origin what it begins with; empty for a replacement
     * @param outbox takes what is to be sent
     * @ if what it begins with cannot be read
     */
    public ShardServer(
            ModelSpec model,
            Address self,
            View view,
            Timing timing,
            Pace pace,
            Optional<Origin> origin,
            Consumer<Envelope> outbox) {
        if (!view.has(self) || view.servers() != model.servers()) {
            throw new IllegalArgumentException("A server is one of the view, and the view has those of the model, but "
                    + self + " is given " + view);
        }
        this.site = new Site(model, self, view, timing, origin, outbox);
        this.replicas = new Replicas(site, origin);
        this.ranges = new Ranges(site);
        this.recovery = new Recovery(site);
        this.rangeRecovery = new RangeRecovery(site, recovery, pace);
        this.transactions = new Transactions(site, replicas, recovery, ranges);
        this.holding = new Holding(site, transactions, this::isQuiet);
        this.reads = new Reads(site, replicas, recovery, ranges);
    }

    /** Begins to recover, where there is something to. */
    public void start(long now) {
        site.at(now);
        replicas.fence();
        rangeRecovery.fence();
    }

    /** Takes a message. */
    public void receive(Envelope envelope, long now) {
        site.at(now);
        if (envelope.message() instanceof Fence fence) {
            fence(fence.view());
            if (envelope.from().equals(Address.DRIVER)) {
                site.send(Address.DRIVER, new Fenced(site.epoch()));
            }
        }
        boolean replaced = envelope.from().isServer() && !site.view().has(envelope.from());
        if (envelope.to().equals(site.self) && !replaced) {
            if (envelope.message() instanceof ReadMessage message) {
                read(envelope, message);
            } else if (envelope.message() instanceof CommitMessage message) {
                commit(envelope.from(), message);
            } else if (envelope.message() instanceof ViewMessage message) {
                view(envelope, message);
            } else if (envelope.message() instanceof RangeMessage message) {
                range(envelope, message);
            }
            proceed();
        }
    }

    /** To be called now and then: what is not answered in time is asked again. */
    public void tick(long now) {
        site.at(now);
        transactions.tick();
        replicas.tick();
        recovery.tick();
        rangeRecovery.tick();
        proceed();
        if (!welcome && now - told >= site.timing.retry()) {
            told = now;
            site.send(
                    Address.DRIVER,
                    isRecovered()
                            ? new Recovered(lostStripes(), replicas.lost())
                            : new Recovering(rangeRecovery.left(), rangeRecovery.units()));
        }
    }

    private void proceed() {
        transactions.proceed();
        reads.proceed();
        recovery.proceed();
        rangeRecovery.proceed();
        ranges.proceed(transactions);
        holding.proceed();
    }

    private void fence(View view) {
        if (view.epoch() > site.epoch()) {
            site.see(view);
            holding.fence();
            transactions.fence();
            ranges.fence();
            replicas.fence();
            recovery.fence();
            rangeRecovery.fence();
            proceed();
        }
    }

    /** Whether who asks sees the same servers; tells it, if it is behind. */
    private boolean agrees(Envelope envelope) {
        if (envelope.epoch() < site.epoch()) {
            site.send(envelope.from(), new Fence(site.view()));
        }
        return envelope.epoch() == site.epoch();
    }

    private void read(Envelope envelope, ReadMessage message) {
        Address from = envelope.from();
        if (message instanceof Units answer) {
            recovery.units(from, answer);
            rangeRecovery.units(from, answer);
        } else if (message instanceof BlockCopy answer) {
            replicas.copied(answer);
        } else if (agrees(envelope)) {
            if (message instanceof PullRows question) {
                reads.pullRows(from, question);
            } else if (message instanceof PullBlocks question) {
                reads.pullBlocks(from, question);
            } else if (message instanceof ReadUnits question) {
                reads.readUnits(from, question, transactions);
            } else if (message instanceof CopyBlock question) {
                replicas.copy(from, question, transactions);
            }
        }
    }

    private void commit(Address from, CommitMessage message) {
        if (message instanceof Stage stage) {
            transactions.stage(from, stage);
        } else if (message instanceof StageParity stage) {
            transactions.stageParity(from, stage);
        } else if (message instanceof ParityStaged answer) {
            transactions.parityStaged(from, answer.tx());
        } else if (message instanceof Refused answer) {
            transactions.parityRefused(from, answer.tx());
        } else if (message instanceof Finish finish) {
            transactions.finish(from, finish);
        } else if (message instanceof Order order) {
            replicas.order(from, order, transactions);
        } else if (message instanceof Ordered answer) {
            replicas.ordered(from, answer);
        }
    }

    private void view(Envelope envelope, ViewMessage message) {
        if (message instanceof Hold hold && envelope.epoch() == site.epoch()) {
            holding.hold(hold.number());
        } else if (message instanceof Resume resume && envelope.epoch() == site.epoch()) {
            holding.resume(resume.number());
        } else if (message instanceof Query query) {
            site.send(Address.DRIVER, new Status(query.tx(), transactions.query(query.tx())));
        } else if (message instanceof Welcome) {
            welcome = true;
        }
    }

    private void range(Envelope envelope, RangeMessage message) {
        Address from = envelope.from();
        if (message instanceof LockRange lock) {
            if (agrees(envelope)) {
                ranges.lock(from, lock, transactions);
            }
        } else if (message instanceof StepRange step) {
            ranges.step(from, step);
        } else if (message instanceof Locked answer) {
            rangeRecovery.locked(from, answer.lock());
        } else if (message instanceof Stepped answer) {
            rangeRecovery.stepped(from, answer);
        }
    }

    /** Whether all that it should have is here, but for what is lost. */
    public boolean isRecovered() {
        return rangeRecovery.isDone() && replicas.isComplete();
    }

    public View view() {
        return site.view();
    }

    /** What can no longer be decoded. */
    public List<LostStripes> lostStripes() {
        List<LostStripes> all = new ArrayList<>();
        site.lost.forEach((table, stripes) -> {
            if (!stripes.isEmpty()) {
                all.add(new LostStripes(
                        table,
                        stripes.stream().mapToLong(Long::longValue).sorted().toArray()));
            }
        });
        return List.copyOf(all);
    }

    /** As of now. */
    public Figures figures() {
        return site.shards.stream()
                .map(shard -> new Figures(shard.updatedRows(), shard.parityBytes(), shard.recovered(), shard.missing()))
                .reduce(Figures.NONE, Figures::plus);
    }

    /** Whether it should have rows or blocks that can no longer be decoded. */
    public boolean hasLost() {
        return !lostStripes().isEmpty() || replicas.lost().length > 0;
    }

    /** What it keeps of a table; only to be read. */
    public Shard shard(int table) {
        return site.shards.get(table);
    }

    /** What it keeps of a block that {@link io.paritas.spark.ecrm.placement.ReplicaPlacement} gives it; only to be read. */
    public Block block(int number) {
        return replicas.block(number);
    }

    /** Whether what it has does not change, and belongs to what all others have that are held. */
    public boolean isHeld() {
        return holding.isQuiet();
    }

    /** Whether nothing is staged, locked or waited for. */
    public boolean isQuiet() {
        return transactions.isQuiet() && ranges.isQuiet() && replicas.isQuiet();
    }
}
