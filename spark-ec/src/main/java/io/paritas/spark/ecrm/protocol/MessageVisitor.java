/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

/**
 * A receiver of messages: {@link Message#accept} calls the method of the message's type. Each method ignores its
 * message unless overridden, because no receiver acts on all types.
 */
public interface MessageVisitor {
    default void pullRows(ReadMessage.PullRows message) {}

    default void parameters(ReadMessage.Parameters message) {}

    default void lost(ReadMessage.Lost message) {}

    default void pullBlocks(ReadMessage.PullBlocks message) {}

    default void readUnits(ReadMessage.ReadUnits message) {}

    default void units(ReadMessage.Units message) {}

    default void copyBlock(ReadMessage.CopyBlock message) {}

    default void blockCopy(ReadMessage.BlockCopy message) {}

    default void settle(ReadMessage.Settle message) {}

    default void settled(ReadMessage.Settled message) {}

    default void stage(CommitMessage.Stage message) {}

    default void restage(CommitMessage.Restage message) {}

    default void wanted(CommitMessage.Wanted message) {}

    default void staged(CommitMessage.Staged message) {}

    default void stageParity(CommitMessage.StageParity message) {}

    default void parityStaged(CommitMessage.ParityStaged message) {}

    default void refused(CommitMessage.Refused message) {}

    default void finish(CommitMessage.Finish message) {}

    default void finished(CommitMessage.Finished message) {}

    default void order(CommitMessage.Order message) {}

    default void ordered(CommitMessage.Ordered message) {}

    default void delayed(CommitMessage.Delayed message) {}

    default void opened(CommitMessage.Opened message) {}

    default void outdated(CommitMessage.Outdated message) {}

    default void fence(ViewMessage.Fence message) {}

    default void fenced(ViewMessage.Fenced message) {}

    default void connected(ViewMessage.Connected message) {}

    default void leave(ViewMessage.Leave message) {}

    default void orphaned(ViewMessage.Orphaned message) {}

    default void query(ViewMessage.Query message) {}

    default void status(ViewMessage.Status message) {}

    default void hold(ViewMessage.Hold message) {}

    default void held(ViewMessage.Held message) {}

    default void resume(ViewMessage.Resume message) {}

    default void save(ViewMessage.Save message) {}

    default void saved(ViewMessage.Saved message) {}

    default void failed(ViewMessage.Failed message) {}

    default void recovering(ViewMessage.Recovering message) {}

    default void recovered(ViewMessage.Recovered message) {}

    default void welcome(ViewMessage.Welcome message) {}

    default void offer(ViewMessage.Offer message) {}

    default void appoint(ViewMessage.Appoint message) {}

    default void lockRange(RangeMessage.LockRange message) {}

    default void stepRange(RangeMessage.StepRange message) {}

    default void locked(RangeMessage.Locked message) {}

    default void stepped(RangeMessage.Stepped message) {}

    default void trained(ProgressMessage.Trained message) {}

    default void known(ProgressMessage.Known message) {}
}
