/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.AttemptOutcome;
import io.paritas.spark.ecrm.protocol.TxId;
import io.paritas.spark.ecrm.table.UnitId;
import java.util.stream.IntStream;
import org.apache.spark.util.SizeEstimator;
import org.junit.jupiter.api.Test;

class AttemptsTest {
    private static final int WORKERS = 1000;
    private final Attempts attempts = new Attempts();

    private static TxId tx(int worker, long sequence) {
        return new TxId(worker, sequence, 1);
    }

    @Test
    void openAttemptsAreThoseWithoutAnOutcome() {
        Attempt one = attempts.begin(tx(1, 0), 0);
        Attempt two = attempts.begin(tx(2, 0), 0);
        attempts.abort(tx(3, 0), 0);
        assertThat(attempts.open()).containsExactly(one, two);

        one.end(AttemptOutcome.COMMITTED);
        assertThat(attempts.open()).containsExactly(two);
        Attempt next = attempts.begin(tx(1, 1), 0);
        assertThat(attempts.open()).containsExactlyInAnyOrder(next, two);
        attempts.abort(tx(2, 1), 0);
        assertThat(attempts.open()).containsExactly(next);
    }

    /** What remains of an attempt stays until its worker's next one, which never comes if its task has ended. */
    @Test
    void anAttemptThatIsOverTakesNoMoreMemoryForMoreRows() {
        Attempt attempt = attempts.begin(tx(1, 0), 0);
        Attempt before = attempts.begin(tx(2, 0), 0);
        before.end(AttemptOutcome.COMMITTED);
        for (int row = 0; row < 1000; row++) {
            UnitId unit = new UnitId(0, row, 0);
            attempt.rows.put(unit, new Attempt.StagedRow(null, 0));
            attempt.buildOn(unit, before);
        }
        long open = SizeEstimator.estimate(attempt);
        attempt.end(AttemptOutcome.COMMITTED);
        assertThat(open).isGreaterThan(50_000);
        assertThat(SizeEstimator.estimate(attempt)).isLessThan(1000);
    }

    /** Each worker is one that no other has been, so there are ever more of them. */
    @Test
    void manyWorkersOfThePastAreNotOpenAndNotForgotten() {
        IntStream.range(0, WORKERS)
                .forEach(worker -> attempts.begin(tx(worker, 5), 0).end(AttemptOutcome.COMMITTED));
        Attempt last = attempts.begin(tx(WORKERS, 0), 0);
        assertThat(attempts.open()).containsExactly(last);

        assertThat(attempts.find(tx(7, 5)).outcome()).isEqualTo(AttemptOutcome.COMMITTED);
        assertThat(attempts.isPast(tx(7, 4))).isTrue();
        assertThat(attempts.isPast(tx(7, 6))).isFalse();
    }

    @Test
    void aWorkerThatHasLeftIsForgottenAfterSomeTime() {
        attempts.begin(tx(1, 0), 0).end(AttemptOutcome.COMMITTED);
        Attempt open = attempts.begin(tx(2, 0), 0);
        attempts.begin(tx(3, 0), 0).end(AttemptOutcome.COMMITTED);
        attempts.begin(tx(4, 0), 0).end(AttemptOutcome.COMMITTED);
        IntStream.of(1, 2, 3, 9).forEach(worker -> attempts.leave(worker, 1, 20));
        attempts.leave(1, 1, 30);

        attempts.forgetLeftBefore(20);
        assertThat(attempts.hasArrived(tx(1, 0))).as("an echo may come").isTrue();
        Attempt next = attempts.begin(tx(3, 1), 20);
        attempts.forgetLeftBefore(21);
        assertThat(attempts.hasArrived(tx(1, 0))).as("left").isFalse();
        assertThat(attempts.find(tx(2, 0))).as("open").isSameAs(open);
        assertThat(attempts.find(tx(3, 1))).as("there again").isSameAs(next);
        assertThat(attempts.hasArrived(tx(4, 0))).as("there").isTrue();

        attempts.leave(3, 1, 21);
        open.end(AttemptOutcome.ABORTED);
        next.end(AttemptOutcome.COMMITTED);
        attempts.forgetLeftBefore(100);
        assertThat(attempts.find(tx(2, 0))).isNull();
        assertThat(attempts.find(tx(3, 1))).as("of a worker that follows").isSameAs(next);
    }

    /** Each task of a training is a worker. */
    @Test
    void workersThatLeaveTakeNoMemoryThatStays() {
        long empty = SizeEstimator.estimate(attempts);
        for (int worker = 0; worker < 10_000; worker++) {
            attempts.begin(tx(worker, 0), worker).end(AttemptOutcome.COMMITTED);
            attempts.open();
            attempts.leave(worker, 1, worker);
            attempts.forgetLeftBefore(worker - 10);
        }
        assertThat(SizeEstimator.estimate(attempts) - empty).isLessThan(10_000);
    }
}
