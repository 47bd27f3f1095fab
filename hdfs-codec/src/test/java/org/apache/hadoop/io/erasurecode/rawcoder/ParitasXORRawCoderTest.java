/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hadoop's own suite for raw XOR coders, on ours. */
class ParitasXORRawCoderTest extends TestXORRawCoderBase {
    @BeforeEach
    void useParitas() {
        encoderFactoryClass = ParitasXORRawErasureCoderFactory.class;
        decoderFactoryClass = ParitasXORRawErasureCoderFactory.class;
        setAllowDump(false);
    }

    /** Hadoop's version asks for a coder with k = r = 0, which ours refuses: a shape comes first here. */
    @Test
    @Override
    public void testIdempotentReleases() {
        prepare(null, 10, 1, new int[] {0}, new int[0]);
        super.testIdempotentReleases();
    }
}
