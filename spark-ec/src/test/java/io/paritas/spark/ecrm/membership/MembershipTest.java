/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ecrm.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ecrm.protocol.Address;
import io.paritas.spark.ecrm.protocol.Envelope;
import io.paritas.spark.ecrm.protocol.Message;
import io.paritas.spark.ecrm.protocol.Timing;
import io.paritas.spark.ecrm.protocol.View;
import io.paritas.spark.ecrm.protocol.ViewMessage.Connected;
import io.paritas.spark.ecrm.protocol.ViewMessage.Fenced;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovered;
import io.paritas.spark.ecrm.protocol.ViewMessage.Recovering;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the driver knows of recoveries. The simulations test the rest. */
class MembershipTest {
    private final List<Envelope> sent = new ArrayList<>();
    private final Membership membership = new Membership(View.of(List.of("", "", "")), Timing.DEFAULT, sent::add);

    private void tells(Address server, Message message) {
        membership.receive(
                new Envelope(server, Address.DRIVER, membership.view().epoch(), message), 0);
    }

    private void recovered(Address server) {
        tells(server, new Recovered(0, new int[0]));
    }

    /** All workers count time by the driver's clock. */
    @Test
    void tellsAWorkerThatConnectsTheTime() {
        Address worker = Address.worker(7);
        membership.receive(new Envelope(worker, Address.DRIVER, 0, new Fenced(0)), 1234);
        assertThat(sent)
                .containsExactly(new Envelope(Address.DRIVER, worker, 1, new Connected(membership.view(), 1234)));
    }

    @Test
    void knowsHowFarTheSlowestRecoveryIs() {
        assertThat(membership.recovered()).isZero();
        membership.view().addresses().forEach(this::recovered);
        assertThat(membership.recovered()).isEqualTo(1);
        assertThat(membership.isHealthy()).isTrue();
        Address before = membership.view().address(1);
        membership.failed(1, 0);
        assertThat(membership.recovered()).as("nobody is there").isZero();
        Address after = membership.replaced(1, "", 0);
        assertThat(membership.recovered()).isZero();
        tells(after, new Recovering(57, 100, 0));
        assertThat(membership.recovered()).isEqualTo(0.43);
        tells(before, new Recovering(1, 100, 0));
        assertThat(membership.recovered()).as("nobody listens to the other one").isEqualTo(0.43);
        membership.failed(2, 0);
        tells(membership.replaced(2, "", 0), new Recovering(3, 4, 0));
        assertThat(membership.recovered()).as("the least").isEqualTo(0.25);
        recovered(membership.view().address(2));
        recovered(after);
        tells(after, new Recovering(57, 100, 0));
        assertThat(membership.recovered()).as("what comes late is not news").isEqualTo(1);
        assertThat(membership.isHealthy()).isTrue();
    }

    @Test
    void goesBackWhenSomethingIsLostAndThereIsACheckpoint() {
        membership.view().addresses().forEach(this::recovered);
        membership.checkpointed(0);
        assertThat(membership.view().restorable()).isTrue();
        int epoch = membership.view().epoch();
        membership.checkpointed(0);
        assertThat(membership.view().epoch()).as("nothing is new").isEqualTo(epoch);
        membership.failed(1, 0);
        Address after = membership.replaced(1, "", 0);
        tells(after, new Recovering(57, 100, 0));
        assertThat(membership.mustGoBack()).isFalse();
        tells(after, new Recovering(57, 100, 1));
        assertThat(membership.mustGoBack()).isTrue();
        membership.rolledBack(0);
        assertThat(membership.mustGoBack()).isFalse();
        assertThat(membership.view().restorable()).as("once more, if need be").isTrue();
    }

    @Test
    void goesBackToACheckpointThatIsCompleteOnlyAfterTheLoss() {
        membership.failed(1, 0);
        tells(membership.replaced(1, "", 0), new Recovered(0, new int[] {7}));
        assertThat(membership.mustGoBack()).as("nowhere to go").isFalse();
        membership.checkpointed(0);
        assertThat(membership.mustGoBack()).isTrue();
    }
}
