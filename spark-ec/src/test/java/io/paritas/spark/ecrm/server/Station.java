/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.CommitMessage.Stage;
import io.paritas.spark.ecrm.protocol.CommitMessage.StageParity;
import io.paritas.spark.ecrm.protocol.Difference;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.RowGradients;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fence;
import io.paritas.spark.ecrm.table.Initial;
import io.paritas.spark.ecrm.table.ModelSpec;
import io.paritas.spark.ecrm.table.Optimizer;
import io.paritas.spark.ecrm.table.Origin;
import io.paritas.spark.ecrm.table.Redundancy;
import io.paritas.spark.ecrm.table.TableSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Server 0 of four with two rows to a parity, alone: the test is all the others. It owns row 0, whose parity is at server 2, and has
 * the parity of rows 4 and 5, which servers 2 and 3 own. All rows are 0 at first, and each gradient takes 1 from them.
 */
final class Station {
    static final Address SELF = Address.server(0, 1);
    static final Address WORKER = Address.worker(7);
    /** Where the parity of row 0 is, and row 4. */
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
                4, redundancy, List.of(new TableSpec(8, 1, new Optimizer.Sgd(1), new Initial(0, 0, 0))), List.of());
        this.server =
                new ShardServer(model, SELF, view, TIMING, Pace.DEFAULT, Optional.of(Origin.initial(model)), sent::add);
        server.start(now);
    }

    /** What it sends when it hears something from somebody who sees the same servers. */
    List<Envelope> hears(Address from, Message message) {
        return hears(from, message, view.epoch());
    }

    /** What it sends when it hears something that was sent in an epoch. */
    List<Envelope> hears(Address from, Message message, int epoch) {
        sent.clear();
        server.receive(new Envelope(from, SELF, epoch, message), now);
        return List.copyOf(sent);
    }

    /** What it sends when time has passed. */
    List<Envelope> waits(long millis) {
        sent.clear();
        now += millis;
        server.tick(now);
        return List.copyOf(sent);
    }

    /** Server 3 is gone, or is replaced; what is sent then. */
    List<Envelope> sees(View newer) {
        view = newer;
        return hears(Address.DRIVER, new Fence(view));
    }

    View view() {
        return view;
    }

    /** Of the worker, in the epoch that is now. */
    TxId attempt(long sequence) {
        return new TxId(WORKER.id(), sequence, view.epoch());
    }

    /** An update of row 0. */
    static Stage ofRow(TxId tx) {
        return new Stage(tx, 0, List.of(new RowGradients(0, new long[] {0}, new float[] {1})), List.of());
    }

    /** An update of row 4, on its way into the parity. */
    static StageParity ofParity(TxId tx, int base) {
        return new StageParity(tx, List.of(new Difference(0, STRIPE_OF_PARITY, TO_PARITY, base, new int[] {1})));
    }

    /** What the server has of row 0: its version, and its only parameter. */
    List<Integer> row() {
        return Arrays.stream(server.shard(0).newest(STRIPE_OF_ROW, 0)).boxed().toList();
    }

    /** The versions of rows 4 and 5 in their parity, and its only word. */
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
