/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCodeConstants;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.api.Test;

/**
 * Run in the JVM of Hadoop's own tests: these get our coder by core-site.xml. Because that names no other coder for
 * codec {@code rs}, Hadoop's tests fail where ours cannot be made, instead of passing with another one.
 */
class SuiteCoder {
    private static final ErasureCoderOptions RS_6_3 = new ErasureCoderOptions(6, 3);

    @Test
    void isTheOnlyOneOfCodecRs() {
        assertThat(new Configuration().getTrimmedStrings(CodecUtil.IO_ERASURECODE_CODEC_RS_RAWCODERS_KEY))
                .containsExactly(System.getProperty("paritas.suite.coder"));
    }

    @Test
    void isOurs() {
        Coder.PARITAS.assertUsed(new Configuration(), ErasureCodeConstants.RS_CODEC_NAME, RS_6_3);
        Coder.assertExpectedKernel();
    }
}
