/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.suites;

import io.paritas.spark.ParitasPlugin;
import io.paritas.spark.ec.shuffle.CodedShuffleManager;
import org.apache.spark.SortShuffleSuite;

/** Spark's {@code SortShuffleSuite}, and the {@code ShuffleSuite} that it extends, whose settings are no system properties. */
public final class ShuffleOnCodedFilesSuite extends SortShuffleSuite {
    @Override
    public void beforeAll() {
        super.beforeAll();
        conf().set("spark.shuffle.manager", CodedShuffleManager.class.getName());
        conf().set("spark.plugins", ParitasPlugin.class.getName());
        conf().set("spark.paritas.shuffle.minSize", "0");
    }
}
