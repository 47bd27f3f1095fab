/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.client;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.CommitMessage.Staged;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.ReadMessage;
import io.paritas.spark.ecrm.protocol.ReadMessage.Lost;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.table.ModelSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a worker says to servers: gets messages and the time, and says what is to be sent. It pulls parameters, any number
 * of times at once, and pushes one iteration after another. Not thread-safe.
 */
public final class Worker {
    private final Peers peers;
    private final List<Pull> pulls = new ArrayList<>();
    private Push push;
    /** That servers went back while nothing was asked for. */
    private Optional<RolledBackException> pending = Optional.empty();

    private long told;

    /**
     * @param id one that no other worker has or had
     * @param outbox takes what is to be sent
     */
    public Worker(ModelSpec model, int id, View view, Timing timing, Consumer<Envelope> outbox) {
        this.peers = new Peers(model, id, view, timing, outbox);
    }

    /**
     * Reads rows of a table.
     *
     * @throws RolledBackException if servers went back to a checkpoint since the last answer
     */
    public Pull pullRows(int table, long[] rows, long now) {
        checkRows(table, rows);
        begin(now);
        Pull pull = Pull.rows(peers, table, rows.clone());
        pulls.add(pull);
        return pull;
    }

    /** Reads blocks; throws as {@link #pullRows}. */
    public Pull pullBlocks(int[] blocks, long now) {
        for (int block : blocks) {
            checkBlock(block);
        }
        begin(now);
        Pull pull = Pull.blocks(peers, blocks.clone());
        pulls.add(pull);
        return pull;
    }

    /** Commits the updates of an iteration. The one before must be done. Throws as {@link #pullRows}. */
    public Push push(List<RowGradients> rows, List<BlockGradient> blocks, long now) {
        if (push != null && !push.isDone()) {
            throw new IllegalStateException("A worker pushes one iteration after another, but the last is not done");
        }
        rows.forEach(this::checkGradients);
        for (BlockGradient gradient : blocks) {
            checkBlock(gradient.block());
            int size = peers.model.blocks().get(gradient.block()).size();
            if (gradient.gradient().length != size) {
                throw new IllegalArgumentException("A gradient is as long as its block, but block " + gradient.block()
                        + " has " + size + " parameters, and its gradient " + gradient.gradient().length);
            }
        }
        begin(now);
        push = new Push(peers, List.copyOf(rows), List.copyOf(blocks));
        return push;
    }

    private void begin(long now) {
        peers.at(now);
        Optional<RolledBackException> why = pending;
        pending = Optional.empty();
        if (why.isPresent()) {
            throw why.get();
        }
    }

    private void checkGradients(RowGradients gradients) {
        checkRows(gradients.table(), gradients.rows());
        Set<Long> seen = new HashSet<>();
        for (long row : gradients.rows()) {
            if (!seen.add(row)) {
                throw new IllegalArgumentException("A push has one gradient of a row, but has two of row " + row
                        + " of table " + gradients.table() + ": add them");
            }
        }
        int width = peers.model.tables().get(gradients.table()).width();
        if (gradients.gradients().length != (long) width * gradients.rows().length) {
            throw new IllegalArgumentException("A gradient is as long as its row, but " + gradients.rows().length
                    + " rows of " + width + " have gradients of " + gradients.gradients().length + " in all");
        }
    }

    private void checkRows(int table, long[] rows) {
        int tables = peers.model.tables().size();
        if (table < 0 || table >= tables) {
            throw new IllegalArgumentException(
                    "Tables are numbered from 0 up to " + tables + ", but " + table + " is asked for");
        }
        long count = peers.model.tables().get(table).rows();
        for (long row : rows) {
            if (row < 0 || row >= count) {
                throw new IllegalArgumentException("Rows of table " + table + " are numbered from 0 up to " + count
                        + ", but " + row + " is asked for");
            }
        }
    }

    private void checkBlock(int block) {
        int count = peers.model.blocks().size();
        if (block < 0 || block >= count) {
            throw new IllegalArgumentException(
                    "Blocks are numbered from 0 up to " + count + ", but " + block + " is asked for");
        }
    }

    public View view() {
        return peers.view();
    }

    /** Takes a message. */
    public void receive(Envelope envelope, long now) {
        peers.at(now);
        Address from = envelope.from();
        if (envelope.message() instanceof Fence fence) {
            fence(fence.view());
        } else if (!peers.view().has(from)) {
            return;
        } else if (envelope.message() instanceof ReadMessage answer) {
            pulls.forEach(pull -> pull.receive(from, answer));
            if (push != null && answer instanceof Lost lost) {
                push.lost(lost.request(), new LostException(lost.table(), lost.stripes()));
            }
        } else if (push != null && envelope.message() instanceof Staged answer) {
            push.staged(from, answer.tx());
        } else if (push != null && envelope.message() instanceof Refused answer) {
            push.refused(answer.tx());
        } else if (push != null && envelope.message() instanceof Finished answer) {
            push.finished(from, answer.tx(), answer.outcome());
        }
        pulls.removeIf(Pull::isDone);
    }

    private void fence(View view) {
        if (view.epoch() > peers.view().epoch()) {
            boolean back = view.rollbacks() > peers.view().rollbacks();
            peers.see(view);
            if (back) {
                RolledBackException why = new RolledBackException(view.rollbacks());
                if (!waits()) {
                    pending = Optional.of(why);
                }
                pulls.forEach(pull -> pull.fail(why));
                if (push != null) {
                    push.fail(why);
                }
            } else {
                pulls.forEach(Pull::ask);
                if (push != null) {
                    push.fence();
                }
            }
        }
    }

    /** To be called now and then: what is not answered in time is asked again, and the driver whether somebody has failed. */
    public void tick(long now) {
        peers.at(now);
        pulls.forEach(Pull::tick);
        if (push != null) {
            push.tick();
        }
        if (waits() && now - told >= peers.timing.retry()) {
            told = now;
            peers.send(Address.DRIVER, new Fenced(peers.view().epoch()));
        }
    }

    private boolean waits() {
        return !pulls.isEmpty() || (push != null && !push.isDone());
    }
}
