/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import io.paritas.erasure.Generators;
import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.io.erasurecode.ErasureCodeConstants;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * The coder {@code rs_paritas} for HDFS's codec {@code rs}: the bytes of {@code rs_java} and of ISA-L, faster.
 *
 * <p>Found by {@link java.util.ServiceLoader}. Hadoop's registry dies, and all erasure coding of the JVM with it, when a
 * factory cannot be loaded; so this class does nothing until a coder is asked for.
 */
@InterfaceAudience.Private
public final class ParitasRSRawErasureCoderFactory implements RawErasureCoderFactory {
    /** The name to put into {@code io.erasurecode.codec.rs.rawcoders}. */
    public static final String CODER_NAME = "rs_paritas";

    /** Holds the coders; a class of its own, so that loading the factory loads nothing else. */
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
