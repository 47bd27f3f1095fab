/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** The number that stands for each type of message on the wire. A number is never given to another type; 2 and 5 had one. */
enum MessageKind {
    PULL_ROWS(1, ReadMessage.PullRows.class, ReadMessage.PullRows::read),
    LOST(3, ReadMessage.Lost.class, ReadMessage.Lost::read),
    PULL_BLOCKS(4, ReadMessage.PullBlocks.class, ReadMessage.PullBlocks::read),
    READ_UNITS(6, ReadMessage.ReadUnits.class, ReadMessage.ReadUnits::read),
    UNITS(7, ReadMessage.Units.class, ReadMessage.Units::read),
    COPY_BLOCK(8, ReadMessage.CopyBlock.class, ReadMessage.CopyBlock::read),
    BLOCK_COPY(9, ReadMessage.BlockCopy.class, ReadMessage.BlockCopy::read),
    PARAMETERS(10, ReadMessage.Parameters.class, ReadMessage.Parameters::read),
    SETTLE(11, ReadMessage.Settle.class, ReadMessage.Settle::read),
    SETTLED(12, ReadMessage.Settled.class, ReadMessage.Settled::read),
    STAGE(16, CommitMessage.Stage.class, CommitMessage.Stage::read),
    STAGED(17, CommitMessage.Staged.class, CommitMessage.Staged::read),
    STAGE_PARITY(18, CommitMessage.StageParity.class, CommitMessage.StageParity::read),
    PARITY_STAGED(19, CommitMessage.ParityStaged.class, CommitMessage.ParityStaged::read),
    REFUSED(20, CommitMessage.Refused.class, CommitMessage.Refused::read),
    FINISH(21, CommitMessage.Finish.class, CommitMessage.Finish::read),
    FINISHED(22, CommitMessage.Finished.class, CommitMessage.Finished::read),
    ORDER(23, CommitMessage.Order.class, CommitMessage.Order::read),
    ORDERED(24, CommitMessage.Ordered.class, CommitMessage.Ordered::read),
    OUTDATED(25, CommitMessage.Outdated.class, CommitMessage.Outdated::read),
    RESTAGE(26, CommitMessage.Restage.class, CommitMessage.Restage::read),
    WANTED(27, CommitMessage.Wanted.class, CommitMessage.Wanted::read),
    DELAYED(28, CommitMessage.Delayed.class, CommitMessage.Delayed::read),
    OPENED(29, CommitMessage.Opened.class, CommitMessage.Opened::read),
    FENCE(32, ViewMessage.Fence.class, ViewMessage.Fence::read),
    FENCED(33, ViewMessage.Fenced.class, ViewMessage.Fenced::read),
    ORPHANED(34, ViewMessage.Orphaned.class, ViewMessage.Orphaned::read),
    QUERY(35, ViewMessage.Query.class, ViewMessage.Query::read),
    STATUS(36, ViewMessage.Status.class, ViewMessage.Status::read),
    RECOVERED(37, ViewMessage.Recovered.class, ViewMessage.Recovered::read),
    WELCOME(38, ViewMessage.Welcome.class, ViewMessage.Welcome::read),
    OFFER(39, ViewMessage.Offer.class, ViewMessage.Offer::read),
    APPOINT(40, ViewMessage.Appoint.class, ViewMessage.Appoint::read),
    HOLD(41, ViewMessage.Hold.class, ViewMessage.Hold::read),
    HELD(42, ViewMessage.Held.class, ViewMessage.Held::read),
    RESUME(43, ViewMessage.Resume.class, ViewMessage.Resume::read),
    SAVE(44, ViewMessage.Save.class, ViewMessage.Save::read),
    SAVED(45, ViewMessage.Saved.class, ViewMessage.Saved::read),
    FAILED(46, ViewMessage.Failed.class, ViewMessage.Failed::read),
    RECOVERING(47, ViewMessage.Recovering.class, ViewMessage.Recovering::read),
    LOCK_RANGE(48, RangeMessage.LockRange.class, RangeMessage.LockRange::read),
    LOCKED(49, RangeMessage.Locked.class, RangeMessage.Locked::read),
    STEP_RANGE(50, RangeMessage.StepRange.class, RangeMessage.StepRange::read),
    STEPPED(51, RangeMessage.Stepped.class, RangeMessage.Stepped::read),
    CONNECTED(52, ViewMessage.Connected.class, ViewMessage.Connected::read),
    LEAVE(53, ViewMessage.Leave.class, ViewMessage.Leave::read),
    TRAINED(64, ProgressMessage.Trained.class, ProgressMessage.Trained::read),
    KNOWN(65, ProgressMessage.Known.class, ProgressMessage.Known::read);

    private static final Map<Integer, MessageKind> BY_NUMBER = new HashMap<>();
    private static final Map<Class<?>, MessageKind> BY_TYPE = new HashMap<>();

    static {
        for (MessageKind kind : values()) {
            BY_NUMBER.put(kind.number, kind);
            BY_TYPE.put(kind.type, kind);
        }
    }

    final int number;
    private final Class<? extends Message> type;
    private final Function<WireReader, ? extends Message> reader;

    <M extends Message> MessageKind(int number, Class<M> type, Function<WireReader, M> reader) {
        this.number = number;
        this.type = type;
        this.reader = reader;
    }

    static MessageKind of(Message message) {
        return BY_TYPE.get(message.getClass());
    }

    static MessageKind of(int number) {
        MessageKind kind = BY_NUMBER.get(number);
        if (kind == null) {
            throw new WireException(
                    "message kind must be known, got " + number + ": run the same version of Paritas everywhere");
        }
        return kind;
    }

    Message read(WireReader from) {
        return reader.apply(from);
    }
}
