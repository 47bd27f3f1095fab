/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.ExpectedRow;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.RowDifferences;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.table.InitialState;
import io.paritas.spark.ecrm.table.Initializer;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Server 0 of four, with k = 2, alone: the test plays all others. It owns row 0, whose parity is on server 2, and has
 * the parity of rows 4 and 5, which servers 2 and 3 own. All rows start at 0, and each gradient subtracts 1.
 */
final class Station {
    static final Address SELF = Address.server(0, 1);
    static final Address WORKER = Address.worker(7);
    /** The server with the parity of row 0, and with row 4. */
    static final Address OTHER = Address.server(2, 1);

    static final long STRIPE_OF_ROW = 0;
    static final long STRIPE_OF_PARITY = 2;
    private static final int TO_PARITY = 0;
    private static final Timing TIMING = new Timing(20, 200, 3);

    final ShardServer server;
    private final List<Envelope> sent = new ArrayList<>();
    private View view = View.of(Collections.nCopies(4, ""));
    private long now;

    Station(Redundancy redundancy) {
        ModelSpec model = new ModelSpec(
                4, redundancy, List.of(new TableSpec(8, 1, new Optimizer.Sgd(1), new Initializer(0, 0, 0))), List.of());
        this.server = new ShardServer(
                model, SELF, view, TIMING, RecoveryPace.DEFAULT, Optional.of(InitialState.initial(model)), sent::add);
        server.start(now);
    }

    /** Delivers a message of the current epoch and returns what the server sends. */
    List<Envelope> hears(Address from, Message message) {
        return hears(from, message, view.epoch());
    }

    /** Delivers a message of an epoch and returns what the server sends. */
    List<Envelope> hears(Address from, Message message, int epoch) {
        sent.clear();
        server.receive(new Envelope(from, SELF, epoch, message), now);
        return List.copyOf(sent);
    }

    /** Lets time pass and returns what the server sends. */
    List<Envelope> waits(long millis) {
        sent.clear();
        now += millis;
        server.tick(now);
        return List.copyOf(sent);
    }

    /** Changes the view and returns what the server sends. */
    List<Envelope> sees(View newer) {
        view = newer;
        return hears(Address.DRIVER, new Fence(view));
    }

    View view() {
        return view;
    }

    /** Returns an attempt of the worker in the current epoch. */
    TxId attempt(long sequence) {
        return new TxId(WORKER.id(), sequence, view.epoch());
    }

    /** Returns an update of row 0. */
    static Stage ofRow(TxId tx) {
        return ofRow(tx, List.of());
    }

    /** Returns an update of row 0, if it is as expected. */
    static Stage ofRow(TxId tx, List<ExpectedRow> expected) {
        return new Stage(
                tx,
                0,
                List.of(new RowGradients(0, new long[] {0}, new float[] {1})),
                List.of(),
                expected,
                new int[] {});
    }

    /** Returns an update of row 4 for its parity. */
    static StageParity ofParity(TxId tx, int base) {
        return new StageParity(
                tx,
                0,
                List.of(new RowDifferences(
                        0, new long[] {2 * STRIPE_OF_PARITY + TO_PARITY}, new int[] {base}, new int[] {1})));
    }

    /** Returns row 0 on the server: its version and its only parameter. */
    List<Integer> row() {
        return Arrays.stream(server.shard(0).newest(STRIPE_OF_ROW, 0)).boxed().toList();
    }

    /** Returns the parity of rows 4 and 5: their versions and its only word. */
    List<Integer> parity() {
        return Arrays.stream(server.shard(0).newest(STRIPE_OF_PARITY, 2))
                .boxed()
                .toList();
    }

    static List<Integer> row(int version, float parameter) {
        return List.of(version, Float.floatToRawIntBits(parameter));
    }

    static Envelope to(Address to, int epoch, Message message) {
        return new Envelope(SELF, to, epoch, message);
    }
}
