/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CodecTest {
    private static final TxId TX = new TxId(5, 6L << 40, 7);

    private static final List<Message> ALL = List.of(
            new ReadMessage.PullRows(1, 2, new long[] {3, Long.MAX_VALUE}),
            new ReadMessage.Parameters(1, 2, 3, new float[] {1.5f, -0f}),
            new ReadMessage.Lost(1, 2, new long[] {3}),
            new ReadMessage.PullBlocks(1, new int[] {2, 3}),
            new ReadMessage.ReadUnits(1, 2, ReadMessage.Purpose.FROZEN, new long[] {3}),
            new ReadMessage.Units(1, new long[] {2}, new int[] {3, -4}),
            new ReadMessage.CopyBlock(1, 2),
            new ReadMessage.Settle(1),
            new ReadMessage.Settled(1),
            new ReadMessage.BlockCopy(
                    1, 2, 3, new float[] {4}, List.of(new CommitMessage.Order(TX, 2, 1, new float[0]))),
            new CommitMessage.Stage(
                    TX,
                    8,
                    List.of(new RowGradients(1, new long[] {2}, new float[] {3, 4})),
                    List.of(new BlockGradient(5, new float[] {6})),
                    List.of(new ExpectedRow(1, 2, new float[] {7, 8})),
                    new int[] {9}),
            new CommitMessage.Staged(TX),
            new CommitMessage.StageParity(
                    TX, 0, List.of(new RowDifferences(1, new long[] {2, 3}, new int[] {4, 5}, new int[] {6, 7, 8, 9}))),
            new CommitMessage.ParityStaged(TX, 0),
            new CommitMessage.Refused(TX),
            new CommitMessage.Restage(TX, 1),
            new CommitMessage.Wanted(TX),
            new CommitMessage.Delayed(TX),
            new CommitMessage.Opened(TX),
            new CommitMessage.Outdated(TX, 1, 2),
            new CommitMessage.Finish(TX, AttemptOutcome.ABORTED),
            new CommitMessage.Finished(TX, AttemptOutcome.COMMITTED),
            new CommitMessage.Order(TX, 1, 2, new float[] {3}),
            new CommitMessage.Ordered(TX, 1),
            new ViewMessage.Fence(View.of(List.of("a:1", "\u00e4:2")).without(0)),
            new ViewMessage.Fenced(3),
            new ViewMessage.Connected(View.of(List.of("a:1", "\u00e4:2")), 3),
            new ViewMessage.Leave(1),
            new ViewMessage.Orphaned(TX),
            new ViewMessage.Query(TX),
            new ViewMessage.Status(TX, ViewMessage.Knowledge.NOT_COMMITTED),
            new ViewMessage.Recovered(2, new int[] {3}),
            new ViewMessage.Recovering(1, 2, 3),
            new ViewMessage.Welcome(),
            new ViewMessage.Offer(3, "a:1", "2"),
            new ViewMessage.Appoint(
                    1, View.of(List.of("a:1")).withCheckpoint().rolledBack(), ViewMessage.Start.CHECKPOINT, "/a", 2),
            new ViewMessage.Hold(1, List.of(TX)),
            new ViewMessage.Held(1, List.of(new AppliedAttempt(TX, new int[] {2}))),
            new ViewMessage.Resume(1),
            new ViewMessage.Save(1, "/a"),
            new ViewMessage.Saved(1, "why"),
            new ViewMessage.Failed("why"),
            new RangeMessage.LockRange(1, 2, 3, 4),
            new RangeMessage.Locked(1),
            new RangeMessage.StepRange(1, RangeMessage.Step.UNLOCK),
            new RangeMessage.Stepped(1, RangeMessage.Step.BUFFER),
            new ProgressMessage.Trained(List.of(new Iteration(1, 2, 3, 4, 5, 6, 7, new int[] {8, 9}))),
            new ProgressMessage.Known(1));

    private static byte[] bytes(Message message) {
        ByteBuffer bytes = Codec.encode(new Envelope(Address.worker(1), Address.server(2, 3), 4, message));
        byte[] all = new byte[bytes.remaining()];
        bytes.get(all);
        return all;
    }

    /** Also that every kind is among them. */
    @Test
    void everyMessageIsReadAsItWasWritten() {
        for (Message message : ALL) {
            Envelope read = Codec.decode(ByteBuffer.wrap(bytes(message)));
            assertThat(read.from()).isEqualTo(Address.worker(1));
            assertThat(read.to()).isEqualTo(Address.server(2, 3));
            assertThat(read.epoch()).isEqualTo(4);
            assertThat(read.message()).hasSameClassAs(message);
            assertThat(read.message()).usingRecursiveComparison().isEqualTo(message);
            assertThat(bytes(read.message())).isEqualTo(bytes(message));
        }
        Set<MessageKind> kinds = ALL.stream().map(MessageKind::of).collect(Collectors.toSet());
        assertThat(kinds).isEqualTo(EnumSet.allOf(MessageKind.class));
    }

    /** The layout, byte by byte. */
    @Test
    void bytesStayWhatTheyAre() {
        assertThat(bytes(new CommitMessage.Finish(TX, AttemptOutcome.ABORTED)))
                .containsExactly(
                        4, 21, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0,
                        0, 6, 0, 0, 7, 0, 0, 0, 1);
    }

    @Test
    void bytesOfProgressStayWhatTheyAre() {
        assertThat(bytes(new ViewMessage.Recovering(57, 100, 2)))
                .containsExactly(
                        4, 47, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 57, 0, 0, 0, 0, 0, 0,
                        0, 100, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0);
        assertThat(new ViewMessage.Recovering(57, 100, 2).share()).isEqualTo(0.43);
        assertThat(new ViewMessage.Recovering(0, 0, 0).share()).isEqualTo(1);
    }

    @Test
    void differencesThatAreNotOfAllRowsAreRefused() {
        RowDifferences without = new RowDifferences(1, new long[] {2, 3}, new int[] {4, 5}, new int[] {6, 7, 8});
        assertThatThrownBy(() ->
                        Codec.decode(ByteBuffer.wrap(bytes(new CommitMessage.StageParity(TX, 0, List.of(without))))))
                .isInstanceOf(WireException.class)
                .hasMessage("differences must have a version and as many words for each row, got 2 rows, 2 versions"
                        + " and 3 words");
    }

    @Test
    void messagesThatAreCutShortOrTooLongAreRefused() {
        for (Message message : ALL) {
            byte[] bytes = bytes(message);
            for (int length = 0; length < bytes.length; length++) {
                ByteBuffer part = ByteBuffer.wrap(Arrays.copyOf(bytes, length));
                assertThatThrownBy(() -> Codec.decode(part))
                        .as(message + " of " + length)
                        .isInstanceOf(WireException.class)
                        .hasMessageStartingWith("message is cut short or damaged: it announces ");
            }
            assertThatThrownBy(() -> Codec.decode(ByteBuffer.wrap(Arrays.copyOf(bytes, bytes.length + 1))))
                    .hasMessage("message must end with its last field, got 1 more bytes");
        }
    }

    /** Whatever is wrong with them, they are read as a message or refused. */
    @Test
    void damagedMessagesDoNoHarm() {
        Random random = new Random(17);
        for (Message message : ALL) {
            for (int trial = 0; trial < 300; trial++) {
                byte[] bytes = bytes(message);
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                Throwable failure = catchThrowable(() -> Codec.decode(ByteBuffer.wrap(bytes)));
                assertThat(failure == null || failure instanceof WireException)
                        .as(message + ": " + failure)
                        .isTrue();
            }
        }
    }

    @Test
    void otherVersionsAndKindsAreRefused() {
        byte[] bytes = bytes(new ViewMessage.Welcome());
        bytes[0] = 9;
        assertThatThrownBy(() -> Codec.decode(ByteBuffer.wrap(bytes)))
                .hasMessage("message version must be 4, got 9: run the same version of Paritas everywhere");
        bytes[0] = Codec.VERSION;
        bytes[1] = 99;
        assertThatThrownBy(() -> Codec.decode(ByteBuffer.wrap(bytes)))
                .hasMessage("message kind must be known, got 99: run the same version of Paritas everywhere");
    }

    /** A visitor has one method for each type of message, and each message calls its own. */
    @Test
    void everyMessageCallsItsOwnMethodOfAVisitor() {
        for (Message message : ALL) {
            List<String> calls = new ArrayList<>();
            MessageVisitor visitor = (MessageVisitor) Proxy.newProxyInstance(
                    MessageVisitor.class.getClassLoader(),
                    new Class<?>[] {MessageVisitor.class},
                    (self, method, given) -> {
                        assertThat(given).containsExactly(message);
                        calls.add(method.getName());
                        return null;
                    });
            message.accept(visitor);
            String type = message.getClass().getSimpleName();
            assertThat(calls).containsExactly(Character.toLowerCase(type.charAt(0)) + type.substring(1));
        }
        assertThat(MessageVisitor.class.getDeclaredMethods()).hasSize(MessageKind.values().length);
    }

    /** A receiver ignores the messages that it does not act on. */
    @Test
    void aVisitorIgnoresMessages() {
        MessageVisitor visitor = new MessageVisitor() {};
        ALL.forEach(message -> message.accept(visitor));
    }
}
