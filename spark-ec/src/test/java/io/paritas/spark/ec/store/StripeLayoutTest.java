/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StripeLayoutTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_130L);
    private static final int PARTITIONS = 10_001;
    private static final int K = 4;
    private static final Access ACCESS = new Access("rs-4-1", 1, 2, 3, 5_000, null);

    /** The partitions but the last three, in any order; the last stripe has less than k. */
    private static List<Stripe> stripes() {
        Random random = new Random(SEED);
        List<Integer> all =
                new ArrayList<>(IntStream.range(0, PARTITIONS - 3).boxed().toList());
        Collections.shuffle(all, random);
        List<Stripe> stripes = new ArrayList<>();
        for (int from = 0; from < all.size(); from += K) {
            List<Integer> some = all.subList(from, Math.min(from + K, all.size()));
            List<StoredUnit> units = IntStream.range(0, K + 1)
                    .mapToObj(unit -> unit < some.size() || unit == K
                            ? new StoredUnit(1 + random.nextInt(1 << 27), random.nextInt())
                            : StoredUnit.EMPTY)
                    .toList();
            stripes.add(new Stripe(some, K, units, stripes.size()));
        }
        return stripes;
    }

    private static byte[] serialised(StripeLayout layout) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(layout);
        }
        return bytes.toByteArray();
    }

    @Test
    void tasksGetTheStripesAsTheyAre() throws IOException, ClassNotFoundException {
        List<Stripe> stripes = stripes();
        byte[] bytes = serialised(new StripeLayout(ACCESS, stripes));
        StripeLayout layout = (StripeLayout) new ObjectInputStream(new ByteArrayInputStream(bytes)).readObject();

        assertThat(layout.access()).isEqualTo(ACCESS);
        assertThat(layout.stripes()).isEqualTo(stripes);
        for (Stripe stripe : stripes) {
            assertThat(stripe.partitions()).allSatisfy(partition -> assertThat(layout.stripeOf(partition))
                    .contains(stripe));
        }
        assertThat(layout.stripeOf(PARTITIONS - 1)).as("without rows").isEmpty();
    }

    @Test
    void thereMayBeNone() {
        StripeLayout layout = new StripeLayout(ACCESS, List.of());
        assertThat(layout.stripes()).isEmpty();
        assertThat(layout.stripeOf(0)).isEmpty();
    }

    /** Spark reads it again for each task. */
    @Test
    void itIsSmall() throws IOException {
        assertThat(serialised(new StripeLayout(ACCESS, stripes()))).hasSizeLessThan(200_000);
    }
}
