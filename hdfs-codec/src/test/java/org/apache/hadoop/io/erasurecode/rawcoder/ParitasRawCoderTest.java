/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hadoop's own suite for raw RS coders, on codec {@code paritas}: it asks for RS(6, 3) and RS(10, 4). */
class ParitasRawCoderTest extends TestRSRawCoderBase {
    @BeforeEach
    void useParitas() {
        encoderFactoryClass = ParitasRawErasureCoderFactory.class;
        decoderFactoryClass = ParitasRawErasureCoderFactory.class;
        setAllowDump(false);
    }

    /** Hadoop's version asks for a coder with k = r = 0, which ours refuses: a shape comes first here. */
    @Test
    @Override
    public void testIdempotentReleases() {
        prepare(null, 6, 3, new int[] {0}, new int[0]);
        super.testIdempotentReleases();
    }
}
