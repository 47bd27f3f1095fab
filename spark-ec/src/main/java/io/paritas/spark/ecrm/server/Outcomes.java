/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.BlockGradient;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finish;
import io.paritas.spark.ecrm.protocol.CommitMessage.Finished;
import io.paritas.spark.ecrm.protocol.CommitMessage.Refused;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.ViewMessage.Knowledge;
import java.util.List;

/**
 * How attempts end on one server: their worker commits or aborts them, another server has committed them, this one
 * refuses them, or the driver decides for a worker that is dead.
 */
final class Outcomes {
    private final ServerContext context;
    private final Attempts attempts;
    private final RowStaging rows;
    private final RowChains chains;
    private final ParityStaging parities;
    private final BlockReplicas replicas;
    private final DelayedPushes pushes;

    Outcomes(
            ServerContext context,
            Attempts attempts,
            RowStaging rows,
            RowChains chains,
            ParityStaging parities,
            BlockReplicas replicas,
            DelayedPushes pushes) {
        this.context = context;
        this.attempts = attempts;
        this.rows = rows;
        this.chains = chains;
        this.parities = parities;
        this.replicas = replicas;
        this.pushes = pushes;
    }

    /** Aborts an attempt that this server has not voted for. */
    void refuse(Attempt attempt) {
        boolean known = attempt.progress() != Attempt.Progress.NONE;
        end(attempt, AttemptOutcome.ABORTED);
        if (known) {
            context.send(attempt.worker(), new Refused(attempt.id));
        }
    }

    /** Commits or aborts an attempt. Only the driver can commit one that it has asked about. */
    void finish(Address from, Finish message) {
        TxId tx = message.tx();
        boolean driver = from.equals(Address.DRIVER);
        Attempt attempt = attempts.find(tx);
        if (attempts.isPast(tx)) {
            if (driver) {
                context.send(from, new Finished(tx, message.outcome()));
            }
            return;
        }
        if (attempt == null) {
            if (message.outcome() == AttemptOutcome.ABORTED) {
                attempts.abort(tx, context.now());
            }
            context.send(from, new Finished(tx, message.outcome()));
            return;
        }
        if (!attempt.isOver()) {
            if (attempt.isAsked() && !driver && message.outcome() == AttemptOutcome.COMMITTED) {
                return;
            }
            end(attempt, message.outcome());
        }
        context.send(from, new Finished(tx, attempt.outcome()));
    }

    /** Commits an attempt that another server has committed; returns false if it is unknown or up to the driver. */
    boolean commit(TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempt == null) {
            return false;
        }
        if (!attempt.isOver() && !attempt.isAsked()) {
            end(attempt, AttemptOutcome.COMMITTED);
        }
        return attempt.outcome() == AttemptOutcome.COMMITTED;
    }

    /** Whether an attempt is not over, and only the driver can commit it. */
    boolean isUpToDriver(TxId tx) {
        Attempt attempt = attempts.find(tx);
        return attempt != null && !attempt.isOver() && attempt.isAsked();
    }

    /** Ends an attempt: applies what is staged, or drops it. */
    void end(Attempt attempt, AttemptOutcome outcome) {
        List<BlockGradient> blocks =
                attempt.stage() == null ? List.of() : attempt.stage().blocks();
        if (outcome == AttemptOutcome.COMMITTED) {
            rows.apply(attempt);
            parities.apply(attempt);
        } else {
            chains.withdrawThoseOn(attempt);
        }
        chains.leave(attempt);
        if (outcome == AttemptOutcome.ABORTED && attempt.stage() != null && !context.isOnePhase()) {
            pushes.keep(attempt.stage());
        }
        attempt.end(outcome);
        context.changed();
        if (outcome == AttemptOutcome.COMMITTED) {
            blocks.forEach(block -> replicas.committed(attempt.id, block.block(), block.gradient()));
        }
    }

    /** Tells the driver whether an attempt is committed here. From now on it is up to the driver, or aborted. */
    Knowledge query(TxId tx) {
        Attempt attempt = attempts.find(tx);
        if (attempt == null && !attempts.isPast(tx) && tx.epoch() >= context.self.birth()) {
            attempts.abort(tx, context.now());
        }
        if (attempt != null && !attempt.isOver()) {
            if (attempt.isVoted()) {
                attempt.ask();
            } else {
                refuse(attempt);
            }
        }
        return attempt != null && attempt.outcome() == AttemptOutcome.COMMITTED
                ? Knowledge.COMMITTED
                : Knowledge.NOT_COMMITTED;
    }
}
