/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.inference.serving.Role;
import io.paritas.inference.serving.spark.Spares.Offer;
import io.paritas.inference.serving.spark.Wire.Registration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which spare stands in for which lost instance. */
class SparesTest {
    private final Spares<String> spares = new Spares<>();

    private static Registration at(String version, String instance, Role role) {
        return new Registration("digits", version, instance, role, "3", "10.0.0.7", 40_000);
    }

    private void offer(String spare, String version) {
        for (Role role : new Role[] {Role.DEPLOYED, Role.parity(0)}) {
            spares.offered(spare, new Offer<>(at(version, spare, role), spare + " " + role));
        }
    }

    private Registration lose(String instance, Role role) {
        Registration lost = at("1", instance, role);
        spares.expect(instance);
        spares.lost(lost);
        return lost;
    }

    @Test
    void aSpareStandsInWithTheRoleOfTheLostInstance() {
        offer("spare", "1");
        lose("p-0", Role.parity(0));

        Spares.StandIn<String> in = spares.next(Set.of()).orElseThrow();

        assertThat(in.spare()).isEqualTo("spare");
        assertThat(in.offer().link()).isEqualTo("spare parity-0");
        assertThat(in.at().instance()).isEqualTo("p-0");
        assertThat(spares.next(Set.of())).isEmpty();
    }

    @Test
    void eachSpareStandsInForOneAndTheOthersWait() {
        offer("spare", "1");
        lose("d-0", Role.DEPLOYED);
        lose("d-1", Role.DEPLOYED);

        assertThat(spares.next(Set.of()))
                .get()
                .extracting(in -> in.at().instance())
                .isEqualTo("d-0");
        assertThat(spares.next(Set.of("spare"))).isEmpty();
        assertThat(spares.next(Set.of()))
                .get()
                .extracting(in -> in.at().instance())
                .isEqualTo("d-1");
    }

    @Test
    void whoIsBackOrEndsOnPurposeIsNotMissed() {
        offer("spare", "1");
        lose("d-0", Role.DEPLOYED);
        spares.back("d-0");
        lose("d-1", Role.DEPLOYED);
        spares.dismiss("d-1");
        spares.lost(at("1", "d-1", Role.DEPLOYED));

        assertThat(spares.next(Set.of())).isEmpty();
    }

    @Test
    void versionsHaveSparesOfTheirOwnAndALostSpareDoesNothing() {
        offer("other", "2");
        lose("d-0", Role.DEPLOYED);
        assertThat(spares.next(Set.of())).isEmpty();

        offer("spare", "1");
        assertThat(spares.lost("spare")).hasSize(2);
        assertThat(spares.next(Set.of())).isEmpty();
        assertThat(spares.lost("spare")).isEmpty();

        offer("late", "1");
        assertThat(spares.next(Set.of()).map(Spares.StandIn::spare)).isEqualTo(Optional.of("late"));
    }
}
