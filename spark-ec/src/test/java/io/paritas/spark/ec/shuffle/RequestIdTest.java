/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.spark.ec.shuffle.RequestId.Kind;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RequestIdTest {
    private static final int LAST = RequestId.SHUFFLES - 1;

    @ParameterizedTest
    @EnumSource(Kind.class)
    void itIsReadFromTheNameOfABlock(Kind kind) {
        int to = kind.isOrder() ? 0 : 13;
        for (int shuffle : new int[] {0, 7, LAST}) {
            RequestId request = new RequestId(kind, shuffle, 1L << 40, 3, to);

            assertThat(RequestId.of(BlockId.apply(request.blockId().name()))).contains(request);
            assertThat(request.blockId().isShuffle()).isTrue();
        }
    }

    @Test
    void sparksOwnBlocksAreNone() {
        assertThat(RequestId.of(new ShuffleBlockId(LAST, 1, 2))).isEmpty();
        assertThat(RequestId.of(new ShuffleBlockBatchId(LAST, 1, 2, 5))).isEmpty();
        assertThat(RequestId.of(new ShuffleDataBlockId(LAST, 1, 0))).isEmpty();
        assertThat(RequestId.of(new ShuffleIndexBlockId(LAST, 1, 0))).isEmpty();
    }

    @Test
    void bytesAreWholePages() {
        RequestId request = RequestId.bytes(Kind.DATA, 1, 2, 5_000_000_000L, 5_000_000_001L);

        assertThat(request.start()).isLessThanOrEqualTo(5_000_000_000L).matches(start -> start % RequestId.PAGE == 0);
        assertThat(request.end()).isEqualTo(request.start() + RequestId.PAGE);
    }

    @Test
    void contentsNameTheParityFileAndTheUnit() {
        RequestId request = RequestId.contents(1, Group.parityFile(1_000_000, 3), 2, 0, 5);

        assertThat(request.parityFile()).isEqualTo(Group.parityFile(1_000_000, 3));
        assertThat(request.unit()).isEqualTo(2);
    }
}
