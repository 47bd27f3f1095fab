/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import io.paritas.erasure.Generators;
import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.io.erasurecode.ErasureCodeConstants;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * The coder {@code rs_paritas} for HDFS's codec {@code rs}: the same bytes as {@code rs_java} and ISA-L, faster.
 *
 * <p>Found by {@link java.util.ServiceLoader}. A factory that cannot be loaded breaks Hadoop's registry, and with it
 * all erasure coding of the JVM; so this class does nothing until a coder is requested.
 */
@InterfaceAudience.Private
public final class ParitasRSRawErasureCoderFactory implements RawErasureCoderFactory {
    /** The name for {@code io.erasurecode.codec.rs.rawcoders}. */
    public static final String CODER_NAME = "rs_paritas";

    /** Holds the coders. A separate class, so that loading the factory loads nothing else. */
    private static final class Holder {
        static final ParitasCoders CODERS = new ParitasCoders(CODER_NAME, Generators::hdfsCauchy);
    }

    @Override
    public RawErasureEncoder createEncoder(ErasureCoderOptions options) {
        return Holder.CODERS.encoder(options);
    }

    @Override
    public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
        return Holder.CODERS.decoder(options);
    }

    @Override
    public String getCoderName() {
        return CODER_NAME;
    }

    @Override
    public String getCodecName() {
        return ErasureCodeConstants.RS_CODEC_NAME;
    }
}
