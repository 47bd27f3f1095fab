/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.storage.BlockManagerId;
import scala.Option;

/** Executors that are names only. */
final class Executors {
    private Executors() {}

    static BlockManagerId executor(int number) {
        return BlockManagerId.apply(String.valueOf(number), "host" + number, 7000 + number, Option.empty());
    }

    /** Those with the numbers from 0 on. */
    static List<BlockManagerId> first(int count) {
        return IntStream.range(0, count).mapToObj(Executors::executor).toList();
    }
}
