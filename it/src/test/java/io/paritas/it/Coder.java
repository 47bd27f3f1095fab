/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.kernel.KernelChoice;
import io.paritas.erasure.kernel.machine.MachineCode;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/** Whose raw coders a process of HDFS is told to use. */
enum Coder {
    PARITAS("rs_paritas,rs_java", "xor_paritas,xor_java", "ParitasRaw"),
    HADOOP("rs_java", "xor_java", "(RS|XOR)Raw");

    private final String rs;
    private final String xor;
    private final String className;

    Coder(String rs, String xor, String className) {
        this.rs = rs;
        this.xor = xor;
        this.className = className;
    }

    /** A copy of the configuration that names this coder. */
    Configuration in(Configuration base) {
        Configuration conf = new Configuration(base);
        conf.set(CodecUtil.IO_ERASURECODE_CODEC_RS_RAWCODERS_KEY, rs);
        conf.set(CodecUtil.IO_ERASURECODE_CODEC_XOR_RAWCODERS_KEY, xor);
        return conf;
    }

    /** Asks HDFS for coders as its client and its DataNodes do, and looks at what it hands out. */
    void assertUsed(Configuration conf, String codec, ErasureCoderOptions options) {
        assertThat(CodecUtil.createRawEncoder(conf, codec, options).getClass().getSimpleName())
                .as("encoder of %s", this)
                .matches(className + "Encoder");
        assertThat(CodecUtil.createRawDecoder(conf, codec, options).getClass().getSimpleName())
                .as("decoder of %s", this)
                .matches(className + "Decoder");
    }

    /** Our coders run on the kernel that this run of the tests is about; on vectors where machine code is not for the processor. */
    static void assertExpectedKernel() {
        String expected = System.getProperty("io.paritas.test.expectKernel");
        assertThat(KernelChoice.current().provider().name())
                .as("kernel of this JVM")
                .isEqualTo("machine".equals(expected) && !MachineCode.isFastest() ? "vector" : expected);
    }
}
